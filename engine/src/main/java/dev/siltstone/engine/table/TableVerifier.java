package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads a whole table front to back and compares what it says with what it holds. Goes on after a
 * fault as far as something leads on: past a data block by its index, past an index block by the
 * top index; what footer or section table do not name cannot be looked at. Used for one run.
 *
 * <ol>
 *   <li>Every block: checksum, structure, and that it begins where the one before ended, so that no
 *       byte of the file is passed over.
 *   <li>Every record: order, known kind, obsolete bit, that the filter holds its key.
 *   <li>Every separator: that it lies between its block and the next one.
 *   <li>The properties: that they count what was found.
 * </ol>
 *
 * <p>Takes the memory of a data block, an index block, a filter, the top index and the range
 * deletes; no cache is asked or filled.
 */
public final class TableVerifier {
  private final Watcher watcher;
  private final BlockSource source;
  private final TableSections sections;
  private final BlockCursor cursor = new BlockCursor();
  private final PropertiesBuilder counted = new PropertiesBuilder();
  private byte[] firstKey = Bytes.EMPTY;
  private byte[] lastKey = Bytes.EMPTY;
  private int lastKeyLength = -1;
  private long lastTrailer;

  /** Where the next block begins. */
  private long expectedOffset;

  private long read;

  /** Whether all was read, so that counts can be compared. */
  private boolean whole = true;

  /** Is told what is found. Called on the verifying thread. */
  public interface Watcher {
    /** A fault; the check goes on. */
    void fault(CorruptFileException fault);

    /**
     * A record refers to a blob file.
     *
     * @param offset of the data block that the record is in
     */
    void reference(BlobReference reference, long offset) throws IOException;

    /** So many more bytes were read. What this throws ends the check and reaches its caller. */
    void progress(long bytes) throws IOException;
  }

  private TableVerifier(Watcher watcher, BlockSource source, TableSections sections) {
    this.watcher = watcher;
    this.source = source;
    this.sections = sections;
  }

  /**
   * Checks a file.
   *
   * @param fileBytes its length; -1 if that is not known
   * @return what the file says of itself; {@code null} if that cannot be read
   * @throws java.nio.file.NoSuchFileException if there is no such file
   * @throws dev.siltstone.base.io.UnsupportedFileException if it cannot be understood here
   */
  public static @Nullable TableProperties verify(
      FileSystem fileSystem,
      Path path,
      TableIdentity identity,
      long fileBytes,
      Compressors compressors,
      Watcher watcher)
      throws IOException {
    try (ReadableFile file = fileSystem.open(path)) {
      TableFooter footer = TableFooter.read(file, path);
      footer.require(path, identity.storeId(), identity.fileNumber());
      if (fileBytes >= 0 && fileBytes != file.size()) {
        watcher.fault(
            new CorruptFileException(
                path, -1, fileBytes + " bytes expected, " + file.size() + " found"));
      }
      BlockSource source =
          new BlockSource(file, path, identity.bound(), new BlockCache(0), compressors);
      TableSections sections = TableSections.read(source, footer, file.size());
      return new TableVerifier(watcher, source, sections).run();
    } catch (CorruptFileException e) {
      watcher.fault(e);
      return null;
    }
  }

  private @Nullable TableProperties run() throws IOException {
    TableProperties properties = attempt(sections::properties);
    if (properties != null) {
      source.obey(properties.layout());
    }
    Block top = attempt(sections::topIndex);
    if (top != null) {
      checkPartitions(top);
      counted.topIndex(sections.stored(TableFormat.TOP_INDEX_SECTION));
    }
    RangeTombstones tombstones = attempt(sections::rangeTombstones);
    if (tombstones != null) {
      tombstones.forEach(HybridTime.MIN, counted::rangeTombstone);
    }
    if (top != null && whole) {
      report(() -> sections.checkNoGap(expectedOffset));
    }
    if (properties != null && whole) {
      compare(properties);
    }
    watcher.progress(source.blocksEnd() + TableFormat.FOOTER_BYTES - read);
    return properties;
  }

