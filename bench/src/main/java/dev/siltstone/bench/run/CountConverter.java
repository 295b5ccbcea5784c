package dev.siltstone.bench.run;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a count of the command line: digits, and k or M behind them for thousands or millions. */
final class CountConverter implements ITypeConverter<Long> {
  private static final Pattern COUNT = Pattern.compile("([0-9]{1,12})([kKmM]?)");

  @Override
  public Long convert(String text) {
    Matcher matcher = COUNT.matcher(text.replace("_", ""));
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "\"" + text + "\" is not a count: write it as 200000, 200k or 1M");
    }
    long unit =
        switch (matcher.group(2)) {
          case "k", "K" -> 1_000;
          case "m", "M" -> 1_000_000;
          default -> 1;
        };
    return Long.parseLong(matcher.group(1)) * unit;
  }
}
