package dev.siltstone.tools.lines;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes CSV as RFC 4180 has it, with a header; lines end in carriage return and line feed. */
final class CsvWriter extends EntryWriter {
  private static final byte[] HEADER = "key,value\r\n".getBytes(StandardCharsets.US_ASCII);

  CsvWriter(OutputStream out, Encoding encoding) {
    super(out, encoding);
  }

  @Override
  public void begin() throws IOException {
    out.write(HEADER);
  }

  @Override
  void writeEntry(byte[] key, byte[] value) throws IOException {
    writeField(key);
    out.write(',');
    writeField(value);
    out.write('\r');
    out.write('\n');
  }

  private void writeField(byte[] field) throws IOException {
    if (encoding != Encoding.TEXT || !needsQuotes(field)) {
      encoding.write(field, out);
      return;
    }
    out.write('"');
    int from = 0;
    for (int i = 0; i < field.length; i++) {
      if (field[i] == '"') {
        // Up to and with the quote, which the next part begins with once more.
        out.write(field, from, i + 1 - from);
        from = i;
      }
    }
    out.write(field, from, field.length - from);
    out.write('"');
  }

  private static boolean needsQuotes(byte[] field) {
    for (byte b : field) {
      if (b == '"' || b == ',' || b == '\r' || b == '\n') {
        return true;
      }
    }
    // Some programs trim fields without quotes.
    return field.length > 0 && (field[0] == ' ' || field[field.length - 1] == ' ');
  }
}
