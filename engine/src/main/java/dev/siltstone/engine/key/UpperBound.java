package dev.siltstone.engine.key;

import dev.siltstone.base.bytes.Bytes;
import java.util.Arrays;

/**
 * Exclusive upper bounds of ranges of keys, and the one that lies after all keys.
 *
 * <p>In memory that one is a key like any other, longer than keys may be and of the greatest bytes,
 * so that nobody who compares bounds has to know of it; there is one array of it. On disk it is
 * written as no bytes at all, which no other upper bound of a range is, for nothing lies before the
 * empty key. On disk, never change.
 */
public final class UpperBound {
  private static final byte[] END = end(BatchRecord.BOUND_BYTES_MAX);

  private UpperBound() {}

  private static byte[] end(int length) {
    byte[] end = new byte[length];
    Arrays.fill(end, (byte) 0xFF);
    return end;
  }

  /** The bound after all keys; not to be changed. */
  public static byte[] end() {
    return END;
  }

  /** The bytes of a bound on disk. Not a copy. */
  public static byte[] encode(byte[] bound) {
    return Arrays.equals(bound, END) ? Bytes.EMPTY : bound;
  }

  /** A bound from its bytes on disk; the array is used if it is not empty. */
  public static byte[] decode(byte[] encoded) {
    return encoded.length == 0 ? END : encoded;
  }

  /** A bound from its bytes on disk, copied. */
  public static byte[] decode(byte[] array, int offset, int length) {
    return length == 0 ? END : Bytes.copy(array, offset, length);
  }

  /** Whether a bound, by its bytes on disk, lies after a key. */
  public static boolean isAfter(
      byte[] array, int offset, int length, byte[] key, int keyOffset, int keyLength) {
    return length == 0 || Bytes.compare(key, keyOffset, keyLength, array, offset, length) < 0;
  }

  /** Memory that a bound takes by itself, in bytes. */
  public static int memoryBytes(byte[] bound) {
    return bound.length == END.length && Arrays.equals(bound, END) ? 0 : bound.length;
  }
}
