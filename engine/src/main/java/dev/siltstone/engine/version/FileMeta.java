package dev.siltstone.engine.version;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.table.TableProperties;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * What the manifest knows of one table file. Immutable; the arrays are owned by this record and are
 * not to be changed. Identity is the number.
 *
 * @param number file number, unique in the store and never used twice
 * @param bytes length of the file
 * @param lower smallest key of a record or range delete, inclusive
 * @param upper exclusive bound of all keys and range deletes: the successor of the largest key or
 *     the end of the last range delete, whichever is greater
 * @param minTime smallest hybrid time of a record or range delete
 * @param maxTime greatest hybrid time of a record or range delete
 * @param entries point records
 * @param deletes point records whose base is DELETE
 * @param rangeDeletes range-delete fragments
 * @param subtrees records with the SUBTREE flag
 * @param obsolete records that a newer record of the same key in the same file shadows
 * @param expiring records with the EXPIRES flag
 * @param maxExpiry greatest expiry of those; 0 if there are none
 * @param rawBytes bytes of keys and values before prefix sharing and compression
 * @param blobs numbers of the blob files that the records of this file refer to, ascending
 */
public record FileMeta(
    long number,
    long bytes,
    byte[] lower,
    byte[] upper,
    long minTime,
    long maxTime,
    long entries,
    long deletes,
    long rangeDeletes,
    long subtrees,
    long obsolete,
    long expiring,
    long maxExpiry,
    long rawBytes,
    long[] blobs) {

  /** The order of level 0. */
  public static final Comparator<FileMeta> NEWEST_FIRST =
      (a, b) -> a.isNewerThan(b) ? -1 : b.isNewerThan(a) ? 1 : 0;

  /** Checks what every file must satisfy. */
  public FileMeta {
    if (number <= 0 || bytes < 0 || minTime > maxTime || Bytes.compare(lower, upper) >= 0) {
      throw new IllegalArgumentException(
          "table "
              + number
              + ": "
              + bytes
              + " bytes, times "
              + minTime
              + ".."
              + maxTime
              + ", keys ["
              + Bytes.hex(lower)
              + ", "
              + Bytes.hex(upper)
              + ")");
    }
  }

  /** What a manifest keeps of a file that says this of itself. */
  public static FileMeta of(long number, TableProperties of) {
    return new FileMeta(
        number,
        of.fileBytes(),
        of.lower(),
        of.upper(),
        of.minTime(),
        of.maxTime(),
        of.entries(),
        of.deletes(),
        of.rangeDeletes(),
        of.subtrees(),
        of.obsolete(),
        of.expiring(),
        of.maxExpiry(),
        of.rawBytes(),
        of.blobs());
  }

  /**
   * What differs from what the file says of itself, for a message; {@code null} if nothing does.
   */
  public @Nullable String difference(TableProperties of) {
    FileMeta that = of(number, of);
    if (!Arrays.equals(lower, that.lower) || !Arrays.equals(upper, that.upper)) {
      return "keys of " + this + ", " + that + " found";
    }
    long[] expected = numbers();
    long[] found = that.numbers();
    int at = Arrays.mismatch(expected, found);
    if (at >= 0) {
      return NAMES[at] + " " + expected[at] + ", " + found[at] + " found";
    }
    return Arrays.equals(blobs, that.blobs) ? null : "other blob files than those found";
  }

  private static final String[] NAMES = {
    "length",
    "smallest time",
    "greatest time",
    "records",
    "deletes",
    "range deletes",
    "subtree records",
    "obsolete records",
    "expiring records",
    "greatest expiry",
    "raw bytes"
  };

  private long[] numbers() {
    return new long[] {
      bytes,
      minTime,
      maxTime,
      entries,
      deletes,
      rangeDeletes,
      subtrees,
      obsolete,
      expiring,
      maxExpiry,
      rawBytes
    };
  }

  /**
   * Whether this file comes before another one in level 0. What two files there hold of one key
   * never interleaves in time, so the greatest time of each tells; the number does not, since a
   * file that was ingested has had its number before it had its time.
   */
  public boolean isNewerThan(FileMeta other) {
    return maxTime == other.maxTime ? number > other.number : maxTime > other.maxTime;
  }

  /** Whether the file may hold something of [lower, upper). */
  public boolean overlaps(byte[] lower, byte[] upper) {
    return Bytes.compare(this.lower, upper) < 0 && Bytes.compare(lower, this.upper) < 0;
  }

  /** Whether the key lies within the bounds. */
  public boolean covers(byte[] key, int offset, int length) {
    return Bytes.compare(lower, 0, lower.length, key, offset, length) <= 0
        && Bytes.compare(key, offset, length, upper, 0, upper.length) < 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FileMeta that && number == that.number;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(number);
  }

  @Override
  public String toString() {
    return number + "[" + Bytes.hex(lower) + ", " + Bytes.hex(upper) + ")";
  }
}