  /** Something that may find a fault. */
  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  /** Something that may find a fault in what it reads. */
  @FunctionalInterface
  private interface Source<T> {
    T read() throws IOException;
  }

  private void report(Step step) throws IOException {
    try {
      step.run();
    } catch (CorruptFileException e) {
      whole = false;
      watcher.fault(e);
    }
  }

  private <T> @Nullable T attempt(Source<T> what) throws IOException {
    try {
      return what.read();
    } catch (CorruptFileException e) {
      whole = false;
      watcher.fault(e);
      return null;
    }
  }

  private void compare(TableProperties properties) {
    if (counted.isEmpty()) {
      watcher.fault(source.corrupt(-1, "neither a record nor a range delete"));
      return;
    }
    if (lastKeyLength >= 0) {
      counted.bounds(firstKey, Bytes.successor(Bytes.copy(lastKey, 0, lastKeyLength)));
    }
    String difference = properties.difference(counted.recount(properties));
    if (difference != null) {
      watcher.fault(source.corrupt(-1, "by the properties " + difference));
    }
  }

  private void checkPartitions(Block top) throws IOException {
    for (int partition = 0; partition < top.count(); partition++) {
      byte[] handles = top.data();
      int at = top.valueAt(partition);
      long indexOffset = BlockSource.handleOffset(handles, at);
      int indexStored = BlockSource.handleStored(handles, at, indexOffset);
      Block index = attempt(() -> source.load(TableFormat.INDEX, indexOffset, indexStored));
      int filterAt = BlockSource.handleEnd(handles, at);
      long filterOffset = BlockSource.handleOffset(handles, filterAt);
      int filterStored = BlockSource.handleStored(handles, filterAt, filterOffset);
      Filter filter =
          filterStored == 0 ? null : attempt(() -> source.loadFilter(filterOffset, filterStored));
      if (index != null) {
        checkPartition(top, partition, index, filter);
      }
      if (filterStored > 0) {
        expectBlock(filterOffset, filterStored);
      }
      expectBlock(indexOffset, indexStored);
      counted.partition(filterStored, indexStored);
    }
  }

  private void checkPartition(Block top, int partition, Block index, @Nullable Filter filter)
      throws IOException {
    for (int ordinal = 0; ordinal < index.count(); ordinal++) {
      int handle = index.valueAt(ordinal);
      long offset = BlockSource.handleOffset(index.data(), handle);
      int stored = BlockSource.handleStored(index.data(), handle, offset);
      int number = ordinal;
      report(() -> checkBlock(top, partition, index, number, filter));
      expectBlock(offset, stored);
    }
    int last = index.count() - 1;
    if (!Arrays.equals(index.key(last), top.key(partition))
        || index.trailer(last) != top.trailer(partition)) {
      whole = false;
      watcher.fault(
          source.corrupt(
              -1, "the top index does not have the last separator of partition " + partition));
    }
  }

  /** Blocks lie one after the other without gaps. */
  private void expectBlock(long offset, int stored) throws IOException {
    if (whole) {
      // A section that a reader may ignore can lie between blocks.
      expectedOffset = sections.afterSections(expectedOffset);
    }
    if (whole && offset != expectedOffset) {
      whole = false;
      watcher.fault(
          source.corrupt(
              expectedOffset, "a block expected here, but the index has it at " + offset));
    }
    expectedOffset = offset + stored + TableFormat.TRAILER_BYTES;
    read += stored + TableFormat.TRAILER_BYTES;
    watcher.progress(stored + (long) TableFormat.TRAILER_BYTES);
  }

