package dev.siltstone.tools.lines;

import dev.siltstone.base.bytes.Bytes;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/** How the bytes of a key or value are spelled within a line. */
public enum Encoding {
  /** The bytes themselves, which must be UTF-8. */
  TEXT,
  /** Two hexadecimal digits a byte; written in lower case, read in either. */
  HEX,
  /** RFC 4648, section 4, padded. */
  BASE64;

  /** Bytes spelled at a time; divisible by three, so that base64 needs no padding within. */
  private static final int CHUNK_BYTES = 3 << 10;

  /** Spells {@code bytes}; those of {@link #TEXT} are taken to be UTF-8. */
  void write(byte[] bytes, OutputStream out) throws IOException {
    if (this == TEXT) {
      out.write(bytes);
      return;
    }
    for (int at = 0; at < bytes.length; at += CHUNK_BYTES) {
      int length = Math.min(CHUNK_BYTES, bytes.length - at);
      out.write(
          this == HEX
              ? Bytes.hex(bytes, at, length).getBytes(StandardCharsets.ISO_8859_1)
              : Base64.getEncoder().encode(Bytes.copy(bytes, at, length)));
    }
  }

  /**
   * Checks that this encoding can spell the bytes.
   *
   * @param name what they are, for the message: key or value
   */
  void check(String name, byte[] bytes) throws NotTextException {
    if (this == TEXT && !isUtf8(bytes)) {
      throw new NotTextException(name, bytes);
    }
  }

  /** Whether the bytes are well-formed UTF-8. */
  static boolean isUtf8(byte[] bytes) {
    // A malformed sequence comes back as the three bytes of U+FFFD, which it was not.
    String text = new String(bytes, StandardCharsets.UTF_8);
    return Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes);
  }
}
