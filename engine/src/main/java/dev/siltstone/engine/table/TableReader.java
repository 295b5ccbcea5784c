package dev.siltstone.engine.table;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.cache.CacheEntry;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.iter.PointSource;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One open table file. Properties and top index stay in memory as long as the reader is open;
 * filters, index blocks and data blocks go through the cache, and of the first two the reader keeps
 * the cache's entries, so that it does not look them up; range deletes are read once, when first
 * asked for.
 *
 * <p>All methods throw {@link CorruptFileException} for damage, with the offset of the block, and
 * {@link dev.siltstone.base.io.UnsupportedFileException} for what this version cannot read; nothing
 * else comes of what the bytes say. Safe for concurrent use.
 */
public final class TableReader implements PointSource, Closeable {
  /** What is kept of a partition beside the top index: references, and entries that are empty. */
  private static final long PARTITION_BYTES = 128;

  private final BlockSource source;
  private final BlockCache cache;
  private final TableSections sections;
  private final TableProperties properties;

  /** {@link Block#NONE} in a file of range deletes only. */
  private final Block topIndex;

  /**
   * By partition: where the cache holds the filter and the index block, as far as that is known.
   * Written by any reader without order: an old entry is empty, and a lost one is looked up again.
   */
  private final @Nullable CacheEntry[] filters;

  private final @Nullable CacheEntry[] indexes;

  private volatile @Nullable RangeTombstones tombstones;
  private final long pinned;
  private final AtomicBoolean closed = new AtomicBoolean();

  private TableReader(BlockSource source, BlockCache cache, TableSections sections, boolean undated)
      throws IOException {
    this.source = source;
    this.cache = cache;
    this.sections = sections;
    this.properties = sections.properties();
    source.obey(properties.layout());
    if (!undated && source.timeBase() != 0) {
      throw source.corrupt(-1, "a time for all records of a file that has one for each");
    }
    this.topIndex = sections.topIndex();
    if ((properties.entries() == 0) != (topIndex.count() == 0)) {
      throw source.corrupt(
          -1, properties.entries() + " records and " + topIndex.count() + " partitions");
    }
    this.filters = new @Nullable CacheEntry[topIndex.count()];
    this.indexes = new @Nullable CacheEntry[topIndex.count()];
    this.pinned = topIndex.charge() + PARTITION_BYTES * topIndex.count();
    cache.pin(pinned);
  }

  /** As the other one, for a file whose length is not known. */
  public static TableReader open(
      FileSystem fileSystem,
      Path path,
      long fileNumber,
      long storeId,
      BlockCache cache,
      Compressors compressors)
      throws IOException {
    return open(fileSystem, path, fileNumber, -1, storeId, cache, compressors);
  }

