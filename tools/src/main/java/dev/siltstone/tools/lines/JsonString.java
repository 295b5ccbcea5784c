package dev.siltstone.tools.lines;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Strings of JSON (RFC 8259, section 7): only what must be escaped is. */
public final class JsonString {
  private JsonString() {}

  /** A text as a JSON string, quotes included. */
  public static String quote(String text) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(text.length() + 2);
    out.write('"');
    try {
      write(text.getBytes(StandardCharsets.UTF_8), out);
    } catch (IOException e) {
      // Memory has no I/O errors.
      throw new UncheckedIOException(e);
    }
    out.write('"');
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Writes UTF-8 text as it stands between the quotes of a JSON string. */
  static void write(byte[] text, OutputStream out) throws IOException {
    int from = 0;
    for (int i = 0; i < text.length; i++) {
      byte b = text[i];
      // Bytes of longer sequences are negative and stand for themselves.
      if (b == '"' || b == '\\' || (b >= 0 && b < ' ')) {
        out.write(text, from, i - from);
        out.write(escape(b).getBytes(StandardCharsets.US_ASCII));
        from = i + 1;
      }
    }
    out.write(text, from, text.length - from);
  }

  private static String escape(byte b) {
    return switch (b) {
      case '"' -> "\\\"";
      case '\\' -> "\\\\";
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> "\\u%04x".formatted(b);
    };
  }
}
