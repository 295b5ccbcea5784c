package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.version.FileMeta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides where one output file ends and the next begins: when it has reached its size, or when it
 * would overlap too much of the level below its own, which would make its next compaction dear. All
 * versions of a key stay in one file.
 *
 * <p>A cut is a key: all smaller keys, and all parts of range deletes before it, belong to the file
 * that ends there. It may lie between two records, where a file of the level below ends, so that a
 * range delete over a long empty stretch is cut as well.
 */
final class OutputSplitter {
  private final long fileBytes;
  private final long overlapBytesMax;
  private final List<FileMeta> grandparents;

  /** First grandparent that ends after the last key. */
  private int next;

  private long overlapBytes;

  /** The key with which the present output reached its size; length -1 if it has not. */
  private byte[] fullKey = Bytes.EMPTY;

  private int fullLength = -1;

  /**
   * A splitter for one job.
   *
   * @param grandparents files of the level below the output level, in key order
   */
  OutputSplitter(long fileBytes, long overlapBytesMax, List<FileMeta> grandparents) {
    this.fileBytes = fileBytes;
    this.overlapBytesMax = overlapBytesMax;
    this.grandparents = grandparents;
  }

  /** Begins an output whose first key or range delete lies at this key. */
  void begin(byte[] key, int offset, int length) {
    while (next < grandparents.size()
        && endsAtOrBefore(grandparents.get(next), key, offset, length)) {
      next++;
    }
    overlapBytes = 0;
    fullLength = -1;
  }

  /**
   * Where the present output ends before this key; {@code null} if it goes on. To be asked again
   * after a cut, as there may be another one before the key. Keys come in ascending order, the same
   * key any number of times.
   */
  byte @Nullable [] cutBefore(byte[] key, int offset, int length) {
    while (next < grandparents.size()
        && endsAtOrBefore(grandparents.get(next), key, offset, length)) {
      FileMeta passed = grandparents.get(next);
      next++;
      overlapBytes += passed.bytes();
      if (overlapBytes >= overlapBytesMax) {
        return passed.upper();
      }
    }
    if (fullLength >= 0 && !Bytes.equal(key, offset, length, fullKey, 0, fullLength)) {
      return Bytes.copy(key, offset, length);
    }
    return null;
  }

  /** Whether a grandparent ends at or before a key, to which the present output would go on. */
  boolean endsBefore(byte[] key, int length) {
    return next < grandparents.size() && endsAtOrBefore(grandparents.get(next), key, 0, length);
  }

  /** Notes how long the output is after this key. */
  void added(byte[] key, int offset, int length, long outputBytes) {
    if (outputBytes >= fileBytes && fullLength < 0) {
      if (fullKey.length < length) {
        fullKey = new byte[Math.max(length, 2 * fullKey.length)];
      }
      System.arraycopy(key, offset, fullKey, 0, length);
      fullLength = length;
    }
  }

  private static boolean endsAtOrBefore(FileMeta file, byte[] key, int offset, int length) {
    byte[] upper = file.upper();
    return Bytes.compare(upper, 0, upper.length, key, offset, length) <= 0;
  }
}
