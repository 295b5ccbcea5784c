package dev.siltstone.tools;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How keys and values are printed. */
final class FormatOptions {
  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      split = ",",
      description =
          "How to print keys and values: auto, hex, text, u64le or u64be; two of them, by comma,"
              + " for keys and for values. Default: auto, text if all of it can be printed, else"
              + " 0x and hex digits.")
  private @Nullable List<KeyText.Format> formats;

  String key(byte[] key) {
    return format(0).of(key);
  }

  String value(byte[] value) {
    return format(1).of(value);
  }

  /** Refuses more formats than there are things to print. */
  void check() {
    if (formats != null && formats.size() > 2) {
      throw CommandException.usage("--format takes one format or two, not " + formats.size());
    }
  }

  private KeyText.Format format(int index) {
    List<KeyText.Format> given = formats;
    if (given == null || given.isEmpty()) {
      return KeyText.Format.AUTO;
    }
    return given.get(Math.min(index, given.size() - 1));
  }
}
