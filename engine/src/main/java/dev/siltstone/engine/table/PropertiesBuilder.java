package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Counts what goes into a table file. One thread at a time; allocates nothing per record. */
final class PropertiesBuilder {
  private byte @Nullable [] lower;
  private byte @Nullable [] upper;
  private long minTime = Long.MAX_VALUE;
  private long maxTime;
  private long entries;
  private long deletes;
  private long rangeDeletes;
  private long subtrees;
  private long obsolete;
  private long expiring;
  private long maxExpiry;
  private long rawBytes;
  private long[] blobs = new long[4];
  private int blobCount;

  private long dataBlocks;
  private long dataBytes;
  private long dataRawBytes;
  private long dataRawBytesMax;
  private long partitions;
  private long indexBytes;
  private long filterBytes;

  long entries() {
    return entries;
  }

  boolean isEmpty() {
    return entries == 0 && lower == null;
  }

  /** Counts a record. Value bytes are read only if its kind says that it expires. */
  void record(
      long trailer,
      boolean isObsolete,
      int keyLength,
      byte[] value,
      int valueOffset,
      int valueLength) {
    entries++;
    rawBytes += (long) keyLength + valueLength;
    time(Trailer.time(trailer));
    obsolete += isObsolete ? 1 : 0;
    int kind = Trailer.kind(trailer);
    if (kind == KeyKind.PUT) {
      return;
    }
    deletes += KeyKind.base(kind) == KeyKind.DELETE ? 1 : 0;
    subtrees += KeyKind.isSubtree(kind) ? 1 : 0;
    if (KeyKind.expires(kind)) {
      if (valueLength < KeyKind.EXPIRY_BYTES) {
        throw new IllegalArgumentException("value of " + valueLength + " bytes with an expiry");
      }
      expiring++;
      maxExpiry = Math.max(maxExpiry, Fixed.getLong(value, valueOffset));
    }
  }

  /** Counts the records of a plain block. */
  void records(TableBlock block) {
    entries += block.count();
    rawBytes += block.rawBytes();
    time(block.minTime());
    time(block.maxTime());
  }

  private void time(long time) {
    minTime = Math.min(minTime, time);
    maxTime = Math.max(maxTime, time);
  }

  /** Counts the fragments of one range of range deletes; widens the bounds. */
  void rangeTombstone(byte[] from, byte[] to, long[] times) {
    rangeDeletes++;
    rawBytes += (long) from.length + to.length;
    for (long time : times) {
      time(time);
    }
    bounds(from, to);
  }

  /** Widens the bounds to those of the records. */
  void bounds(byte[] from, byte[] to) {
    lower = lower == null || Bytes.compare(from, lower) < 0 ? from : lower;
    upper = upper == null || Bytes.compare(to, upper) > 0 ? to : upper;
  }

  void blob(long number) {
    if (blobCount > 0 && blobs[blobCount - 1] == number) {
      return;
    }
    if (blobCount == blobs.length) {
      blobs = Arrays.copyOf(blobs, 2 * blobCount);
    }
    blobs[blobCount++] = number;
  }

  void dataBlock(int stored, int raw) {
    dataBlocks++;
    dataBytes += stored;
    dataRawBytes += raw;
    dataRawBytesMax = Math.max(dataRawBytesMax, raw);
  }

  void partition(int ofFilter, int ofIndex) {
    partitions++;
    filterBytes += ofFilter;
    indexBytes += ofIndex;
  }

  void topIndex(int bytes) {
    indexBytes += bytes;
  }

  /** Whether all times are 0, and no key was there twice. */
  boolean isUndated() {
    return maxTime == 0 && obsolete == 0;
  }

  /**
   * What a file says that was written with these options.
   *
   * @param timeBase added to all times that were noted
   */
  TableProperties build(long fileBytes, TableWriterOptions options, long timeBase) {
    return build(
        fileBytes, timeBase, options.level(), options.creationTime(), timeBase, options.tree());
  }

  /** What a file with these records must say, if it is right in what no record tells. */
  TableProperties recount(TableProperties said) {
    TableProperties.Layout layout = said.layout();
    return build(
        said.fileBytes(), 0, layout.level(), layout.creationTime(), layout.timeBase(), said.tree());
  }

  private TableProperties build(
      long fileBytes,
      long added,
      int level,
      long creationTime,
      long timeBase,
      @Nullable TableTree tree) {
    byte[] from = Objects.requireNonNull(lower, "no bounds");
    byte[] to = Objects.requireNonNull(upper, "no bounds");
    return new TableProperties(
        fileBytes,
        from,
        to,
        minTime + added,
        maxTime + added,
        entries,
        deletes,
        rangeDeletes,
        subtrees,
        obsolete,
        expiring,
        maxExpiry,
        rawBytes,
        sortedBlobs(),
        new TableProperties.Layout(
            dataBlocks,
            dataBytes,
            dataRawBytes,
            dataRawBytesMax,
            partitions,
            indexBytes,
            filterBytes,
            level,
            creationTime,
            timeBase),
        tree);
  }

  private long[] sortedBlobs() {
    long[] sorted = Arrays.copyOf(blobs, blobCount);
    Arrays.sort(sorted);
    int distinct = 0;
    for (int i = 0; i < sorted.length; i++) {
      if (i == 0 || sorted[i] != sorted[i - 1]) {
        sorted[distinct++] = sorted[i];
      }
    }
    return Arrays.copyOf(sorted, distinct);
  }
}
