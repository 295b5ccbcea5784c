package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.base.bytes.Varint;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;
import java.util.Arrays;

/**
 * Writes a table file front to back; {@link TableFormat} draws it.
 *
 * <ol>
 *   <li>Records come in strict internal order and go into data blocks.
 *   <li>When a data block is ended, its index entry waits for the next key, which makes the
 *       separator short.
 *   <li>When an index block is long enough, it and the filter of its keys are written: a partition.
 *   <li>{@link #finish} writes the rest. The caller syncs and closes the file.
 * </ol>
 *
 * <p>Nothing is allocated per record. One thread at a time.
 */
public final class TableWriter {
  private final TableWriterOptions options;
  private final BlockOutput output;
  private final BlockWriter data = new BlockWriter();
  private final BlockWriter index = new BlockWriter();
  private final BlockWriter topIndex = new BlockWriter();
  private final FilterBlock.Writer filter;
  private final PropertiesBuilder properties = new PropertiesBuilder();
  private final RangeTombstoneBlock.Writer tombstones = new RangeTombstoneBlock.Writer();
  private final byte[] handle = new byte[4 * Varint.LONG_BYTES_MAX];

  /** The block that was written last and is not in the index yet. */
  private boolean blockPending;

  private long pendingOffset;
  private int pendingStored;

  /** A partition whose top index entry waits for its last separator. */
  private byte[] lastKey = new byte[64];

  private int lastLength = -1;
  private long lastTrailer;

  /** The separator last put into the index. */
  private byte[] separator = Bytes.EMPTY;

  private long separatorTrailer;

  /**
   * A writer of a new file.
   *
   * @param fileNumber number of the file
   * @param storeId id of the store
   */
  public TableWriter(WritableFile file, long fileNumber, long storeId, TableWriterOptions options) {
    this.options = options;
    this.output = new BlockOutput(file, TableFormat.identity(storeId, fileNumber));
    this.filter = new FilterBlock.Writer(options.filterBitsPerKey());
    this.fileNumber = fileNumber;
    this.storeId = storeId;
  }

  private final long fileNumber;
  private final long storeId;

