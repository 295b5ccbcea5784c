package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Fixed;

/**
 * Tells which keys a partition surely does not hold. Two kinds stand side by side, told apart by
 * the last byte of their block:
 *
 * <pre>
 *   blocked Bloom    lines of 64 bytes | u8 probes, 1..7 | u8 1
 *   binary fuse 8    fingerprints | u64 seed | u32 segment length | u32 segments | u8 0 | u8 2
 * </pre>
 *
 * <p>A key is known by its {@link dev.siltstone.base.bytes.Hash64}. <em>Blocked Bloom</em>: the
 * upper part of hash × lines chooses the line; the low 9 bits each of hash × 0x9E3779B97F4A7C15,
 * shifted by 0, 9, ..., choose the bits of the line. At 10 bits a key about 1 % of absent keys
 * pass. <em>Binary fuse 8</em>: {@link FuseFilter}.
 *
 * <p>Immutable; safe for concurrent use. Sources: Putze, Sanders, Singler, "Cache-, Hash- and
 * Space-Efficient Bloom Filters" (2007); Graf, Lemire, "Binary Fuse Filters" (2022).
 */
final class Filter {
  // Kinds. On disk, never change.
  static final int BLOOM = 1;
  static final int FUSE = 2;

  static final int LINE_BYTES = 64;
  static final int BLOOM_TAIL_BYTES = 2;
  static final int PROBES_MAX = 7;

  private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;
  private static final int PROBE_BITS = 9;
  private static final int PROBE_MASK = (1 << PROBE_BITS) - 1;

  /** This object and the array's header, about. */
  private static final int OBJECT_BYTES = 64;

  static {
    assert 1 << PROBE_BITS == LINE_BYTES * 8 : "a probe is a bit of a line";
    assert PROBE_BITS * PROBES_MAX <= Long.SIZE : "probes are disjoint bits of one number";
  }

  private final byte[] data;
  private final int lines;
  private final int probes;
  private final long seed;
  private final int segmentLength;
  private final int segmentsLength;

  /**
   * A filter in the first {@code length} bytes of an array, which is kept and must not change.
   *
   * @throws BlockStructureException if it is none
   */
  Filter(byte[] data, int length) throws BlockStructureException {
    this.data = data;
    int kind = length < BLOOM_TAIL_BYTES ? 0 : data[length - 1];
    if (kind == BLOOM) {
      lines = (length - BLOOM_TAIL_BYTES) / LINE_BYTES;
      probes = data[length - 2];
      seed = 0;
      segmentLength = 0;
      segmentsLength = 0;
      if (lines == 0
          || lines * LINE_BYTES + BLOOM_TAIL_BYTES != length
          || probes <= 0
          || probes > PROBES_MAX) {
        throw new BlockStructureException(
            "Bloom filter of " + length + " bytes with " + probes + " probes");
      }
    } else if (kind == FUSE && length > FuseFilter.TAIL_BYTES) {
      lines = 0;
      probes = 0;
      int tail = length - FuseFilter.TAIL_BYTES;
      seed = Fixed.getLong(data, tail);
      segmentLength = Fixed.getInt(data, tail + FuseFilter.TAIL_SEGMENT_LENGTH);
      int segments = Fixed.getInt(data, tail + FuseFilter.TAIL_SEGMENTS);
      long fingerprints = (segments + 2L) * segmentLength;
      if (segments <= 0 || Integer.bitCount(segmentLength) != 1 || fingerprints != tail) {
        throw new BlockStructureException(
            "fuse filter of "
                + length
                + " bytes with "
                + segments
                + " segments of "
                + segmentLength);
      }
      segmentsLength = segments * segmentLength;
    } else {
      throw new BlockStructureException("filter of kind " + kind + " and " + length + " bytes");
    }
  }

  /** Whether the partition may hold a key of that hash; {@code false} is certain. */
  boolean mayContain(long hash) {
    return lines == 0
        ? FuseFilter.contains(data, segmentLength, segmentsLength, seed, hash)
        : mayContain(data, lines, probes, hash);
  }

  private static boolean mayContain(byte[] data, int lines, int probes, long hash) {
    int line = line(hash, lines);
    long bits = hash * SPREAD;
    long all = 1;
    // All probes of a line are one or two cache lines, so to leave early would save nothing.
    for (int i = 0; i < probes; i++) {
      int bit = (int) bits & PROBE_MASK;
      all &= data[line + (bit >>> 3)] >>> (bit & 7);
      bits >>>= PROBE_BITS;
    }
    return (all & 1) != 0;
  }

  private static int line(long hash, int lines) {
    return (int) Math.unsignedMultiplyHigh(hash, lines) * LINE_BYTES;
  }

  /** Memory that this filter keeps in use. */
  long charge() {
    return (long) data.length + OBJECT_BYTES;
  }

  /** Lines of a Bloom filter for so many keys. */
  static int bloomLines(int keys, int bitsPerKey) {
    long bits = Math.max(1, (long) keys * bitsPerKey);
    return (int) ((bits + LINE_BYTES * 8 - 1) / (LINE_BYTES * 8));
  }

  /** Probes that suit so many bits a key: about ln 2 times as many, a little fewer in a line. */
  static int bloomProbes(int bitsPerKey) {
    return Math.clamp(Math.round(bitsPerKey * 0.62), 1, PROBES_MAX);
  }

  /** Sets the bits of a hash in zeroed lines. */
  static void addToBloom(byte[] data, int at, int lines, int probes, long hash) {
    int line = at + line(hash, lines);
    long bits = hash * SPREAD;
    for (int i = 0; i < probes; i++) {
      int bit = (int) bits & PROBE_MASK;
      data[line + (bit >>> 3)] |= (byte) (1 << (bit & 7));
      bits >>>= PROBE_BITS;
    }
  }
}
