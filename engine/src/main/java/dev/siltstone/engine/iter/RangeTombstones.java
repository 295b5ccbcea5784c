package dev.siltstone.engine.iter;

import dev.siltstone.base.time.HybridTime;
import org.jspecify.annotations.Nullable;

/**
 * The range deletes of one source, as disjoint fragments in key order. Each fragment [lower, upper)
 * carries the times, newest first, of all range deletes of the source that cover it.
 *
 * <p>A range delete at time {@code d} hides a record of the same tree whose key lies in its range
 * and whose time is less than {@code d}.
 *
 * <p>Implementations are safe for concurrent use and may gain fragments while they are read; what a
 * reader at a published time may see never changes.
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
        public byte @Nullable [] lowerCovering(byte[] key, int offset, int length) {
          return null;
        }

        @Override
        public byte @Nullable [] upperCovering(byte[] key, int offset, int length) {
          return null;
        }

        @Override
        public void forEach(FragmentConsumer consumer) {
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
   * The inclusive lower bound of the fragment that covers a key; {@code null} if none does. Not to
   * be changed.
   */
  byte @Nullable [] lowerCovering(byte[] key, int offset, int length);

  /**
   * The exclusive upper bound of the fragment that covers a key; {@code null} if none does. Not to
   * be changed.
   */
  byte @Nullable [] upperCovering(byte[] key, int offset, int length);

  /** Visits all fragments in key order. */
  void forEach(FragmentConsumer consumer);

  /** Takes fragments. */
  @FunctionalInterface
  interface FragmentConsumer {
    /**
     * One fragment.
     *
     * @param lower inclusive; not to be changed
     * @param upper exclusive; not to be changed
     * @param times strictly descending, at least one; not to be changed
     */
    void fragment(byte[] lower, byte[] upper, long[] times);
  }
}
