package dev.siltstone.base.bytes;

/**
 * 64-bit hash of keys for filters and caches: wyhash, final version 4, with its default secret.
 *
 * <p>The value is persisted in filter blocks, so it never changes. Source: Wang Yi, "wyhash",
 * public domain; the tests compare it with hash4j's implementation.
 */
public final class Hash64 {
  private static final long SECRET_0 = 0xa0761d6478bd642fL;
  private static final long SECRET_1 = 0xe7037ed1a0b428dbL;
  private static final long SECRET_2 = 0x8ebc6af09c88c6e3L;
  private static final long SECRET_3 = 0x589965cc75374cc3L;

  private Hash64() {}

  /** The hash of a range with seed 0. */
  public static long of(byte[] source, int offset, int length) {
    long seed = mix(SECRET_0, SECRET_1);
    long a;
    long b;
    if (length <= 16) {
      if (length >= 4) {
        int quarter = (length >>> 3) << 2;
        int end = offset + length - 4;
        a = (int32(source, offset) << 32) | int32(source, offset + quarter);
        b = (int32(source, end) << 32) | int32(source, end - quarter);
      } else if (length > 0) {
        a =
            ((source[offset] & 0xFFL) << 16)
                | ((source[offset + (length >>> 1)] & 0xFFL) << 8)
                | (source[offset + length - 1] & 0xFFL);
        b = 0;
      } else {
        a = 0;
        b = 0;
      }
    } else {
      int at = offset;
      int left = length;
      if (left > 48) {
        long see1 = seed;
        long see2 = seed;
        do {
          seed = mix(int64(source, at) ^ SECRET_1, int64(source, at + 8) ^ seed);
          see1 = mix(int64(source, at + 16) ^ SECRET_2, int64(source, at + 24) ^ see1);
          see2 = mix(int64(source, at + 32) ^ SECRET_3, int64(source, at + 40) ^ see2);
          at += 48;
          left -= 48;
        } while (left > 48);
        seed ^= see1 ^ see2;
      }
      while (left > 16) {
        seed = mix(int64(source, at) ^ SECRET_1, int64(source, at + 8) ^ seed);
        at += 16;
        left -= 16;
      }
      a = int64(source, at + left - 16);
      b = int64(source, at + left - 8);
    }
    a ^= SECRET_1;
    b ^= seed;
    long low = a * b;
    long high = Math.unsignedMultiplyHigh(a, b);
    return mix(low ^ SECRET_0 ^ length, high ^ SECRET_1);
  }

  private static long mix(long a, long b) {
    return (a * b) ^ Math.unsignedMultiplyHigh(a, b);
  }

  private static long int32(byte[] source, int offset) {
    return Fixed.getInt(source, offset) & 0xFFFFFFFFL;
  }

  private static long int64(byte[] source, int offset) {
    return Fixed.getLong(source, offset);
  }
}
