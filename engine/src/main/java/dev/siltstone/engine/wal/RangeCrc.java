package dev.siltstone.engine.wal;

import dev.siltstone.base.bytes.Crc32c;

/**
 * CRC-32C of any range of one array in bounded time, after one pass over the array.
 *
 * <p>The scan for intact records tries every eighth offset, and bytes made for the purpose could
 * claim a long record at each: checking each claim byte by byte would take quadratic time. The
 * checksums of all prefixes that end at a multiple of 4 KiB are kept instead; the checksum of a
 * range follows from two of them and at most 8 KiB of direct work.
 *
 * <p>A checksum is a polynomial over GF(2) modulo P; appending n bytes multiplies it by x^(8n).
 * Hence crc(AB) = crc(A) * x^(8|B|) + crc(B). Source: the method of {@code crc32_combine} in zlib
 * 1.2.12 (Mark Adler), for the polynomial of RFC 3720.
 */
final class RangeCrc {
  private static final int BLOCK_SHIFT = 12;
  private static final int BLOCK_BYTES = 1 << BLOCK_SHIFT;

  /** P without its x^32 term, bit 31 for x^0. */
  private static final int POLYNOMIAL = 0x82F63B78;

  /** x^0 in the same bit order. */
  private static final int ONE = 1 << 31;

  /** x^(2^i) modulo P. */
  private static final int[] SQUARES = squares();

  private final byte[] bytes;

  /** Checksums of the prefixes of i * 4 KiB; made when first needed. */
  private int[] prefixes = new int[0];

  RangeCrc(byte[] bytes) {
    this.bytes = bytes;
  }

  /** The checksum of bytes [from, to). */
  int of(int from, int to) {
    int first = (from + BLOCK_BYTES - 1) >>> BLOCK_SHIFT;
    int last = to >>> BLOCK_SHIFT;
    if (last <= first + 1) {
      return Crc32c.of(bytes, from, to - from);
    }
    if (prefixes.length == 0) {
      prefixes = prefixes();
    }
    int middleBytes = (last - first) << BLOCK_SHIFT;
    int middle = prefixes[last] ^ shift(prefixes[first], middleBytes);
    int headBytes = (first << BLOCK_SHIFT) - from;
    int head = Crc32c.of(bytes, from, headBytes);
    int tailBytes = to - (last << BLOCK_SHIFT);
    int tail = Crc32c.of(bytes, to - tailBytes, tailBytes);
    return shift(shift(head, middleBytes) ^ middle, tailBytes) ^ tail;
  }

  private int[] prefixes() {
    int[] result = new int[(bytes.length >>> BLOCK_SHIFT) + 1];
    for (int i = 1; i < result.length; i++) {
      int block = Crc32c.of(bytes, (i - 1) << BLOCK_SHIFT, BLOCK_BYTES);
      result[i] = shift(result[i - 1], BLOCK_BYTES) ^ block;
    }
    return result;
  }

  /** The checksum times x^(8 n): what it contributes when n bytes follow. */
  private static int shift(int checksum, int n) {
    int power = ONE;
    // Bit i of n stands for 2^i bytes, that is for x^(2^(i + 3)).
    for (int i = 3, left = n; left != 0; i++, left >>>= 1) {
      if ((left & 1) != 0) {
        power = multiply(SQUARES[i], power);
      }
    }
    return multiply(power, checksum);
  }

  private static int multiply(int a, int b) {
    int product = 0;
    for (int bit = ONE; bit != 0; bit >>>= 1) {
      if ((a & bit) != 0) {
        product ^= b;
      }
      b = (b & 1) != 0 ? (b >>> 1) ^ POLYNOMIAL : b >>> 1;
    }
    return product;
  }

  private static int[] squares() {
    int[] result = new int[Integer.SIZE + 3];
    result[0] = ONE >>> 1;
    for (int i = 1; i < result.length; i++) {
      result[i] = multiply(result[i - 1], result[i - 1]);
    }
    return result;
  }
}