  private void checkBlock(
      Block top, int partition, Block index, int ordinal, @Nullable Filter filter)
      throws IOException {
    int handle = index.valueAt(ordinal);
    long offset = BlockSource.handleOffset(index.data(), handle);
    int stored = BlockSource.handleStored(index.data(), handle, offset);
    byte[] bytes = source.read(offset, stored);
    Block block = source.decode(TableFormat.DATA, bytes, 0, offset, stored);
    counted.dataBlock(stored, Fixed.getInt(bytes, stored + TableFormat.TRAILER_RAW_BYTES));
    cursor.reset(block);
    for (int i = 0; i < block.count(); i++) {
      cursor.moveTo(i);
      checkRecord(block, i, offset, filter);
      if (i == 0) {
        checkSeparators(top, partition, index, ordinal, offset);
      }
    }
    checkSeparators(top, partition, index, ordinal, offset);
  }

  private void checkRecord(Block block, int i, long offset, @Nullable Filter filter)
      throws IOException {
    byte[] key = cursor.keyArray();
    int length = cursor.keyLength();
    long trailer = cursor.trailer();
    int order = lastKeyLength < 0 ? -1 : Bytes.compare(lastKey, 0, lastKeyLength, key, 0, length);
    if (order > 0 || (order == 0 && Long.compareUnsigned(trailer, lastTrailer) >= 0)) {
      throw source.corrupt(offset, "record " + i + " is out of order");
    }
    // After a block that could not be read, nobody knows what stood before the first record.
    if (block.obsolete(i) != (order == 0) && (whole || i > 0)) {
      throw source.corrupt(offset, "record " + i + " has a wrong obsolete bit");
    }
    if (filter != null && !filter.mayContain(Hash64.of(key, 0, length))) {
      throw source.corrupt(offset, "record " + i + " is not in the filter");
    }
    checkValue(trailer, i, offset);
    counted.record(
        trailer,
        order == 0,
        length,
        cursor.valueArray(),
        cursor.valueOffset(),
        cursor.valueLength());
    remember(key, length, trailer);
  }

  private void checkValue(long trailer, int i, long offset) throws IOException {
    int kind = Trailer.kind(trailer);
    if (!KeyKind.isKnown(kind) || kind == KeyKind.RANGE_DELETE) {
      throw source.corrupt(offset, "record " + i + " is of kind " + kind);
    }
    int fixed = KeyKind.expires(kind) ? KeyKind.EXPIRY_BYTES : 0;
    int length = cursor.valueLength();
    if (length < fixed || (!KeyKind.isPut(kind) && length > 0)) {
      throw source.corrupt(
          offset, "record " + i + " of kind " + kind + " has a value of " + length + " bytes");
    }
    if (KeyKind.isSeparated(kind)) {
      int at = cursor.valueOffset() + fixed;
      if (length != fixed + BlobReference.BYTES
          || !BlobReference.isValid(cursor.valueArray(), at)) {
        throw source.corrupt(offset, "record " + i + " has an impossible blob reference");
      }
      BlobReference reference = BlobReference.read(cursor.valueArray(), at);
      counted.blob(reference.fileNumber());
      watcher.reference(reference, offset);
    }
  }

  private void remember(byte[] key, int length, long trailer) {
    if (lastKey.length < length) {
      lastKey = new byte[2 * length];
    }
    System.arraycopy(key, 0, lastKey, 0, length);
    if (lastKeyLength < 0) {
      firstKey = Bytes.copy(key, 0, length);
    }
    lastKeyLength = length;
    lastTrailer = trailer;
  }

  /** The last record must be found by both indexes where it is. */
  private void checkSeparators(Block top, int partition, Block index, int ordinal, long offset)
      throws CorruptFileException {
    if (index.lowerBound(lastKey, 0, lastKeyLength, lastTrailer) != ordinal) {
      throw source.corrupt(
          offset, "separator " + ordinal + " of partition " + partition + " does not fit");
    }
    if (top.lowerBound(lastKey, 0, lastKeyLength, lastTrailer) != partition) {
      throw source.corrupt(offset, "separator " + partition + " of the top index does not fit");
    }
  }
}
