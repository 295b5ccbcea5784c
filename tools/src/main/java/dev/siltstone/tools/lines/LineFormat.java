package dev.siltstone.tools.lines;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The formats of lines: what reads them and what writes them. */
public enum LineFormat {
  /** {@code key TAB value LF}, in hexadecimal always. */
  TSV,
  /** RFC 4180, with the header {@code key,value}. */
  CSV,
  /** One object <code>{"key":"...","value":"..."}</code> a line. */
  JSONL;

  /** The format that the extension of a file's name stands for, or {@code null}. */
  public static @Nullable LineFormat ofFileName(String name) {
    String extension = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    return switch (extension) {
      case "tsv", "hex" -> TSV;
      case "csv" -> CSV;
      case "jsonl", "ndjson" -> JSONL;
      default -> null;
    };
  }

  /** Whether this format can spell keys and values so. */
  public boolean allows(Encoding encoding) {
    return this != TSV || encoding == Encoding.HEX;
  }

  /** A reader; {@code in} needs no buffer. */
  public EntryReader reader(InputStream in, Encoding encoding, EntryReader.Limits limits) {
    checkAllowed(encoding);
    return switch (this) {
      case TSV -> new HexTsvReader(in, limits);
      case CSV -> new CsvReader(in, encoding, limits);
      case JSONL -> new JsonLinesReader(in, encoding, limits);
    };
  }

  /** A writer; {@code out} should have a buffer. */
  public EntryWriter writer(OutputStream out, Encoding encoding) {
    checkAllowed(encoding);
    return switch (this) {
      case TSV -> new HexTsvWriter(out);
      case CSV -> new CsvWriter(out, encoding);
      case JSONL -> new JsonLinesWriter(out, encoding);
    };
  }

  private void checkAllowed(Encoding encoding) {
    if (!allows(encoding)) {
      throw new IllegalArgumentException(this + " is never in " + encoding);
    }
  }
}
