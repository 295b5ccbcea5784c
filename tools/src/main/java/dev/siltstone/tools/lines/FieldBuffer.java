package dev.siltstone.tools.lines;

import dev.siltstone.base.bytes.Bytes;
import java.util.Arrays;
import java.util.Base64;

/**
 * Collects the spelling of one key or value and gives the bytes it stands for. Memory grows with
 * what was read, up to the limit, whatever the length of the line.
 */
final class FieldBuffer {
  private static final int START_BYTES = 256;

  /** A buffer that has grown beyond this is given back after use. */
  private static final int KEPT_BYTES_MAX = 1 << 20;

  private static final int NO_DIGIT = -1;

  private final String name;
  private final Encoding encoding;
  private final int bytesMax;
  private final int collectedMax;
  private byte[] collected = new byte[START_BYTES];
  private int length;
  private int highDigit = NO_DIGIT;

  /**
   * An empty buffer.
   *
   * @param name what it collects, for messages
   * @param bytesMax most bytes that a spelling may stand for, up to 2^30
   */
  FieldBuffer(String name, Encoding encoding, int bytesMax) {
    this.name = name;
    this.encoding = encoding;
    this.bytesMax = bytesMax;
    this.collectedMax = encoding == Encoding.BASE64 ? (int) ((bytesMax + 2L) / 3 * 4) : bytesMax;
  }

  void clear() {
    length = 0;
    highDigit = NO_DIGIT;
    if (collected.length > KEPT_BYTES_MAX) {
      collected = new byte[START_BYTES];
    }
  }

  /** Takes the next byte of the spelling, 0 to 255. */
  void add(int b) throws BadFieldException {
    if (encoding != Encoding.HEX) {
      append(b);
      return;
    }
    int digit = Character.digit(b, 16);
    if (digit < 0 || b > 'f') {
      throw new BadFieldException(name + " has " + shown(b) + " where a hex digit should be");
    }
    if (highDigit == NO_DIGIT) {
      highDigit = digit;
    } else {
      append(highDigit << 4 | digit);
      highDigit = NO_DIGIT;
    }
  }

  /** The bytes that the spelling stands for; the caller's own. */
  byte[] bytes() throws BadFieldException {
    return switch (encoding) {
      case HEX -> {
        if (highDigit != NO_DIGIT) {
          throw new BadFieldException(
              name + " has an odd number of hex digits, " + (2L * length + 1));
        }
        yield Bytes.copy(collected, 0, length);
      }
      case TEXT -> {
        byte[] text = Bytes.copy(collected, 0, length);
        if (!Encoding.isUtf8(text)) {
          throw new BadFieldException(name + " is not UTF-8 text");
        }
        yield text;
      }
      case BASE64 -> decoded();
    };
  }

  private byte[] decoded() throws BadFieldException {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(Bytes.copy(collected, 0, length));
    } catch (IllegalArgumentException e) {
      throw new BadFieldException(name + " is not base64: " + e.getMessage());
    }
    if (bytes.length > bytesMax) {
      throw tooLong();
    }
    return bytes;
  }

  private void append(int b) throws BadFieldException {
    if (length == collected.length) {
      if (length >= collectedMax) {
        throw tooLong();
      }
      collected = Arrays.copyOf(collected, (int) Math.min(2L * length, collectedMax));
    } else if (length >= collectedMax) {
      throw tooLong();
    }
    collected[length++] = (byte) b;
  }

  private BadFieldException tooLong() {
    return new BadFieldException(name + " is longer than " + bytesMax + " bytes");
  }

  /** A byte as a person reads it. */
  static String shown(int b) {
    return b > ' ' && b < 0x7F ? "'" + (char) b + "'" : "byte 0x%02x".formatted(b);
  }
}
