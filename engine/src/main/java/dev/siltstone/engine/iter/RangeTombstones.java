package dev.siltstone.engine.iter;

import dev.siltstone.base.time.HybridTime;
import org.jspecify.annotations.Nullable;

/**
 * The range deletes of one source, each a range [lower, upper) with the times, newest first, at
 * which all of it was deleted.
 *
 * <p>A range delete at time {@code d} hides a record of the same tree whose key lies in its range
 * and whose time is less than {@code d}.
 *
 * <p>Implementations are safe for concurrent use and may gain range deletes while they are read;
 * what a reader at a published time may see never changes.
 */
public interface RangeTombstones {
  /** No range deletes. */
  RangeTombstones NONE =
      new RangeTombstones() {
        @Override
        public boolean isEmpty() {
          return true;
        }

        @Override
        public long newestCovering(byte[] key, int offset, int length, long atTime) {
          return HybridTime.MIN;
        }

        @Override
        public byte @Nullable [] lowerCovering(byte[] key, int offset, int length, long atTime) {
          return null;
        }

        @Override
        public byte @Nullable [] upperCovering(byte[] key, int offset, int length, long atTime) {
          return null;
        }

        @Override
        public void forEach(long floor, RangeConsumer consumer) {
          // Nothing to visit.
        }
      };

  /** Whether there are none; cheap, asked before every other call on the hot roads. */
  boolean isEmpty();

  /**
   * The greatest time, at most {@code atTime}, of a range delete that covers the key; {@link
   * HybridTime#MIN} if none does.
   */
  long newestCovering(byte[] key, int offset, int length, long atTime);

  /**
   * The inclusive lower bound of a range that holds the key and in which {@link #newestCovering} is
   * nowhere less than for the key; {@code null} if nothing covers the key. Not to be changed.
   */
  byte @Nullable [] lowerCovering(byte[] key, int offset, int length, long atTime);

  /**
   * The exclusive upper bound of a range that holds the key and in which {@link #newestCovering} is
   * nowhere less than for the key; {@code null} if nothing covers the key. Not to be changed.
   */
  byte @Nullable [] upperCovering(byte[] key, int offset, int length, long atTime);

  /**
   * Visits all range deletes in any order. The ranges may overlap, and may be parts of those that
   * were written.
   *
   * @param floor nobody asks for an earlier time: what only such a reader could tell apart may be
   *     left out
   */
  void forEach(long floor, RangeConsumer consumer);

  /** Takes range deletes. */
  @FunctionalInterface
  interface RangeConsumer {
    /**
     * The range deletes of one range.
     *
     * @param lower inclusive; not to be changed
     * @param upper exclusive; not to be changed
     * @param times strictly descending, at least one; not to be changed
     */
    void range(byte[] lower, byte[] upper, long[] times);
  }
}
