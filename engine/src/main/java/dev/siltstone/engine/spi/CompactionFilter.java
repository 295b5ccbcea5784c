package dev.siltstone.engine.spi;

/**
 * Looks at live values while files are rewritten, and may drop them or replace their bytes.
 *
 * <p>It is asked once for each value that every reader from now on may see as the newest of its
 * key: not for deletes, not for what is newer than the cutoff, not for what goes anyway, and not
 * for values in blob files. It is not asked about values that no compaction happens to meet, so it
 * can free space but not define what is visible.
 *
 * <p>One instance serves one compaction on one thread; a {@link Factory} makes them. An exception
 * fails the compaction, and nothing is changed.
 */
public interface CompactionFilter {

  /** What becomes of a value. */
  enum Verdict {
    /** It stays as it is. */
    KEEP,
    /** It goes, as if it had been deleted at its own time: nothing older comes back. */
    DROP,
    /** What was given to {@link Entry#replaceValue} takes its place, with the same key and time. */
    REPLACE
  }

  /** Judges one value. Keys come in ascending order. */
  Verdict filter(Entry entry);

  /**
   * A key and its value, as ranges of arrays that are borrowed for the call and are not to be
   * changed. Reused from value to value.
   */
  interface Entry {
    /** The array that holds the key. */
    byte[] keyArray();

    /** Where the key starts. */
    int keyOffset();

    /** The length of the key in bytes. */
    int keyLength();

    /** Time and kind, see {@link dev.siltstone.engine.key.Trailer}. */
    long trailer();

    /**
     * The array that holds the value. If the kind has the EXPIRES flag, the value starts with its
     * expiry: 8 bytes, little-endian hybrid time.
     */
    byte[] valueArray();

    /** Where the value starts. */
    int valueOffset();

    /** The length of the value in bytes. */
    int valueLength();

    /**
     * Says what is to take the value's place; the kind stays, so an expiring value must again start
     * with its expiry. The array is borrowed until the next value is judged. Counts only if the
     * verdict is {@link Verdict#REPLACE}.
     */
    void replaceValue(byte[] array, int offset, int length);
  }

  /** Makes filters. Safe for concurrent use. */
  @FunctionalInterface
  interface Factory {
    /**
     * A filter for one compaction.
     *
     * @param cutoff no reader stands before this hybrid time
     */
    CompactionFilter create(long cutoff);
  }
}
