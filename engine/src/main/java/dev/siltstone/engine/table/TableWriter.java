package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.base.bytes.Varint;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.StoredBlock;
import java.io.IOException;
import java.util.Arrays;

/**
 * Writes one table file front to back; {@link TableFormat} draws it.
 *
 * <ol>
 *   <li>Records gather in a data block until it would exceed its length.
 *   <li>A block that is full is sealed and written. Its index entry waits for the next key, since
 *       the separator lies between the two.
 *   <li>An index block that is full ends a partition: the filter of its keys and the index block
 *       are written, and the top index gets an entry.
 *   <li>{@link #finish} ends the last block and partition and writes the sections and the footer.
 * </ol>
 *
 * <p>Nothing is allocated per record. The caller owns the file: it syncs and closes. After an
 * {@link IOException} the file is of no use. One thread at a time.
 */
public final class TableWriter {
  /** A filter block is one unit of the cache, so a partition also ends at so many keys. */
  private static final int PARTITION_KEYS_MAX = 100_000;

  /** A block is copied, or ended before one that is, if it has this part of the usual length. */
  private static final int BLOCK_PART_MIN = 4;

  /** A block is copied if it has so many times the usual length at most. */
  private static final int BLOCK_TIMES_MAX = 2;

  private static final int HANDLE_BYTES_MAX = Varint.LONG_BYTES_MAX + Varint.INT_BYTES_MAX;

  private final TableWriterOptions options;
  private final long fileNumber;
  private final long storeId;
  private final BlockOutput output;
  private final BlockWriter data = new BlockWriter();
  private final BlockWriter index = new BlockWriter();
  private final BlockWriter topIndex = new BlockWriter();
  private final FilterWriter filter;
  private final PropertiesBuilder properties = new PropertiesBuilder();
  private final FragmentedRangeTombstones.Builder tombstones =
      new FragmentedRangeTombstones.Builder();
  private boolean anyTombstone;
  private boolean ended;
  private boolean finished;

  private byte[] firstKey = Bytes.EMPTY;

  /** The last key added, if it is not in the data block any more. */
  private byte[] lastKey = new byte[64];

  private int lastKeyLength;
  private long lastTrailer;

  /** Records to come that the data block takes in whatever its length, and then ends. */
  private int together;

  /** Whether a data block was written whose index entry still waits. */
  private boolean indexEntryWaits;

  private long waitingOffset;
  private int waitingStored;

  private byte[] separator = new byte[64];
  private final byte[] handles = new byte[2 * HANDLE_BYTES_MAX];
  private byte[] sections = new byte[0];

  /**
   * A writer into an empty file.
   *
   * @param fileNumber and
   * @param storeId what the file's checksums are bound to
   */
  public TableWriter(WritableFile file, long fileNumber, long storeId, TableWriterOptions options) {
    this.options = options;
    this.fileNumber = fileNumber;
    this.storeId = storeId;
    this.output = new BlockOutput(file, TableFormat.identity(storeId, fileNumber));
    this.filter = new FilterWriter(options.filterBitsPerKey(), options.fuseFilters());
  }

