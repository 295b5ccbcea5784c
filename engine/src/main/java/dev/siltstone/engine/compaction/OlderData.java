package dev.siltstone.engine.compaction;

/**
 * What a compaction has to know of the data it does not see: whether something there may be older
 * than a given time. A tombstone must live on as long as something older may lie where it hides.
 *
 * <p>"Elsewhere" is everything of the tree outside the inputs: files of all levels, and memtables
 * that are older than the inputs. Newer data does not matter. A wrong {@code true} keeps a
 * tombstone longer than needed; a wrong {@code false} brings deleted data back.
 *
 * <p>{@link #mayHoldKey} and {@link #mayHoldSubtree} are called with keys in ascending order, the
 * same key any number of times. One thread at a time.
 */
public interface OlderData {
  /** There is nothing elsewhere. */
  OlderData NONE =
      new OlderData() {
        @Override
        public boolean mayHoldKey(byte[] key, int offset, int length, long time) {
          return false;
        }

        @Override
        public boolean mayHoldSubtree(byte[] key, int offset, int length, long time) {
          return false;
        }

        @Override
        public boolean mayHoldRange(byte[] lower, byte[] upper, long time) {
          return false;
        }
      };

  /** Whether a record of this very key with a time less than {@code time} may exist elsewhere. */
  boolean mayHoldKey(byte[] key, int offset, int length, long time);

  /**
   * Whether a record with a time less than {@code time} may exist elsewhere whose key begins with
   * this key; the key itself counts.
   */
  boolean mayHoldSubtree(byte[] key, int offset, int length, long time);

  /** Whether a record of [lower, upper) with a time less than {@code time} may exist elsewhere. */
  boolean mayHoldRange(byte[] lower, byte[] upper, long time);
}
