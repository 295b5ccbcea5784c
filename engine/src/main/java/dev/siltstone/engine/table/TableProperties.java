package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;

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
    Layout layout) {

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
      long creationTime) {}

  @Override
  public String toString() {
    return entries
        + " records and "
        + rangeDeletes
        + " range deletes of ["
        + Bytes.hex(lower)
        + ", "
        + Bytes.hex(upper)
        + ")";
  }
}
