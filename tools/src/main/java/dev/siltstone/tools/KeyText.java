package dev.siltstone.tools;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/**
 * A key or value as a person types and reads it.
 *
 * <pre>
 *   user:1        UTF-8 text, as it is
 *   text:0x41     UTF-8 text that looks like one of the other forms
 *   0x75736572    bytes in hexadecimal, of either case; 0x alone is the empty key
 *   u64le:42      eight bytes, least significant first; the number is 0 to 2^64 - 1
 *   u64be:42      eight bytes, most significant first
 * </pre>
 *
 * <p>What {@link Format#AUTO} and {@link Format#HEX} print, and the numbers, can be typed again.
 *
 * @param bytes what the text stands for; borrowed
 * @param isPlain whether it was typed without saying a form
 */
record KeyText(byte[] bytes, boolean isPlain) {
  /** The empty key. */
  static final KeyText EMPTY = new KeyText(Bytes.EMPTY);

  private static final String HEX_PREFIX = "0x";
  private static final String TEXT_PREFIX = "text:";
  private static final String LITTLE_ENDIAN = "u64le:";
  private static final String BIG_ENDIAN = "u64be:";

  /** How bytes are printed. */
  enum Format {
    /** As text if all of it can be printed, else in hexadecimal. */
    AUTO,
    /** In hexadecimal. */
    HEX,
    /** As text; bytes that cannot be printed as {@code \xNN}, a backslash doubled. */
    TEXT,
    /** As a number if there are eight bytes, else as {@link #AUTO}. */
    U64LE,
    /** As a number if there are eight bytes, else as {@link #AUTO}. */
    U64BE;

    /** The bytes in this format. */
    String of(byte[] bytes) {
      return switch (this) {
        case AUTO -> auto(bytes);
        case HEX -> HEX_PREFIX + Bytes.hex(bytes);
        case TEXT -> escaped(bytes);
        case U64LE ->
            bytes.length == Long.BYTES
                ? LITTLE_ENDIAN + Long.toUnsignedString(Fixed.getLong(bytes, 0))
                : auto(bytes);
        case U64BE ->
            bytes.length == Long.BYTES
                ? BIG_ENDIAN + Long.toUnsignedString(ByteBuffer.wrap(bytes).getLong())
                : auto(bytes);
      };
    }
  }

  private KeyText(byte[] bytes) {
    this(bytes, false);
  }

  /** Reads what a person typed. */
  static KeyText parse(String text) {
    if (text.startsWith(HEX_PREFIX)) {
      try {
        return new KeyText(HexFormat.of().parseHex(text, HEX_PREFIX.length(), text.length()));
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(
            "'"
                + text
                + "' is not pairs of hex digits after 0x; for that very text say text:"
                + text);
      }
    }
    if (text.startsWith(LITTLE_ENDIAN)) {
      byte[] bytes = new byte[Long.BYTES];
      Fixed.putLong(bytes, 0, number(text, LITTLE_ENDIAN));
      return new KeyText(bytes);
    }
    if (text.startsWith(BIG_ENDIAN)) {
      long number = number(text, BIG_ENDIAN);
      return new KeyText(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
    }
    boolean isPlain = !text.startsWith(TEXT_PREFIX);
    String plain = isPlain ? text : text.substring(TEXT_PREFIX.length());
    return new KeyText(plain.getBytes(StandardCharsets.UTF_8), isPlain);
  }

  /**
   * What a person may have meant who typed this and found nothing; empty if they knew the forms.
   */
  String hint() {
    return isPlain
        ? "; it was taken as text: bytes are typed as 0x2a00, numbers as u64le:42 or u64be:42"
        : "";
  }

  private static long number(String text, String prefix) {
    try {
      return Long.parseUnsignedLong(text.substring(prefix.length()));
    } catch (NumberFormatException e) {
      throw new TypeConversionException(
          "'"
              + text
              + "' is not a whole number of 0 to 2^64 - 1 after "
              + prefix
              + "; for that very text say text:"
              + text);
    }
  }

  private static String auto(byte[] bytes) {
    String text = printable(bytes);
    if (text == null) {
      return HEX_PREFIX + Bytes.hex(bytes);
    }
    boolean looksOther =
        text.startsWith(HEX_PREFIX)
            || text.startsWith(TEXT_PREFIX)
            || text.startsWith(LITTLE_ENDIAN)
            || text.startsWith(BIG_ENDIAN);
    return looksOther ? TEXT_PREFIX + text : text;
  }

  /** The bytes as text, or {@code null} if a reader could not tell from the text what they are. */
  private static @Nullable String printable(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    boolean clear =
        !text.isEmpty()
            && text.codePoints().allMatch(KeyText::isPrintable)
            && text.charAt(0) != ' '
            && text.charAt(text.length() - 1) != ' '
            && Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes);
    return clear ? text : null;
  }

  private static boolean isPrintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  private static String escaped(byte[] bytes) {
    StringBuilder out = new StringBuilder(bytes.length);
    // Each character of the text is a sequence of bytes that encodes to itself, or is malformed.
    int at = 0;
    while (at < bytes.length) {
      int length = sequenceLength(bytes[at]);
      byte[] sequence = Bytes.copy(bytes, at, Math.min(length, bytes.length - at));
      String text = new String(sequence, StandardCharsets.UTF_8);
      boolean isWhole =
          text.codePointCount(0, text.length()) == 1
              && Arrays.equals(text.getBytes(StandardCharsets.UTF_8), sequence);
      if (isWhole && isPrintable(text.codePointAt(0))) {
        out.append(text.equals("\\") ? "\\\\" : text);
        at += sequence.length;
      } else {
        out.append(String.format(Locale.ROOT, "\\x%02x", bytes[at]));
        at++;
      }
    }
    return out.toString();
  }

  /** Length of the UTF-8 sequence that a byte would begin. */
  private static int sequenceLength(byte first) {
    int ones = Integer.numberOfLeadingZeros(~(first << 24));
    return ones >= 2 && ones <= 4 ? ones : 1;
  }
}
