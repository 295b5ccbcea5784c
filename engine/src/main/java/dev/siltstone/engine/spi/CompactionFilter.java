package dev.siltstone.engine.spi;

import dev.siltstone.base.bytes.Bytes;

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
    /** The bytes of the {@link Replacement} take its place, at the same key, time and kind. */
    REPLACE
  }

  /**
   * Judges one value. Keys come in ascending order. All arrays are borrowed for the call and are
   * not to be changed.
   *
   * @param trailer {@code time << 8 | kind}, see {@link dev.siltstone.engine.key.Trailer}
   * @param value if the kind has the EXPIRES flag, the value starts with its expiry: 8 bytes
   *     little-endian hybrid time; a replacement must do so too
   * @param replacement to be set if the verdict is REPLACE
   */
  Verdict filter(
      byte[] key,
      int keyOffset,
      int keyLength,
      long trailer,
      byte[] value,
      int valueOffset,
      int valueLength,
      Replacement replacement);

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

  /** A value that takes the place of another; reused from value to value. */
  final class Replacement {
    private byte[] array = Bytes.EMPTY;
    private int offset;
    private int length;

    /** Sets the bytes. They are borrowed until the next value is judged. */
    public void set(byte[] array, int offset, int length) {
      this.array = array;
      this.offset = offset;
      this.length = length;
    }

    /** The array that holds the value. */
    public byte[] array() {
      return array;
    }

    /** Where the value starts. */
    public int offset() {
      return offset;
    }

    /** The length of the value in bytes. */
    public int length() {
      return length;
    }
  }
}
