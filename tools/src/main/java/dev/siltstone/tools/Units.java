package dev.siltstone.tools;

import com.google.errorprone.annotations.FormatMethod;
import java.util.Locale;

/** Numbers with their units, as a person reads them. */
final class Units {
  private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  private static final int KIBI = 1024;

  private Units() {}

  /** Bytes in the largest binary unit that leaves a whole part: {@code 1.5 MiB}. */
  static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    // From 1023.95 on, one decimal would print 1024.0 of the smaller unit.
    while (Math.abs(value) >= KIBI - 0.05 && unit < BINARY.length - 1) {
      value /= KIBI;
      unit++;
    }
    return unit == 0 ? bytes + " B" : format("%.1f %s", value, BINARY[unit]);
  }

  /** A number with its thousands apart: {@code 1,234,567}. */
  static String count(long number) {
    return format("%,d", number);
  }

  /** A number and what is counted: {@code 1 file}, {@code 2,000 files}. */
  static String count(long number, String one, String many) {
    return count(number) + " " + (number == 1 ? one : many);
  }

  /** A number of entries. */
  static String entries(long number) {
    return count(number, "entry", "entries");
  }

  /** A share: {@code 12.5 %}; a dash of nothing. */
  static String percent(long part, long whole) {
    return whole == 0 ? "-" : format("%.1f %%", 100.0 * part / whole);
  }

  /** A span of time in the unit that suits it, from nanoseconds to hours. */
  static String nanos(long nanos) {
    if (nanos < 1_000) {
      return nanos + " ns";
    }
    if (nanos < 1_000_000) {
      return format("%.1f us", nanos / 1e3);
    }
    if (nanos < 1_000_000_000) {
      return format("%.1f ms", nanos / 1e6);
    }
    long seconds = Math.round(nanos / 1e9);
    if (seconds < 60) {
      return format("%.1f s", nanos / 1e9);
    }
    return seconds < 3600
        ? format("%d min %d s", seconds / 60, seconds % 60)
        : format("%d h %d min", seconds / 3600, seconds % 3600 / 60);
  }

  /** A span of time in whole seconds, rounded up: {@code 3 s}, {@code 2 min 5 s}. */
  static String seconds(long nanos) {
    long seconds = Math.ceilDiv(nanos, 1_000_000_000);
    return seconds < 60 ? seconds + " s" : nanos(seconds * 1_000_000_000);
  }

  /** How many a second: {@code 1,200,000/s}. */
  static String rate(long number, long nanos) {
    return count(perSecond(number, nanos)) + "/s";
  }

  /** How many bytes a second: {@code 12.0 MiB/s}. */
  static String byteRate(long bytes, long nanos) {
    return bytes(perSecond(bytes, nanos)) + "/s";
  }

  private static long perSecond(long number, long nanos) {
    return Math.round(number * 1e9 / Math.max(1, nanos));
  }

  @FormatMethod
  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
