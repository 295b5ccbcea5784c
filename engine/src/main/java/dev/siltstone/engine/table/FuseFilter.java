package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Fixed;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Binary fuse filters with fingerprints of 8 bits and three places a key: 9 bits a key, and 0.39 %
 * of absent keys pass.
 *
 * <p>The fingerprints stand in segments of equal length, a power of two. A key's hash is mixed with
 * the seed; the upper part of mixed × (segments × length) chooses a place in the first {@code
 * segments} segments, and bits of the low part one in each of the two segments that follow. The
 * three fingerprints of a key, combined by exclusive or, give the key's own.
 *
 * <p>To build: a place that only one key uses fixes that key; take it out, and again; then fill the
 * places in the opposite order. It may fail for a seed, then the next seed is tried. Deterministic.
 *
 * <p>Source: Graf, Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters", ACM JEA 2022.
 */
final class FuseFilter {
  static final int TAIL_BYTES = 18;
  static final int TAIL_SEGMENT_LENGTH = 8;
  static final int TAIL_SEGMENTS = 12;
  private static final int TAIL_KIND = 17;

  private static final int SEGMENT_LENGTH_MAX = 1 << 18;
  private static final int TRIES_MAX = 64;

  private FuseFilter() {}

  static boolean contains(
      byte[] data, int segmentLength, int segmentsLength, long seed, long hash) {
    long mixed = mix(hash, seed);
    int mask = segmentLength - 1;
    int first = (int) Math.unsignedMultiplyHigh(mixed, segmentsLength);
    int second = (first + segmentLength) ^ ((int) (mixed >>> 18) & mask);
    int third = (first + 2 * segmentLength) ^ ((int) mixed & mask);
    return (byte) (data[first] ^ data[second] ^ data[third]) == fingerprint(mixed);
  }

  private static byte fingerprint(long mixed) {
    return (byte) (mixed ^ (mixed >>> 32));
  }

  private static long mix(long hash, long seed) {
    long h = hash + seed;
    h ^= h >>> 33;
    h *= 0xff51afd7ed558ccdL;
    h ^= h >>> 33;
    h *= 0xc4ceb9fe1a85ec53L;
    h ^= h >>> 33;
    return h;
  }

  /** A filter of some hashes, equal ones counting once; {@code null} if no seed would do. */
  static byte @Nullable [] build(long[] hashes, int count) {
    // Equal hashes are rare and never come apart from each other, so they are looked for only after
    // a failure. Which order the hashes stand in makes no difference to the filter.
    byte[] filter = build(hashes, count, 1);
    if (filter == null) {
      long[] keys = Arrays.copyOf(hashes, count);
      filter = build(keys, distinct(keys), TRIES_MAX);
    }
    return filter;
  }

  /** Sorts hashes and moves one of each to the front; returns how many. */
  private static int distinct(long[] keys) {
    Arrays.sort(keys);
    int distinct = 0;
    for (int i = 0; i < keys.length; i++) {
      if (i == 0 || keys[i] != keys[i - 1]) {
        keys[distinct++] = keys[i];
      }
    }
    return distinct;
  }

  private static byte @Nullable [] build(long[] keys, int count, int tries) {
    int segmentLength = segmentLength(count);
    double factor =
        count <= 1 ? 0 : Math.max(1.125, 0.875 + 0.25 * Math.log(1e6) / Math.log(count));
    long capacity = Math.max(1, Math.round(count * factor));
    int segments = (int) Math.max(1, (capacity + segmentLength - 1) / segmentLength - 2);
    Builder builder = new Builder(keys, count, segmentLength, segments);
    for (int seed = 1; seed <= tries; seed++) {
      if (builder.peel(seed)) {
        return builder.assign(seed);
      }
    }
    return null;
  }

  private static int segmentLength(int keys) {
    if (keys <= 1) {
      return 4;
    }
    int bits = (int) Math.floor(Math.log(keys) / Math.log(3.33) + 2.25);
    return Math.min(1 << bits, SEGMENT_LENGTH_MAX);
  }

  /** The work area of one build. */
  private static final class Builder {
    private final long[] keys;
    private final int count;
    private final int segmentLength;
    private final int segments;
    private final int segmentsLength;

    /** For each place: how many keys use it, and their mixed hashes combined by exclusive or. */
    private final int[] uses;

    private final long[] combined;

    /** Keys in the order in which they were taken out, and the place that was theirs alone. */
    private final long[] order;

    private final int[] place;
    private final int[] alone;

    Builder(long[] keys, int count, int segmentLength, int segments) {
      this.keys = keys;
      this.count = count;
      this.segmentLength = segmentLength;
      this.segments = segments;
      this.segmentsLength = segments * segmentLength;
      int places = (segments + 2) * segmentLength;
      uses = new int[places];
      combined = new long[places];
      order = new long[count];
      place = new int[count];
      alone = new int[places];
    }

    private int first(long mixed) {
      return (int) Math.unsignedMultiplyHigh(mixed, segmentsLength);
    }

    private int second(long mixed, int first) {
      return (first + segmentLength) ^ ((int) (mixed >>> 18) & (segmentLength - 1));
    }

    private int third(long mixed, int first) {
      return (first + 2 * segmentLength) ^ ((int) mixed & (segmentLength - 1));
    }

    /** Takes out one key after the other; whether that succeeded for all. */
    boolean peel(long seed) {
      Arrays.fill(uses, 0);
      Arrays.fill(combined, 0);
      for (int i = 0; i < count; i++) {
        long mixed = mix(keys[i], seed);
        int first = first(mixed);
        use(first, mixed);
        use(second(mixed, first), mixed);
        use(third(mixed, first), mixed);
      }
      int waiting = 0;
      for (int i = 0; i < uses.length; i++) {
        if (uses[i] == 1) {
          alone[waiting++] = i;
        }
      }
      int taken = 0;
      while (waiting > 0) {
        int mine = alone[--waiting];
        if (uses[mine] != 1) {
          continue;
        }
        long mixed = combined[mine];
        order[taken] = mixed;
        place[taken++] = mine;
        int first = first(mixed);
        // A place comes down to one use once only, so the list never holds more than all places.
        waiting = release(first, mixed, waiting);
        waiting = release(second(mixed, first), mixed, waiting);
        waiting = release(third(mixed, first), mixed, waiting);
      }
      return taken == count;
    }

    private void use(int at, long mixed) {
      uses[at]++;
      combined[at] ^= mixed;
    }

    private int release(int at, long mixed, int waiting) {
      combined[at] ^= mixed;
      if (--uses[at] != 1) {
        return waiting;
      }
      alone[waiting] = at;
      return waiting + 1;
    }

    byte[] assign(long seed) {
      int places = uses.length;
      byte[] data = new byte[places + TAIL_BYTES];
      for (int i = count - 1; i >= 0; i--) {
        long mixed = order[i];
        int mine = place[i];
        int first = first(mixed);
        int others = data[first] ^ data[second(mixed, first)] ^ data[third(mixed, first)];
        // Its own place is still zero.
        data[mine] = (byte) (fingerprint(mixed) ^ others);
      }
      Fixed.putLong(data, places, seed);
      Fixed.putInt(data, places + TAIL_SEGMENT_LENGTH, segmentLength);
      Fixed.putInt(data, places + TAIL_SEGMENTS, segments);
      data[places + TAIL_KIND] = Filter.FUSE;
      return data;
    }
  }
}