  /** Adds a record that comes after the one before in internal order; the bytes are copied. */
  public void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      long trailer,
      byte[] value,
      int valueOffset,
      int valueLength)
      throws IOException {
    boolean sameKey =
        lastLength == keyLength && Bytes.equal(key, keyOffset, keyLength, lastKey, 0, lastLength);
    assert inOrder(key, keyOffset, keyLength, trailer) : "records out of order";
    if (blockPending) {
      indexPending(key, keyOffset, keyLength, sameKey);
      if (index.estimatedBytes() >= options.partitionBytes()) {
        endPartition();
      }
    }
    data.add(key, keyOffset, keyLength, trailer, value, valueOffset, valueLength);
    if (options.filterBitsPerKey() > 0 && !sameKeyInPartition(sameKey)) {
      filter.add(Hash64.of(key, keyOffset, keyLength));
    }
    properties.add(trailer, keyLength, value, valueOffset, valueLength, sameKey);
    remember(key, keyOffset, keyLength, trailer);
    if (data.estimatedBytes() >= options.blockBytes()) {
      endDataBlock();
    }
  }

  /** Adds a fragment of the range deletes; fragments are disjoint and in key order. */
  public void addRangeTombstone(byte[] lower, byte[] upper, long[] times) {
    tombstones.add(lower, upper, times);
    properties.addRangeTombstone(lower, upper, times);
  }

  /** Notes that a record refers to a blob file. */
  public void noteBlob(long number) {
    properties.addBlob(number);
  }

  /** About how long the file would be if it ended now, in bytes. */
  public long estimatedBytes() {
    return output.position() + data.estimatedBytes() + index.estimatedBytes();
  }

  /** Records added. */
  public long entries() {
    return properties.entries();
  }

  /** Whether neither a record nor a range delete was added. */
  public boolean isEmpty() {
    return properties.isEmpty();
  }

  /**
   * Ends the file and hands it to the operating system.
   *
   * @throws IllegalStateException if nothing was added
   */
  public TableProperties finish() throws IOException {
    if (properties.isEmpty()) {
      throw new IllegalStateException("a table of nothing");
    }
    if (data.count() > 0) {
      endDataBlock();
    }
    if (blockPending) {
      setSeparator(Bytes.successor(Bytes.copy(lastKey, 0, lastLength)), Trailer.NEWEST);
      addIndexEntry();
    }
    if (index.count() > 0) {
      endPartition();
    }
    if (lastLength >= 0) {
      properties.lastKey(lastKey, lastLength);
    }
    SectionTable sections = new SectionTable();
    sections.add(TableFormat.TOP_INDEX, false, output.block(topIndex, TableFormat.TOP_INDEX));
    if (!tombstones.isEmpty()) {
      byte[] bytes = tombstones.finish();
      sections.add(
          TableFormat.RANGE_TOMBSTONES,
          false,
          output.block(bytes, bytes.length, TableFormat.RANGE_TOMBSTONES));
    }
    byte[] own = properties.build(0).encode();
    sections.add(
        TableFormat.PROPERTIES, false, output.block(own, own.length, TableFormat.PROPERTIES));
    byte[] table = sections.encode();
    BlockOutput.Stored stored = output.block(table, table.length, TableFormat.SECTIONS);
    output.footer(stored, storeId, fileNumber);
    return properties.build(output.position());
  }

  private boolean sameKeyInPartition(boolean sameKey) {
    return sameKey && filter.count() > 0;
  }

  private void endDataBlock() throws IOException {
    BlockOutput.Stored stored = output.dataBlock(data, options.compressor());
    pendingOffset = stored.offset();
    pendingStored = stored.length();
    blockPending = true;
  }

  private void indexPending(byte[] key, int offset, int length, boolean sameKey) {
    if (sameKey) {
      setSeparator(Bytes.copy(lastKey, 0, lastLength), lastTrailer);
    } else {
      int shared = Bytes.sharedPrefix(lastKey, 0, lastLength, key, offset, length);
      setSeparator(Bytes.copy(key, offset, shared + 1), Trailer.NEWEST);
    }
    addIndexEntry();
  }

  private void setSeparator(byte[] key, long trailer) {
    separator = key;
    separatorTrailer = trailer;
  }

  private void addIndexEntry() {
    int at = Varint.put(handle, 0, pendingOffset);
    at = Varint.put(handle, at, pendingStored);
    index.add(separator, 0, separator.length, separatorTrailer, handle, 0, at);
    blockPending = false;
  }

  private void endPartition() throws IOException {
    int at = 0;
    BlockOutput.Stored stored = output.block(index, TableFormat.INDEX);
    at = Varint.put(handle, at, stored.offset());
    at = Varint.put(handle, at, stored.length());
    if (filter.count() > 0) {
      byte[] bytes = filter.finish();
      BlockOutput.Stored filterStored = output.block(bytes, bytes.length, TableFormat.FILTER);
      at = Varint.put(handle, at, filterStored.offset());
      at = Varint.put(handle, at, filterStored.length());
    } else {
      at = Varint.put(handle, at, 0L);
      at = Varint.put(handle, at, 0);
    }
    topIndex.add(separator, 0, separator.length, separatorTrailer, handle, 0, at);
  }

  private void remember(byte[] key, int offset, int length, long trailer) {
    if (lastLength < 0) {
      properties.firstKey(key, offset, length);
    }
    if (lastKey.length < length) {
      lastKey = Arrays.copyOf(lastKey, Math.max(length, 2 * lastKey.length));
    }
    System.arraycopy(key, offset, lastKey, 0, length);
    lastLength = length;
    lastTrailer = trailer;
  }

  private boolean inOrder(byte[] key, int offset, int length, long trailer) {
    if (lastLength < 0) {
      return true;
    }
    int order = Bytes.compare(lastKey, 0, lastLength, key, offset, length);
    return order < 0 || (order == 0 && Long.compareUnsigned(lastTrailer, trailer) > 0);
  }

  /** Adds up what the records say. */
  private static final class PropertiesBuilder {
    private byte[] lower = Bytes.EMPTY;
    private byte[] upper = Bytes.EMPTY;
    private boolean bounded;
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
    private long[] blobs = new long[0];

    long entries() {
      return entries;
    }

    boolean isEmpty() {
      return entries == 0 && rangeDeletes == 0;
    }

    void add(long trailer, int keyLength, byte[] value, int offset, int length, boolean sameKey) {
      int kind = Trailer.kind(trailer);
      addTime(Trailer.time(trailer));
      entries++;
      rawBytes += keyLength + length;
      if (sameKey) {
        obsolete++;
      }
      if (!KeyKind.isPut(kind)) {
        deletes++;
      }
      if (KeyKind.isSubtree(kind)) {
        subtrees++;
      }
      if (KeyKind.expires(kind)) {
        expiring++;
        maxExpiry = Math.max(maxExpiry, Fixed.getLong(value, offset));
      }
    }

    void addRangeTombstone(byte[] from, byte[] to, long[] times) {
      rangeDeletes++;
      rawBytes += from.length + to.length;
      for (long time : times) {
        addTime(time);
      }
      bound(from, to);
    }

    void addBlob(long number) {
      blobs = Arrays.copyOf(blobs, blobs.length + 1);
      blobs[blobs.length - 1] = number;
    }

    void firstKey(byte[] key, int offset, int length) {
      byte[] first = Bytes.copy(key, offset, length);
      bound(first, first);
    }

    void lastKey(byte[] key, int length) {
      byte[] after = Bytes.successor(Bytes.copy(key, 0, length));
      bound(after, after);
    }

    TableProperties build(long fileBytes) {
      long[] sorted = blobs.clone();
      Arrays.sort(sorted);
      return new TableProperties(
          fileBytes,
          lower,
          upper,
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
          sorted);
    }

    private void addTime(long time) {
      minTime = Math.min(minTime, time);
      maxTime = Math.max(maxTime, time);
    }

    private void bound(byte[] from, byte[] to) {
      if (!bounded || Bytes.compare(from, lower) < 0) {
        lower = from;
      }
      if (!bounded || Bytes.compare(to, upper) > 0) {
        upper = to;
      }
      bounded = true;
    }
  }
}
