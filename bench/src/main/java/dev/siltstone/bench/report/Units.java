package dev.siltstone.bench.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Numbers as a person reads them: three digits that count, and always a unit. */
public final class Units {
  private Units() {}

  /** A rate, such as 348k/s. */
  public static String rate(double perSecond) {
    return Double.isFinite(perSecond) ? count(perSecond) + "/s" : "-";
  }

  /** A number, such as 1.02M. */
  public static String count(double number) {
    if (number >= 999.5e6) {
      return digits(number / 1e9) + "G";
    }
    if (number >= 999.5e3) {
      return digits(number / 1e6) + "M";
    }
    if (number >= 9995) {
      return digits(number / 1e3) + "k";
    }
    return number == Math.rint(number)
        ? String.format(Locale.ROOT, "%,d", (long) number)
        : digits(number);
  }

  /** A whole number, such as 1.02M. */
  public static String count(long number) {
    return count((double) number);
  }

  /** A whole number with its thousands apart, such as 1,000,000. */
  public static String whole(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** A span of time, such as 3.2 µs, from microseconds. */
  public static String micros(double micros) {
    if (!Double.isFinite(micros)) {
      return "-";
    }
    if (micros >= 999.5e3) {
      return digits(micros / 1e6) + " s";
    }
    if (micros >= 999.5) {
      return digits(micros / 1e3) + " ms";
    }
    return digits(micros) + " µs";
  }

  /** A span of time, such as 2 min 5 s, from seconds. */
  public static String span(double seconds) {
    long whole = Math.round(seconds);
    if (whole >= 60) {
      return whole / 60 + " min " + whole % 60 + " s";
    }
    return seconds >= 9.95 ? whole + " s" : String.format(Locale.ROOT, "%.1f s", seconds);
  }

  /** An amount of bytes, such as 38 MiB; "-" if negative, which means not known. */
  public static String bytes(long bytes) {
    if (bytes < 0) {
      return "-";
    }
    if (bytes >= 1 << 30) {
      return digits(bytes / (double) (1 << 30)) + " GiB";
    }
    if (bytes >= 1 << 20) {
      return digits(bytes / (double) (1 << 20)) + " MiB";
    }
    return bytes >= 1 << 10 ? digits(bytes / (double) (1 << 10)) + " KiB" : bytes + " B";
  }

  /** A ratio, such as 2.13 x. */
  public static String ratio(double ratio) {
    if (!Double.isFinite(ratio)) {
      return "-";
    }
    if (ratio < 0.0995) {
      return new BigDecimal(ratio).round(new MathContext(2)).toPlainString() + " x";
    }
    return (ratio >= 999.5 ? count(ratio) : digits(ratio)) + " x";
  }

  /** A share, such as 3.2 %, from 0.032. */
  public static String percent(double share) {
    return Double.isFinite(share) ? digits(100 * share) + " %" : "-";
  }

  private static String digits(double number) {
    String format = number >= 99.95 ? "%.0f" : number >= 9.995 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, format, number);
  }
}
