package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Varint;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.iter.PointSource;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.key.Trailer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads a table file. Footer, section table, top index, properties and range deletes are read and
 * checked when it is opened and stay in memory; filters, index blocks and data blocks come through
 * the cache.
 *
 * <p>Safe for concurrent use. Damage gives {@link CorruptFileException} with the offset of the
 * block.
 */
public final class TableReader implements PointSource, Closeable {
  /** The greatest kind byte; sorts before every record of its key and time. */
  private static final int KIND_MAX = 0x7F;

  private final BlockSource source;
  private final Block topIndex;
  private final FragmentedRangeTombstones tombstones;
  private final TableProperties properties;

  private TableReader(
      BlockSource source,
      Block topIndex,
      FragmentedRangeTombstones tombstones,
      TableProperties properties) {
    this.source = source;
    this.topIndex = topIndex;
    this.tombstones = tombstones;
    this.properties = properties;
  }

  /**
   * Opens a file.
   *
   * @param fileNumber the number it must have
   * @param fileBytes the length it must have
   * @param storeId the store it must belong to
   * @throws CorruptFileException if it is damaged or another file
   * @throws UnsupportedFileException if a newer version wrote it
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
      if (file.size() != fileBytes) {
        throw new CorruptFileException(
            path, -1, "length: expected " + fileBytes + ", found " + file.size());
      }
      long identity = TableFormat.identity(storeId, fileNumber);
      BlockSource source = new BlockSource(path, file, fileNumber, identity, cache, compressors);
      return open(path, file, source, fileNumber, storeId);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private static TableReader open(
      Path path, ReadableFile file, BlockSource source, long fileNumber, long storeId)
      throws IOException {
    long footerAt = file.size() - TableFormat.FOOTER_BYTES;
    byte[] footer = new byte[TableFormat.FOOTER_BYTES];
    if (footerAt < 0 || file.read(footerAt, footer, 0, footer.length) != footer.length) {
      throw new CorruptFileException(path, -1, file.size() + " bytes hold no footer");
    }
    if (Fixed.getInt(footer, 60) != Crc32c.of(footer, 0, 60)
        || Fixed.getLong(footer, 0) != TableFormat.MAGIC) {
      throw new CorruptFileException(path, footerAt, "damaged footer, or no table file");
    }
    if (Fixed.getInt(footer, 8) != TableFormat.VERSION) {
      throw new UnsupportedFileException(
          path + ": table format version " + Fixed.getInt(footer, 8) + ", known: 1");
    }
    if (Fixed.getLong(footer, 24) != storeId || Fixed.getLong(footer, 32) != fileNumber) {
      throw new CorruptFileException(
          path, footerAt, "file " + Fixed.getLong(footer, 32) + " of another store, or renamed");
    }
    long at = Fixed.getLong(footer, 16);
    BlockSource.Raw sections = source.read(at, Fixed.getInt(footer, 12), TableFormat.SECTIONS);
    try {
      return openSections(path, source, sections, file.size());
    } catch (CorruptFileException | UnsupportedFileException e) {
      throw e;
    } catch (IOException | IndexOutOfBoundsException e) {
      throw new CorruptFileException(path, at, "sections: " + e.getMessage());
    }
  }

  private static TableReader openSections(
      Path path, BlockSource source, BlockSource.Raw sections, long fileBytes) throws IOException {
    SectionReader reader = new SectionReader(sections.bytes(), 0, sections.length());
    Block topIndex = null;
    FragmentedRangeTombstones tombstones = new FragmentedRangeTombstones.Builder().build();
    TableProperties properties = null;
    int count = reader.count();
    for (int i = 0; i < count; i++) {
      long id = reader.number();
      boolean mayIgnore = reader.number() == 1;
      long offset = reader.number();
      int length = (int) Math.min(Integer.MAX_VALUE, reader.number());
      switch ((int) Math.min(id, Integer.MAX_VALUE)) {
        case TableFormat.TOP_INDEX -> {
          BlockSource.Raw raw = source.read(offset, length, TableFormat.TOP_INDEX);
          topIndex = new Block(raw.bytes(), raw.length());
        }
        case TableFormat.RANGE_TOMBSTONES -> {
          BlockSource.Raw raw = source.read(offset, length, TableFormat.RANGE_TOMBSTONES);
          tombstones = RangeTombstoneBlock.decode(raw.bytes(), raw.length());
        }
        case TableFormat.PROPERTIES -> {
          BlockSource.Raw raw = source.read(offset, length, TableFormat.PROPERTIES);
          properties = TableProperties.decode(raw.bytes(), raw.length(), fileBytes);
        }
        default -> {
          if (!mayIgnore) {
            throw new UnsupportedFileException(path + ": section " + id + " is not known");
          }
        }
      }
    }
    if (topIndex == null || properties == null) {
      throw new IOException("index or properties missing");
    }
    return new TableReader(source, topIndex, tombstones, properties);
  }

  @Override
  public boolean find(
      byte[] key, int offset, int length, long hash, long atTime, int flags, PointResult result)
      throws IOException {
    long target = Trailer.of(Math.min(atTime, HybridTime.MAX), KIND_MAX);
    while (true) {
      int partition = topIndex.rank(key, offset, length, target);
      if (partition == topIndex.count() || !mayContain(partition, hash)) {
        return false;
      }
      Block index = indexBlock(partition, true);
      int entry = index.rank(key, offset, length, target);
      if (entry == index.count()) {
        return false;
      }
      Block data = dataBlock(index, entry, true);
      int at = data.rank(key, offset, length, target);
      if (at == data.count() || !data.keyEquals(at, key, offset, length)) {
        return false;
      }
      long trailer = data.trailer(at);
      if ((Trailer.kind(trailer) & flags) == flags) {
        int value = data.valueOffset(at);
        result.set(trailer, data.data(), value, data.valueEnd(at) - value);
        return true;
      }
      // The next older record of the key.
      target = (trailer & ~0xFFL) - 1;
    }
  }

  @Override
  public RangeTombstones rangeTombstones() {
    return tombstones;
  }

  /**
   * A new iterator over the point records.
   *
   * @param fillCache whether data blocks that are read stay in the cache
   */
  public InternalIterator iterator(boolean fillCache) {
    return new TableIterator(this, fillCache);
  }