  /**
   * Opens a file and checks that it is the one meant.
   *
   * @param fileBytes its length; -1 if that is not known
   * @throws java.nio.file.NoSuchFileException if there is no such file
   * @throws CorruptFileException if it is damaged, cut, or another file
   * @throws dev.siltstone.base.io.UnsupportedFileException if its version or a mandatory section is
   *     not known here
   */
  public static TableReader open(
      FileSystem fileSystem,
      Path path,
      long fileNumber,
      long fileBytes,
      long storeId,
      BlockCache cache,
      Compressors compressors)
      throws IOException {
    ReadableFile file = fileSystem.open(path);
    try {
      TableFooter footer = TableFooter.read(file, path);
      footer.require(path, storeId, fileNumber);
      if (fileBytes >= 0 && fileBytes != file.size()) {
        throw new CorruptFileException(
            path, -1, fileBytes + " bytes expected, " + file.size() + " found");
      }
      BlockSource source =
          new BlockSource(
              file, path, TableFormat.identity(storeId, fileNumber), cache, compressors);
      TableSections sections = TableSections.read(source, footer, file.size());
      return new TableReader(source, cache, sections, footer.undated());
    } catch (IOException | RuntimeException e) {
      try {
        file.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /** The file. */
  public Path path() {
    return source.path();
  }

  /** What the file says of itself. */
  public TableProperties properties() {
    return properties;
  }

  @Override
  public boolean find(
      byte[] key, int offset, int length, long hash, long atTime, int flags, PointResult result)
      throws IOException {
    Block top = topIndex;
    if (top.count() == 0 || ((flags & KeyKind.SUBTREE) != 0 && properties.subtrees() == 0)) {
      return false;
    }
    long target = Trailer.seekAt(atTime);
    int partition = top.lowerBound(key, offset, length, target);
    if (partition == top.count() || !mayContain(partition, hash)) {
      return false;
    }
    Block index = index(partition);
    int ordinal = ordinal(index, partition, key, offset, length, target);
    Block block = data(index, ordinal);
    int at = block.lowerBound(key, offset, length, target);
    // A separator between two keys lies behind the last record of its block: then the key is not
    // there. Where versions of a key go on in the next block, the separator is the last record.
    while (at < block.count() && block.keyEquals(at, key, offset, length)) {
      long trailer = block.trailer(at);
      if ((Trailer.kind(trailer) & flags) == flags) {
        int valueAt = block.valueAt(at);
        result.set(trailer, block.data(), valueAt, block.entry(at + 1) - valueAt);
        return true;
      }
      at++;
      if (at == block.count()) {
        if (++ordinal == index.count()) {
          if (++partition == top.count()) {
            return false;
          }
          index = index(partition);
          ordinal = 0;
        }
        block = data(index, ordinal);
        at = 0;
      }
    }
    return false;
  }

  /** Lookups of ascending keys. */
  public AscendingLookups lookups() {
    return new AscendingLookups(this);
  }

  /** Which data block of a partition (key, trailer) would be in. */
  int ordinal(Block index, int partition, byte[] key, int offset, int length, long trailer)
      throws CorruptFileException {
    int ordinal = index.lowerBound(key, offset, length, trailer);
    if (ordinal == index.count()) {
      throw source.corrupt(-1, "index block " + partition + " ends before the top index says");
    }
    return ordinal;
  }

  /** Whether a partition may hold a key of that hash. */
  boolean mayContain(int partition, long hash) throws IOException {
    CacheEntry kept = filters[partition];
    if (kept != null && kept.value() instanceof Filter filter) {
      return filter.mayContain(hash);
    }
    return loadFilter(partition, hash);
  }

  private boolean loadFilter(int partition, long hash) throws IOException {
    byte[] data = topIndex.data();
    int at = BlockSource.handleEnd(data, topIndex.valueAt(partition));
    long offset = BlockSource.handleOffset(data, at);
    int stored = BlockSource.handleStored(data, at, offset);
    if (stored == 0) {
      return true;
    }
    Filter filter = source.filter(offset, stored);
    filters[partition] = source.cacheEntry(offset);
    return filter.mayContain(hash);
  }

  /** The index block of a partition. */
  Block index(int partition) throws IOException {
    CacheEntry kept = indexes[partition];
    if (kept != null && kept.value() instanceof Block block) {
      return block;
    }
    return loadIndex(partition);
  }

  private Block loadIndex(int partition) throws IOException {
    byte[] data = topIndex.data();
    int at = topIndex.valueAt(partition);
    long offset = BlockSource.handleOffset(data, at);
    int stored = BlockSource.handleStored(data, at, offset);
    Block block = source.block(TableFormat.INDEX, offset, stored, true);
    indexes[partition] = source.cacheEntry(offset);
    return block;
  }

  /** A data block of a partition. */
  Block data(Block index, int ordinal) throws IOException {
    byte[] data = index.data();
    int at = index.valueAt(ordinal);
    long offset = BlockSource.handleOffset(data, at);
    int stored = BlockSource.handleStored(data, at, offset);
    return source.block(TableFormat.DATA, offset, stored, true);
  }

  @Override
  public RangeTombstones rangeTombstones() throws IOException {
    RangeTombstones known = tombstones;
    if (known == null) {
      known = sections.rangeTombstones();
      tombstones = known;
    }
    return known;
  }

  /** The range deletes if they were read already, else {@code null}; does not touch the file. */
  public @Nullable RangeTombstones knownRangeTombstones() {
    return tombstones;
  }

  /** The top index; {@link Block#NONE} in a file of range deletes only. */
  Block topIndex() {
    return topIndex;
  }

  /**
   * An iterator over all point records, reading block by block.
   *
   * @param fillCache whether data blocks that are read stay in the cache
   */
  public InternalIterator iterator(boolean fillCache) {
    return new TableIterator(this, SpanReader.single(source, fillCache));
  }

  /**
   * An iterator over all point records for whoever reads many of them once, such as a compaction:
   * it reads large pieces of the file, in either direction, and passes by the cache. It offers the
   * blocks that it enters ({@link InternalIterator#block}).
   *
   * @param readAheadBytes how much to read at once, at least 1; 256 KiB or more is well
   */
  public InternalIterator scan(int readAheadBytes) {
    return new TableIterator(this, SpanReader.spans(source, readAheadBytes));
  }

  /** About how many bytes of the file hold the records of a range; {@code null} is no bound. */
  public long approximateBytes(byte @Nullable [] lower, byte @Nullable [] upper)
      throws IOException {
    long from = lower == null ? 0 : offsetOf(lower);
    long to = upper == null ? source.blocksEnd() : offsetOf(upper);
    return Math.max(0, to - from);
  }

  /** Where the data block starts that a key would be in. */
  private long offsetOf(byte[] key) throws IOException {
    Block top = topIndex;
    int partition = top.count() == 0 ? 0 : top.lowerBound(key, 0, key.length, Trailer.NEWEST);
    if (partition == top.count()) {
      return source.blocksEnd();
    }
    Block index = index(partition);
    int ordinal = Math.min(index.lowerBound(key, 0, key.length, Trailer.NEWEST), index.count() - 1);
    return BlockSource.handleOffset(index.data(), index.valueAt(ordinal));
  }

  /** Closes the file. Lookups and iterators that are under way fail. Idempotent. */
  @Override
  public void close() throws IOException {
    if (closed.compareAndSet(false, true)) {
      cache.unpin(pinned);
    }
    source.close();
  }

  @Override
  public String toString() {
    return source.path() + ": " + properties;
  }
}
