package dev.siltstone.base.bytes;

/**
 * Unsigned LEB128 variable-length integers: seven bits a byte, low bits first, the high bit set on
 * every byte but the last. A 32-bit value takes 1 to 5 bytes, a 64-bit value 1 to 10.
 *
 * <p>Reading returns the value; its encoded length is {@link #length}, so that a reader without a
 * cursor object can step over it. Reading from damaged bytes may throw {@link
 * IndexOutOfBoundsException} or return any value; callers that read bytes from disk verify the
 * checksum first and check ranges after.
 */
public final class Varint {
  /** Longest encoding of a 32-bit value, in bytes. */
  public static final int INT_BYTES_MAX = 5;

  /** Longest encoding of a 64-bit value, in bytes. */
  public static final int LONG_BYTES_MAX = 10;

  private Varint() {}

  /** Encoded length of {@code value} taken as unsigned, in bytes. */
  public static int length(int value) {
    return (38 - Integer.numberOfLeadingZeros(value | 1)) / 7;
  }

  /** Encoded length of {@code value} taken as unsigned, in bytes. */
  public static int length(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }

  /** Writes {@code value} taken as unsigned and returns the offset after it. */
  public static int put(byte[] target, int offset, int value) {
    int at = offset;
    while ((value & ~0x7F) != 0) {
      target[at++] = (byte) (value | 0x80);
      value >>>= 7;
    }
    target[at++] = (byte) value;
    return at;
  }

  /** Writes {@code value} taken as unsigned and returns the offset after it. */
  public static int put(byte[] target, int offset, long value) {
    int at = offset;
    while ((value & ~0x7FL) != 0) {
      target[at++] = (byte) (value | 0x80);
      value >>>= 7;
    }
    target[at++] = (byte) value;
    return at;
  }

  /** Reads a value of at most 32 bits. */
  public static int getInt(byte[] source, int offset) {
    int b = source[offset];
    if (b >= 0) {
      return b;
    }
    int value = b & 0x7F;
    for (int shift = 7; shift < 35; shift += 7) {
      b = source[++offset];
      value |= (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new IndexOutOfBoundsException("varint longer than 5 bytes at offset " + offset);
  }

  /** Reads a value of at most 64 bits. */
  public static long getLong(byte[] source, int offset) {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      long b = source[offset++];
      value |= (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new IndexOutOfBoundsException("varint longer than 10 bytes at offset " + offset);
  }
}
