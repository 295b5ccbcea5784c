package dev.siltstone.engine.read;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.table.TableCache;
import dev.siltstone.engine.table.TableReader;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The files of one level of a view as a point lookup wants them: bounds as numbers, and readers
 * without a search for them.
 *
 * <p>A bound's number is its head, eight bytes of the key. Only where it equals that of the key
 * asked for is the bound itself compared. A reader is kept from its first use on; if its file is
 * removed it fails, and the view has been replaced by then.
 *
 * <p>Safe for concurrent use.
 */
final class LevelFiles {
  private final FileMeta[] files;
  private final TableCache tables;

  /** Heads of lower and upper bounds with the sign bit turned, so that they compare as numbers. */
  private final long[] lowerHeads;

  private final long[] upperHeads;
  private final AtomicReferenceArray<@Nullable TableReader> readers;

  LevelFiles(List<FileMeta> level, TableCache tables) {
    this.files = level.toArray(new FileMeta[0]);
    this.tables = tables;
    this.lowerHeads = new long[files.length];
    this.upperHeads = new long[files.length];
    this.readers = new AtomicReferenceArray<>(files.length);
    for (int i = 0; i < files.length; i++) {
      lowerHeads[i] = head(files[i].lower(), 0, files[i].lower().length);
      upperHeads[i] = head(files[i].upper(), 0, files[i].upper().length);
    }
  }

  /** What bounds are compared with first: the head of a key. */
  static long head(byte[] key, int offset, int length) {
    return Bytes.head(key, offset, length) ^ Long.MIN_VALUE;
  }

  int count() {
    return files.length;
  }

  FileMeta file(int index) {
    return files[index];
  }

  /** Whether a file has range deletes. */
  boolean hasRangeDeletes(int index) {
    return files[index].rangeDeletes() > 0;
  }

  /** Whether a key lies within the bounds of a file. */
  boolean covers(int index, byte[] key, int length, long head) {
    return startsBy(index, key, length, head) && endsAfter(index, key, 0, length, head);
  }

  /** Whether the lower bound of a file is not after a key. */
  boolean startsBy(int index, byte[] key, int length, long head) {
    long bound = lowerHeads[index];
    if (bound != head) {
      return bound < head;
    }
    byte[] lower = files[index].lower();
    return Bytes.compare(lower, 0, lower.length, key, 0, length) <= 0;
  }

  private boolean endsAfter(int index, byte[] key, int offset, int length, long head) {
    long bound = upperHeads[index];
    if (bound != head) {
      return bound > head;
    }
    byte[] upper = files[index].upper();
    return Bytes.compare(upper, 0, upper.length, key, offset, length) > 0;
  }

  /**
   * Where files are disjoint: index of the first one whose upper bound lies after a key, or {@link
   * #count}.
   */
  int find(byte[] key, int offset, int length, long head) {
    int low = 0;
    int high = files.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (endsAfter(middle, key, offset, length, head)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** The open reader of a file. */
  TableReader reader(int index) throws IOException {
    TableReader reader = readers.getAcquire(index);
    if (reader == null) {
      FileMeta file = files[index];
      reader = tables.reader(file.number(), file.bytes());
      readers.setRelease(index, reader);
    }
    return reader;
  }
}
