package dev.siltstone.engine;

import dev.siltstone.base.bytes.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which keys a map view holds, in the order of bytes. The arrays are owned by the record.
 *
 * @param low smallest key, or {@code null} for no bound
 * @param lowInclusive whether that one is in
 * @param high largest key, or {@code null} for no bound
 * @param highInclusive whether that one is in
 */
record MapBounds(
    byte @Nullable [] low, boolean lowInclusive, byte @Nullable [] high, boolean highInclusive) {
  static final MapBounds ALL = new MapBounds(null, true, null, true);

  /** Refuses bounds that are the wrong way round. */
  MapBounds {
    if (low != null && high != null && Bytes.compare(low, high) > 0) {
      throw new IllegalArgumentException("the lower bound is greater than the upper one");
    }
  }

  boolean contains(byte[] key) {
    byte[] lower = lower();
    byte[] upper = upper();
    return (lower == null || Bytes.compare(lower, key) <= 0)
        && (upper == null || Bytes.compare(key, upper) < 0);
  }

  /** The bound of bytes below, inclusive. */
  byte @Nullable [] lower() {
    return low == null || lowInclusive ? low : after(low);
  }

  /** The bound of bytes above, exclusive. */
  byte @Nullable [] upper() {
    return high == null || !highInclusive ? high : after(high);
  }

  /**
   * Narrower bounds; {@code null} leaves a side as it is.
   *
   * @throws IllegalArgumentException if they are not within these
   */
  MapBounds sub(
      byte @Nullable [] from, boolean fromInclusive, byte @Nullable [] to, boolean toInclusive) {
    if (from != null && low != null) {
      check(Bytes.compare(from, low), lowInclusive || !fromInclusive);
    }
    if (to != null && high != null) {
      check(Bytes.compare(high, to), highInclusive || !toInclusive);
    }
    return new MapBounds(
        from == null ? low : from,
        from == null ? lowInclusive : fromInclusive,
        to == null ? high : to,
        to == null ? highInclusive : toInclusive);
  }

  private static void check(int compared, boolean equalFits) {
    if (compared < 0 || (compared == 0 && !equalFits)) {
      throw new IllegalArgumentException("bound out of the range of this map");
    }
  }

  /** The first key after a key. */
  static byte[] after(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }
}
