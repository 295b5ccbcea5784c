package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a table file says of itself: all that a manifest knows of it, so that a manifest can be made
 * anew from the files alone, and how it is built. Immutable; the arrays are not to be changed.
 *
 * @param fileBytes length of the file
 * @param lower smallest key of a record or range delete, inclusive
 * @param upper exclusive bound of all keys and range deletes
 * @param minTime smallest hybrid time of a record or range delete
 * @param maxTime greatest hybrid time of a record or range delete
 * @param entries point records
 * @param deletes point records whose base is DELETE
 * @param rangeDeletes range-delete fragments
 * @param subtrees records with the SUBTREE flag
 * @param obsolete records that a newer record of the same key in the file shadows
 * @param expiring records with the EXPIRES flag
 * @param maxExpiry greatest expiry of those; 0 if there are none
 * @param rawBytes bytes of keys and values
 * @param blobs numbers of the blob files that records refer to, ascending
 * @param layout how the file is built
 * @param tree the tree that it belongs to; {@code null} if the file does not tell
 */
public record TableProperties(
    long fileBytes,
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
    long[] blobs,
    Layout layout,
    @Nullable TableTree tree) {

  /**
   * How a file is built.
   *
   * @param dataBlocks number of data blocks
   * @param dataBytes stored bytes of data blocks, trailers not counted
   * @param dataRawBytes bytes of data blocks before compression
   * @param dataRawBytesMax bytes of the largest data block before compression
   * @param partitions number of index blocks
   * @param indexBytes bytes of index blocks and the top index
   * @param filterBytes bytes of filter blocks
   * @param level that the file was written to
   * @param creationTime hybrid time at which the file was made
   * @param timeBase what is added to all times in the blocks: the time of a file whose records have
   *     none of their own, else 0
   */
  public record Layout(
      long dataBlocks,
      long dataBytes,
      long dataRawBytes,
      long dataRawBytesMax,
      long partitions,
      long indexBytes,
      long filterBytes,
      int level,
      long creationTime,
      long timeBase) {}

  private static final String[] NAMES = {
    "smallest time",
    "greatest time",
    "records",
    "deletes",
    "range deletes",
    "subtree records",
    "obsolete records",
    "expiring records",
    "greatest expiry",
    "raw bytes",
    "data blocks",
    "stored bytes of data blocks",
    "raw bytes of data blocks",
    "raw bytes of the longest data block",
    "partitions",
    "bytes of indexes",
    "bytes of filters"
  };

  private long[] numbers() {
    return new long[] {
      minTime,
      maxTime,
      entries,
      deletes,
      rangeDeletes,
      subtrees,
      obsolete,
      expiring,
      maxExpiry,
      rawBytes,
      layout.dataBlocks,
      layout.dataBytes,
      layout.dataRawBytes,
      layout.dataRawBytesMax,
      layout.partitions,
      layout.indexBytes,
      layout.filterBytes
    };
  }

  /** All that differs from what was counted in the file, for a message; {@code null} if nothing. */
  @Nullable String difference(TableProperties counted) {
    List<String> all = new ArrayList<>();
    if (!Arrays.equals(lower, counted.lower) || !Arrays.equals(upper, counted.upper)) {
      all.add("keys " + bounds() + ", " + counted.bounds() + " found");
    }
    long[] expected = numbers();
    long[] found = counted.numbers();
    for (int i = 0; i < NAMES.length; i++) {
      if (expected[i] != found[i]) {
        all.add(NAMES[i] + " " + expected[i] + ", " + found[i] + " found");
      }
    }
    if (!Arrays.equals(blobs, counted.blobs)) {
      all.add(blobs.length + " blob files, " + counted.blobs.length + " found or not the same");
    }
    return all.isEmpty() ? null : String.join("; ", all);
  }

  private String bounds() {
    return "[" + Bytes.hex(lower) + ", " + Bytes.hex(upper) + ")";
  }

  @Override
  public String toString() {
    return entries + " records and " + rangeDeletes + " range deletes of " + bounds();
  }
}
