package dev.siltstone.base.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Unsigned bytewise order over ranges of byte arrays, the only key order of Siltstone.
 *
 * <p>A range is (array, offset, length). A proper prefix sorts before its extensions; hence the
 * immediate successor of a key {@code k} is {@code k} followed by one zero byte.
 */
public final class Bytes {
  /** The empty array; shared, so never written to. */
  public static final byte[] EMPTY = new byte[0];

  private static final VarHandle BIG_ENDIAN_LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private Bytes() {}

  /** Compares two ranges as unsigned bytes; the sign of the result is the order. */
  public static int compare(
      byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return Arrays.compareUnsigned(a, aOffset, aOffset + aLength, b, bOffset, bOffset + bLength);
  }

  /** Compares two whole arrays as unsigned bytes. */
  public static int compare(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b);
  }

  /** Whether two ranges hold the same bytes. */
  public static boolean equal(
      byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return aLength == bLength
        && Arrays.equals(a, aOffset, aOffset + aLength, b, bOffset, bOffset + bLength);
  }

  /** Number of leading bytes that two ranges share. */
  public static int sharedPrefix(
      byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    int length = Math.min(aLength, bLength);
    int at = Arrays.mismatch(a, aOffset, aOffset + length, b, bOffset, bOffset + length);
    return at < 0 ? length : at;
  }

  /** Whether the range {@code key} begins with all of {@code prefix}. */
  public static boolean startsWith(byte[] key, int offset, int length, byte[] prefix) {
    return length >= prefix.length
        && Arrays.equals(key, offset, offset + prefix.length, prefix, 0, prefix.length);
  }

  /**
   * The first eight bytes of a range as a big-endian number, padded with zero bytes. For two ranges
   * with heads {@code x} and {@code y}: {@code Long.compareUnsigned(x, y)} decides their order
   * unless the heads are equal, in which case the lengths or the bytes from the ninth on decide.
   */
  public static long head(byte[] source, int offset, int length) {
    if (length >= Long.BYTES) {
      return (long) BIG_ENDIAN_LONG.get(source, offset);
    }
    long head = 0;
    for (int i = 0; i < length; i++) {
      head |= (source[offset + i] & 0xFFL) << (56 - 8 * i);
    }
    return head;
  }

  /** Stores the {@code length} (0..8) most significant bytes of a head. */
  public static void putHead(byte[] target, int offset, long head, int length) {
    if (length == Long.BYTES) {
      BIG_ENDIAN_LONG.set(target, offset, head);
      return;
    }
    for (int i = 0; i < length; i++) {
      target[offset + i] = (byte) (head >>> (56 - 8 * i));
    }
  }

  /** A copy of a range. */
  public static byte[] copy(byte[] source, int offset, int length) {
    return Arrays.copyOfRange(source, offset, offset + length);
  }

  /** The immediate successor of {@code key} in bytewise order: the key and one zero byte. */
  public static byte[] successor(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  /**
   * The smallest key greater than every key that begins with {@code prefix}, or {@code null} when
   * there is none, that is when the prefix is empty or all 0xFF.
   */
  public static byte @org.jspecify.annotations.Nullable [] prefixEnd(byte[] prefix) {
    int length = prefix.length;
    while (length > 0 && prefix[length - 1] == (byte) 0xFF) {
      length--;
    }
    if (length == 0) {
      return null;
    }
    byte[] end = Arrays.copyOf(prefix, length);
    end[length - 1]++;
    return end;
  }

  /** Lower-case hexadecimal text of a range. */
  public static String hex(byte[] source, int offset, int length) {
    return java.util.HexFormat.of().formatHex(source, offset, offset + length);
  }

  /** Lower-case hexadecimal text of a whole array. */
  public static String hex(byte[] source) {
    return java.util.HexFormat.of().formatHex(source);
  }
}
