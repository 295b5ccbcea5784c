package dev.siltstone.bench.work;

/**
 * Random order without memory: a permutation of [0, size) in which every number comes once.
 *
 * <p>Four rounds of a Feistel network over the next even number of bits, walked until the result
 * lies in the range (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002). At most
 * four steps are expected.
 */
public final class Scramble {
  private static final int ROUNDS = 4;

  private final long size;
  private final int halfBits;
  private final long halfMask;
  private final long seed;

  /** A permutation of [0, size); another seed gives another one. */
  public Scramble(long size, long seed) {
    if (size < 1) {
      throw new IllegalArgumentException("size must be positive, not " + size);
    }
    this.size = size;
    this.seed = seed;
    int bits = Math.max(2, 64 - Long.numberOfLeadingZeros(size - 1));
    halfBits = (bits + 1) / 2;
    halfMask = (1L << halfBits) - 1;
  }

  /** Where a number of [0, size) goes. */
  public long at(long index) {
    long value = index;
    do {
      long left = value >>> halfBits;
      long right = value & halfMask;
      for (int round = 0; round < ROUNDS; round++) {
        long next = left ^ (mix(right + seed + ((long) round << 56)) & halfMask);
        left = right;
        right = next;
      }
      value = left << halfBits | right;
    } while (value >= size);
    return value;
  }

  /**
   * Spreads the bits of a number: never negative, and every bit of the input moves half of the
   * output (the finalizer of SplitMix64, Steele et al., OOPSLA 2014).
   */
  public static long mix(long number) {
    long mixed = number + 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return (mixed ^ mixed >>> 31) >>> 1;
  }
}
