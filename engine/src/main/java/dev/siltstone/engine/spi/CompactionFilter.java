package dev.siltstone.engine.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks at live values while table files are merged, and may drop them or change their bytes: old
 * formats are brought up to date, values expire by rules of the application.
 *
 * <p><b>How it gets there.</b> Factories are given by name to {@code Components}; a tree names its
 * own with {@code TreeOptions.compactionFilter}. The name is stored with the tree. A process that
 * opens the store without that factory compacts the tree unfiltered.
 *
 * <p><b>When it is asked.</b> Once for each value that a merge of table files writes and that is
 * the newest of its key at or before the cutoff of the merge: not for deletes and range deletes,
 * not for what they hide, not for what has expired or is overwritten at the cutoff, not for what is
 * newer, and not for values that are stored apart in files of their own. A flush asks nothing, and
 * neither does a compaction that moves or drops whole files unread. So it depends on chance whether
 * and when a value is met; {@code Tree.compact} rewrites every file of its range if the tree has a
 * filter, and afterwards all values have been met that were written before and are old enough. A
 * value may be met any number of times. A filter can free space and keep bytes up to date; it
 * cannot define what is visible.
 *
 * <p><b>Snapshots.</b> The cutoff is at most the time of the oldest open snapshot, and at most now
 * less the tree's retention. What was written later is never asked about. What was written at or
 * before it can be seen by snapshots and by readers of the past, and these see what the filter
 * makes of it, as everybody else does: the value of before is gone. A filter that must not disturb
 * them drops only what no reader would miss, or replaces bytes by others that mean the same. A
 * cursor goes on seeing what it saw when it was opened.
 *
 * <p><b>Failure.</b> An exception that a filter or its factory throws, and a verdict that is {@code
 * null}, fails the compaction: nothing is changed, the files of before stay. Since the next try
 * would most likely end the same, the tree is not compacted again until the store is opened anew,
 * {@link EventListener#suspended} is told, and {@code Tree.compact} throws {@code
 * DbException.Unavailable} with the cause. Reads, writes and flushes go on.
 *
 * <p><b>Threads.</b> One instance serves one compaction on one thread of the store's background;
 * several may be at work at once. It may read the store but must not write to it, which may wait
 * for the very thread; flush, compact, close and all else that always does is an {@link
 * IllegalStateException}. What it takes, the compaction takes longer.
 */
public interface CompactionFilter {

  /** What becomes of a value. */
  enum Verdict {
    /** It stays as it is. */
    KEEP,
    /**
     * It goes, as if it had been deleted at its own time: nothing older comes back, at the key or,
     * for a subtree record, below it; what is newer stays.
     */
    DROP,
    /** What was given to {@link Entry#replaceValue} takes its place. */
    REPLACE
  }

  /**
   * Judges one value. Within a compaction keys come in ascending order, each at most once.
   *
   * @param entry borrowed for the call
   */
  Verdict filter(Entry entry);

  /**
   * A key and its value, as ranges of arrays. The object is reused from value to value; it and the
   * arrays are borrowed for the call and are not to be changed.
   */
  interface Entry {
    /** The array that holds the key. */
    byte[] keyArray();

    /** Where the key starts. */
    int keyOffset();

    /** The length of the key in bytes. */
    int keyLength();

    /** The hybrid time at which the value was written. */
    long hybridTime();

    /** The hybrid time from which on the value is gone; {@link Long#MAX_VALUE} if it stays. */
    long expiryTime();

    /** Whether the record replaces a subtree: it also hides what is older below its key. */
    boolean isSubtree();

    /** The array that holds the value. */
    byte[] valueArray();

    /** Where the value starts. */
    int valueOffset();

    /** The length of the value in bytes. */
    int valueLength();

    /**
     * Says what is to take the value's place; key, time, expiry and what the record hides stay.
     * Counts only if the verdict is {@link Verdict#REPLACE}.
     *
     * @param array borrowed until the next value is judged
     * @param length at most 2^30 bytes
     * @throws IndexOutOfBoundsException if the range does not lie within the array
     * @throws IllegalArgumentException if it is too long
     */
    void replaceValue(byte[] array, int offset, int length);
  }

  /**
   * What a filter is made for.
   *
   * @param tree name of the tree
   * @param level the level that the compaction writes to, 1 to 6
   * @param cutoff values written after this hybrid time are not asked about
   */
  record Context(String tree, int level, long cutoff) {
    /** Checks that the tree has a name. */
    public Context {
      Objects.requireNonNull(tree, "tree");
    }
  }

  /** Makes filters. Safe for concurrent use. */
  @FunctionalInterface
  interface Factory {
    /** A filter for one compaction; {@code null} to have it write everything as it is. */
    @Nullable CompactionFilter create(Context context);
  }
}