  /** What the file says of itself. */
  public TableProperties properties() {
    return properties;
  }

  /**
   * Bytes of the file that a key range takes, within a block at each end.
   *
   * @param lower inclusive; {@code null} for no bound
   * @param upper exclusive; {@code null} for no bound
   */
  public long approximateBytes(byte @Nullable [] lower, byte @Nullable [] upper)
      throws IOException {
    long from = lower == null ? 0 : offsetOf(lower);
    long to = upper == null ? source.fileBytes() : offsetOf(upper);
    return Math.max(0, to - from);
  }

  /** Reads and checks every block. */
  public void verify() throws IOException {
    for (int partition = 0; partition < topIndex.count(); partition++) {
      filter(partition);
      Block index = indexBlock(partition, false);
      for (int entry = 0; entry < index.count(); entry++) {
        dataBlock(index, entry, false);
      }
    }
  }

  @Override
  public void close() throws IOException {
    source.close();
  }

  int partitions() {
    return topIndex.count();
  }

  Block topIndex() {
    return topIndex;
  }

  Block indexBlock(int partition, boolean fillCache) throws IOException {
    byte[] handles = topIndex.data();
    int at = topIndex.valueOffset(partition);
    long offset = Varint.getLong(handles, at);
    int length = Varint.getInt(handles, at + Varint.length(offset));
    return source.block(offset, length, TableFormat.INDEX, fillCache);
  }

  Block dataBlock(Block index, int entry, boolean fillCache) throws IOException {
    byte[] handles = index.data();
    int at = index.valueOffset(entry);
    long offset = Varint.getLong(handles, at);
    int length = Varint.getInt(handles, at + Varint.length(offset));
    return source.block(offset, length, TableFormat.DATA, fillCache);
  }

  private boolean mayContain(int partition, long hash) throws IOException {
    FilterBlock filter = filter(partition);
    return filter == null || filter.mayContain(hash);
  }

  private @Nullable FilterBlock filter(int partition) throws IOException {
    byte[] handles = topIndex.data();
    int at = topIndex.valueOffset(partition);
    at += Varint.length(Varint.getLong(handles, at));
    at += Varint.length(Varint.getInt(handles, at));
    long offset = Varint.getLong(handles, at);
    int length = Varint.getInt(handles, at + Varint.length(offset));
    return length == 0 ? null : source.filter(offset, length);
  }

  /** Where the block that would hold a key begins. */
  private long offsetOf(byte[] key) throws IOException {
    int partition = topIndex.rank(key, 0, key.length, Trailer.NEWEST);
    if (Bytes.compare(key, properties.lower()) <= 0) {
      return 0;
    }
    if (partition == topIndex.count()) {
      return source.fileBytes();
    }
    Block index = indexBlock(partition, true);
    int entry = Math.min(index.rank(key, 0, key.length, Trailer.NEWEST), index.count() - 1);
    return Varint.getLong(index.data(), index.valueOffset(entry));
  }
}