  /**
   * Adds the next record in internal order. All bytes are copied.
   *
   * @throws IllegalArgumentException if the record is not after the last one, its key longer than
   *     {@link TableFormat#KEY_BYTES_MAX} or its value longer than {@link
   *     TableFormat#VALUE_BYTES_MAX}
   */
  public void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      long trailer,
      byte[] value,
      int valueOffset,
      int valueLength)
      throws IOException {
    checkLengths(keyLength, valueLength);
    int shared = sharedWithLast(key, keyOffset, keyLength);
    boolean first = properties.entries() == 0;
    boolean obsolete = !first && shared == keyLength && shared == lastKeyLength;
    if (!first && !inOrder(key, keyOffset, keyLength, shared, trailer)) {
      throw new IllegalArgumentException(
          "record " + Bytes.hex(key, keyOffset, keyLength) + " at " + trailer + " out of order");
    }
    if (together == 0
        && !data.isEmpty()
        && data.bytesWith(keyLength, valueLength) > options.blockBytes()) {
      endDataBlock();
    }
    if (indexEntryWaits) {
      addIndexEntry(separate(key, keyOffset, keyLength, shared), obsolete ? lastTrailer : 0);
      endPartitionIfFull();
    }
    properties.record(trailer, obsolete, keyLength, value, valueOffset, valueLength);
    filter.add(Hash64.of(key, keyOffset, keyLength));
    data.add(key, keyOffset, keyLength, shared, obsolete, trailer);
    data.addValue(value, valueOffset, valueLength);
    lastKeyLength = keyLength;
    lastTrailer = trailer;
    if (first) {
      firstKey = Bytes.copy(key, keyOffset, keyLength);
    }
    if (together > 0 && --together == 0) {
      endDataBlock();
    }
  }

  /**
   * Adds the next records in internal order as the block that they are in another file, which costs
   * a fraction of adding them one by one; whether it did. It does not if blocks would become too
   * short or too long by it, or if its first key is not greater than the last one.
   *
   * @param block a plain one
   */
  public boolean add(StoredBlock block) throws IOException {
    if (!(block instanceof TableBlock own) || !hasUsualLength(own)) {
      return false;
    }
    boolean first = properties.entries() == 0;
    byte[] key = own.firstKey();
    int shared = sharedWithLast(key, 0, key.length);
    if (!first && !isAfterLast(key, shared)) {
      // Of one key, in the block it would have to be marked as obsolete.
      return false;
    }
    if (!data.isEmpty()) {
      if (data.bytes() < options.blockBytes() / BLOCK_PART_MIN) {
        // Too few to stand alone, so they take these along, and what follows can be copied again.
        together = own.count();
        return false;
      }
      endDataBlock();
    }
    if (first) {
      firstKey = key;
    } else {
      addIndexEntry(separate(key, 0, key.length, shared), 0);
      endPartitionIfFull();
    }
    properties.records(own);
    if (options.filterBitsPerKey() > 0) {
      own.addKeys(filter);
    }
    output.write(TableFormat.DATA, own, options.compressor());
    setLastKey(own.lastKeyArray(), 0, own.lastKeyLength());
    lastTrailer = own.lastTrailer();
    dataBlockWritten();
    return true;
  }

  private boolean hasUsualLength(TableBlock block) {
    int raw = block.rawLength();
    return raw >= options.blockBytes() / BLOCK_PART_MIN
        && (raw <= BLOCK_TIMES_MAX * options.blockBytes() || block.count() == 1);
  }

  private static void checkLengths(int keyLength, int valueLength) {
    if (keyLength > TableFormat.KEY_BYTES_MAX || valueLength > TableFormat.VALUE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "key of " + keyLength + " bytes with a value of " + valueLength);
    }
  }

  private int sharedWithLast(byte[] key, int keyOffset, int keyLength) {
    return Bytes.sharedPrefix(
        lastKeyArray(), lastKeyOffset(), lastKeyLength, key, keyOffset, keyLength);
  }

  private byte[] lastKeyArray() {
    return data.isEmpty() ? lastKey : data.lastKeyArray();
  }

  private int lastKeyOffset() {
    return data.isEmpty() ? 0 : data.lastKeyOffset();
  }

  private boolean inOrder(byte[] key, int keyOffset, int keyLength, int shared, long trailer) {
    if (shared == lastKeyLength) {
      return shared < keyLength || Long.compareUnsigned(trailer, lastTrailer) < 0;
    }
    return shared < keyLength
        && (lastKeyArray()[lastKeyOffset() + shared] & 0xFF) < (key[keyOffset + shared] & 0xFF);
  }

  private boolean isAfterLast(byte[] key, int shared) {
    return shared < key.length
        && (shared == lastKeyLength
            || (lastKeyArray()[lastKeyOffset() + shared] & 0xFF) < (key[shared] & 0xFF));
  }

  /**
   * Adds range deletes, at any time before {@link #finish} and in any order; they are kept in
   * memory until then. The arrays are borrowed for good.
   *
   * @param times strictly descending, at least one
   */
  public void addRangeTombstone(byte[] lower, byte[] upper, long[] times) {
    if (Bytes.compare(lower, upper) >= 0 || times.length == 0) {
      throw new IllegalArgumentException(
          "range delete of [" + Bytes.hex(lower) + ", " + Bytes.hex(upper) + ")");
    }
    tombstones.add(lower, upper, times);
    anyTombstone = true;
  }

  /** Notes that a record added refers to a blob file. */
  public void noteBlob(long number) {
    properties.blob(number);
  }

  /** Point records so far. */
  public long entries() {
    return properties.entries();
  }

  /** Whether neither a record nor a range delete was added. */
  public boolean isEmpty() {
    return properties.entries() == 0 && !anyTombstone;
  }

  /** About how long the file would be if it were finished now, in bytes. */
  public long estimatedBytes() {
    return output.position()
        + data.bytes()
        + index.bytes()
        + topIndex.bytes()
        + filter.estimatedBytes()
        + TableFormat.FOOTER_BYTES;
  }

  /**
   * Ends the file.
   *
   * @return what the file says of itself
   * @throws IllegalStateException if nothing was added
   */
  public TableProperties finish() throws IOException {
    writeRest();
    return writeProperties(0, 0);
  }

  /**
   * Ends a file whose records and range deletes were all added with time 0, each key once, and
   * gives them their time. After {@link #endBlocks} this writes a few hundred bytes.
   *
   * @param time of all records; 0 in a file that is not part of a store yet
   * @return what the file says of itself
   */
  public TableProperties finishUndated(long time) throws IOException {
    writeRest();
    if (!properties.isUndated()) {
      throw new IllegalStateException("records with times of their own, or a key twice");
    }
    return writeProperties(TableFormat.FEATURE_UNDATED, time);
  }

  /**
   * Writes all that was added, so that only what the file says of itself is left for {@link
   * #finish} or {@link #finishUndated} to write. Nothing can be added any more.
   *
   * @return what the file will say of itself, but for its length and times
   * @throws IllegalStateException if nothing was added
   */
  public TableProperties endBlocks() throws IOException {
    writeRest();
    output.flush();
    return properties.build(0, options, 0);
  }

  private void writeRest() throws IOException {
    if (ended) {
      return;
    }
    if (isEmpty()) {
      throw new IllegalStateException("a table of nothing");
    }
    ended = true;
    if (!data.isEmpty()) {
      endDataBlock();
    }
    if (indexEntryWaits) {
      // No key follows. The last key itself keeps the prefix that all separators share.
      byte[] last = Arrays.copyOf(lastKey, lastKeyLength);
      separator = last;
      addIndexEntry(lastKeyLength, 0);
      endPartition();
      properties.bounds(firstKey, Bytes.successor(last));
    }
    if (!topIndex.isEmpty()) {
      output.write(TableFormat.TOP_INDEX, topIndex, null);
      properties.topIndex(output.blockStored());
      addSection(TableFormat.TOP_INDEX_SECTION, TableFormat.SECTION_VERSION, 0);
    }
    if (anyTombstone) {
      writeTombstones();
    }
  }

  private void writeTombstones() throws IOException {
    FragmentedRangeTombstones fragments = tombstones.build();
    fragments.forEach(HybridTime.MIN, properties::rangeTombstone);
    byte[] block = RangeTombstoneBlock.encode(fragments);
    output.write(TableFormat.RANGE_TOMBSTONES, block, block.length);
    addSection(TableFormat.RANGE_TOMBSTONES_SECTION, TableFormat.SECTION_VERSION, 0);
  }

  private TableProperties writeProperties(int features, long timeBase) throws IOException {
    if (finished) {
      throw new IllegalStateException("finished before");
    }
    finished = true;
    byte[] block = PropertiesBlock.encode(properties.build(0, options, timeBase));
    output.write(TableFormat.PROPERTIES, block, block.length);
    addSection(TableFormat.PROPERTIES_SECTION, TableFormat.SECTION_VERSION, 0);
    output.write(TableFormat.SECTIONS, sections, sections.length);
    long fileBytes = output.position() + TableFormat.FOOTER_BYTES;
    byte[] footer = new byte[TableFormat.FOOTER_BYTES];
    Fixed.putLong(footer, TableFormat.FOOTER_SECTIONS_OFFSET, output.blockOffset());
    Fixed.putInt(footer, TableFormat.FOOTER_SECTIONS_BYTES, output.blockStored());
    Fixed.putInt(footer, TableFormat.FOOTER_VERSION, TableFormat.VERSION);
    Fixed.putLong(footer, TableFormat.FOOTER_STORE_ID, storeId);
    Fixed.putLong(footer, TableFormat.FOOTER_FILE_NUMBER, fileNumber);
    Fixed.putLong(footer, TableFormat.FOOTER_FILE_BYTES, fileBytes);
    Fixed.putInt(footer, TableFormat.FOOTER_FEATURES, features);
    Fixed.putLong(footer, TableFormat.FOOTER_MAGIC, TableFormat.MAGIC);
    output.finish(footer);
    return properties.build(fileBytes, options, timeBase);
  }

  /** Adds the block last written to the section table. */
  private void addSection(int id, int version, int flags) {
    int at = sections.length;
    sections = Arrays.copyOf(sections, at + TableFormat.SECTION_BYTES);
    Fixed.putShort(sections, at, id);
    Fixed.putShort(sections, at + 2, version);
    Fixed.putInt(sections, at + 4, flags);
    Fixed.putLong(sections, at + 8, output.blockOffset());
    Fixed.putInt(sections, at + 16, output.blockStored());
  }

  /** Writes a section that this version does not know, for tests of what readers do with it. */
  void addForeignSection(int id, int version, int flags, byte[] bytes) throws IOException {
    output.write(id, bytes, bytes.length);
    addSection(id, version, flags);
  }

  private void endDataBlock() throws IOException {
    assert !indexEntryWaits : "a block without an index entry";
    setLastKey(data.lastKeyArray(), data.lastKeyOffset(), lastKeyLength);
    output.write(TableFormat.DATA, data, options.compressor());
    dataBlockWritten();
  }

  private void setLastKey(byte[] key, int offset, int length) {
    if (lastKey.length < length) {
      lastKey = new byte[Math.max(length, 2 * lastKey.length)];
    }
    System.arraycopy(key, offset, lastKey, 0, length);
    lastKeyLength = length;
  }

  private void dataBlockWritten() {
    waitingOffset = output.blockOffset();
    waitingStored = output.blockStored();
    properties.dataBlock(waitingStored, output.blockRaw());
    indexEntryWaits = true;
  }

  /**
   * Puts the shortest key that is at least the last key and less than the next one into {@link
   * #separator}; the last key itself if the next one is equal.
   *
   * @param shared number of leading bytes that both share
   * @return its length
   */
  private int separate(byte[] next, int nextOffset, int nextLength, int shared) {
    if (separator.length <= lastKeyLength || separator.length <= nextLength) {
      separator = new byte[2 * Math.max(lastKeyLength, nextLength) + 2];
    }
    // What both share and one byte of the next key, unless that is the next key.
    if (shared < lastKeyLength && shared + 1 < nextLength) {
      System.arraycopy(next, nextOffset, separator, 0, shared + 1);
      return shared + 1;
    }
    System.arraycopy(lastKey, 0, separator, 0, lastKeyLength);
    if (shared < lastKeyLength) {
      // The first byte may grow only while it stays below that of the next key, later ones freely.
      int limit = next[nextOffset + shared] & 0xFF;
      for (int i = shared; i < lastKeyLength - 1; i++) {
        int grown = (lastKey[i] & 0xFF) + 1;
        if (grown < limit) {
          separator[i] = (byte) grown;
          return i + 1;
        }
        limit = 0x100;
      }
    }
    return lastKeyLength;
  }

  private void addIndexEntry(int separatorLength, long trailer) {
    int length = putHandle(0, waitingOffset, waitingStored);
    addTo(index, separatorLength, trailer, length);
    indexEntryWaits = false;
  }

  private int putHandle(int at, long offset, int stored) {
    int next = Varint.put(handles, at, offset);
    return Varint.put(handles, next, stored);
  }

  private void addTo(BlockWriter block, int separatorLength, long trailer, int handlesLength) {
    int shared = 0;
    if (!block.isEmpty()) {
      shared =
          Bytes.sharedPrefix(
              block.lastKeyArray(),
              block.lastKeyOffset(),
              block.lastKeyLength(),
              separator,
              0,
              separatorLength);
    }
    block.add(separator, 0, separatorLength, shared, false, trailer);
    block.addValue(handles, 0, handlesLength);
  }

  private void endPartitionIfFull() throws IOException {
    if (index.bytes() >= options.partitionBytes() || filter.keys() >= PARTITION_KEYS_MAX) {
      endPartition();
    }
  }

  private void endPartition() throws IOException {
    byte[] filterBlock = filter.finish();
    long filterOffset = 0;
    if (filterBlock.length > 0) {
      output.write(TableFormat.FILTER, filterBlock, filterBlock.length);
      filterOffset = output.blockOffset();
    }
    // The last separator of the partition, which is gone once the block is finished.
    int length = index.lastKeyLength();
    System.arraycopy(index.lastKeyArray(), index.lastKeyOffset(), separator, 0, length);
    long trailer = index.lastTrailer();
    output.write(TableFormat.INDEX, index, null);
    int at = putHandle(0, output.blockOffset(), output.blockStored());
    int end = putHandle(at, filterOffset, filterBlock.length);
    addTo(topIndex, length, trailer, end);
    properties.partition(filterBlock.length, output.blockStored());
  }
}
