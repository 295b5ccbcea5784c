package dev.siltstone.tools.lines;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes one JSON object a line, {@code {"key":"...","value":"..."}}. */
final class JsonLinesWriter extends EntryWriter {
  private static final byte[] BEFORE_KEY = ascii("{\"key\":\"");
  private static final byte[] BEFORE_VALUE = ascii("\",\"value\":\"");
  private static final byte[] AFTER_VALUE = ascii("\"}\n");

  JsonLinesWriter(OutputStream out, Encoding encoding) {
    super(out, encoding);
  }

  @Override
  public void begin() {
    // Nothing: every line is an entry, so that files can be cut and joined.
  }

  @Override
  void writeEntry(byte[] key, byte[] value) throws IOException {
    out.write(BEFORE_KEY);
    writeString(key);
    out.write(BEFORE_VALUE);
    writeString(value);
    out.write(AFTER_VALUE);
  }

  private void writeString(byte[] bytes) throws IOException {
    if (encoding == Encoding.TEXT) {
      JsonString.write(bytes, out);
    } else {
      encoding.write(bytes, out);
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
