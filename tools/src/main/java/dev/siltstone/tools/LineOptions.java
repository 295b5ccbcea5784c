package dev.siltstone.tools;

import dev.siltstone.tools.lines.Encoding;
import dev.siltstone.tools.lines.LineFormat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which lines {@code load} reads and {@code dump} writes. */
final class LineOptions {
  /** The name that stands for the standard input or output. */
  static final String STANDARD = "-";

  @Option(
      names = "--as",
      paramLabel = "FORMAT",
      description =
          "tsv (hex, tab, hex), csv (with a header key,value) or jsonl (objects with key and"
              + " value). Default: by the name of the file, else tsv.")
  private @Nullable LineFormat format;

  @Option(
      names = "--encoding",
      paramLabel = "ENCODING",
      description = "How csv and jsonl spell bytes: hex, text or base64. Default: hex.")
  private Encoding encoding = Encoding.HEX;

  /** The format for a file. */
  LineFormat format(String file) {
    LineFormat byName = LineFormat.ofFileName(file);
    LineFormat chosen = format != null ? format : byName != null ? byName : LineFormat.TSV;
    if (!chosen.allows(encoding)) {
      throw CommandException.usage(
          "tsv is always in hex; leave --encoding out, or choose csv or jsonl with --as");
    }
    return chosen;
  }

  Encoding encoding() {
    return encoding;
  }
}
