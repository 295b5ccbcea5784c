package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Varint;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.cache.CacheEntry;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.spi.Compressor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of one open table file: from the cache, or read, checked and decompressed. Safe for
 * concurrent use.
 *
 * <p>Every length is checked against the file, and a raw length against what the properties allow,
 * before anything of that length is allocated.
 */
final class BlockSource implements Closeable {
  private final ReadableFile file;
  private final Path path;

  /** What checksums are bound to, and the file's name in the cache, where stores may meet. */
  private final long identity;

  private final BlockCache cache;
  private final Compressors compressors;

  /** Blocks end before the footer. */
  private final long blocksEnd;

  /** Longest data block by the properties; set once, before the source is shared. */
  private int rawBytesMax = TableFormat.RAW_BYTES_MAX;

  /** Added to all times in the file; set once, before the source is shared. */
  private long timeBase;

  BlockSource(
      ReadableFile file, Path path, long identity, BlockCache cache, Compressors compressors) {
    this(file, path, identity, cache, compressors, file.size() - TableFormat.FOOTER_BYTES);
  }

  /**
   * As the other one, for a file that may have lost its footer.
   *
   * @param blocksEnd no block ends behind this offset
   */
  BlockSource(
      ReadableFile file,
      Path path,
      long identity,
      BlockCache cache,
      Compressors compressors,
      long blocksEnd) {
    this.file = file;
    this.path = path;
    this.identity = identity;
    this.cache = cache;
    this.compressors = compressors;
    this.blocksEnd = blocksEnd;
  }

  long timeBase() {
    return timeBase;
  }

  /** Takes from the properties what bounds and dates blocks; before the source is shared. */
  void obey(TableProperties.Layout layout) {
    rawBytesMax = (int) Math.min(layout.dataRawBytesMax(), TableFormat.RAW_BYTES_MAX);
    timeBase = layout.timeBase();
  }

  Path path() {
    return path;
  }

  long blocksEnd() {
    return blocksEnd;
  }

  /** A record block, from the cache or the file. */
  Block block(int type, long offset, int stored, boolean fillCache) throws IOException {
    Block cached = cached(type, offset);
    if (cached != null) {
      return cached;
    }
    Block block = load(type, offset, stored);
    if (fillCache) {
      cache(offset, block);
    }
    return block;
  }

  /** A record block if the cache has it. */
  @Nullable Block cached(int type, long offset) {
    return Block.cast(cache.get(identity, offset), type);
  }

  /** A record block from the file. */
  Block load(int type, long offset, int stored) throws IOException {
    return decode(type, read(offset, stored), 0, offset, stored);
  }

  /** Where the cache holds a block or filter; {@code null} if it does not. */
  @Nullable CacheEntry cacheEntry(long offset) {
    return cache.entry(identity, offset);
  }

  void cache(long offset, Block block) {
    cache.put(identity, offset, block, block.charge());
  }

  /** A filter, from the cache or the file. */
  Filter filter(long offset, int stored) throws IOException {
    if (cache.get(identity, offset) instanceof Filter cached) {
      return cached;
    }
    Filter filter = loadFilter(offset, stored);
    cache.put(identity, offset, filter, filter.charge());
    return filter;
  }

  /** A filter from the file. */
  Filter loadFilter(long offset, int stored) throws IOException {
    byte[] bytes = plain(TableFormat.FILTER, offset, stored);
    try {
      return new Filter(bytes, stored);
    } catch (BlockStructureException e) {
      throw corrupt(offset, e.what());
    }
  }

  /** The stored bytes of a block that is never compressed, followed by its trailer. */
  byte[] plain(int type, long offset, int stored) throws IOException {
    byte[] bytes = read(offset, stored);
    check(type, bytes, 0, offset, stored);
    int raw = Fixed.getInt(bytes, stored + TableFormat.TRAILER_RAW_BYTES);
    if (bytes[stored] != TableFormat.NOT_COMPRESSED || raw != stored) {
      throw corrupt(offset, "compression of a " + TableFormat.typeName(type) + " block");
    }
    return bytes;
  }

  /** Reads a block and its trailer, unchecked. */
  byte[] read(long offset, int stored) throws IOException {
    requireWithin(offset, stored);
    byte[] bytes = new byte[stored + TableFormat.TRAILER_BYTES];
    read(offset, bytes, bytes.length);
    return bytes;
  }

  /** Refuses a block that does not lie within the file. */
  void requireWithin(long offset, int stored) throws CorruptFileException {
    if (!within(offset, stored)) {
      throw corrupt(offset, "block of " + stored + " bytes at " + offset + " of " + blocksEnd);
    }
  }

  private boolean within(long offset, long stored) {
    return offset >= 0
        && stored >= 0
        && offset <= blocksEnd
        && stored <= blocksEnd - offset - TableFormat.TRAILER_BYTES
        && stored <= Integer.MAX_VALUE - TableFormat.TRAILER_BYTES - Long.BYTES;
  }

  /** Reads a range that lies within the file. */
  void read(long offset, byte[] target, int length) throws IOException {
    int read = file.read(offset, target, 0, length);
    if (read != length) {
      throw corrupt(offset, length + " bytes expected, " + read + " found");
    }
  }

  /**
   * Makes a record block from stored bytes that are followed by their trailer. If they are not
   * compressed, the block is a view of {@code source}.
   */
  Block decode(int type, byte[] source, int at, long offset, int stored) throws IOException {
    check(type, source, at, offset, stored);
    int compression = source[at + stored] & 0xFF;
    int raw = Fixed.getInt(source, at + stored + TableFormat.TRAILER_RAW_BYTES);
    // Separators have no times where no key is there twice.
    long trailerBase = type == TableFormat.DATA ? Trailer.of(timeBase, 0) : 0;
    try {
      Block block;
      if (compression == TableFormat.NOT_COMPRESSED) {
        if (raw != stored) {
          throw corrupt(offset, "raw length " + raw + " of " + stored + " bytes");
        }
        block = new Block(type, source, at, stored, trailerBase);
      } else {
        byte[] plain = decompress(compression, source, at, offset, stored, raw);
        block = new Block(type, plain, 0, raw, trailerBase);
      }
      if (type != TableFormat.DATA) {
        checkHandles(block, offset);
      }
      return block;
    } catch (BlockStructureException e) {
      throw corrupt(offset, e.what());
    }
  }

  /** Checks type and checksum. */
  private void check(int type, byte[] source, int at, long offset, int stored)
      throws CorruptFileException {
    int end = at + stored;
    int bare = Crc32c.of(source, at, stored + TableFormat.TRAILER_CRC);
    int expected = Crc32c.bind(bare, identity, offset);
    int found = Fixed.getInt(source, end + TableFormat.TRAILER_CRC);
    if (expected != found) {
      throw corrupt(
          offset,
          "checksum of a %s block: %08x expected, %08x found"
              .formatted(TableFormat.typeName(type), expected, found));
    }
    int foundType = source[end + TableFormat.TRAILER_TYPE];
    if (foundType != type) {
      throw corrupt(
          offset,
          "a "
              + TableFormat.typeName(type)
              + " block expected, "
              + TableFormat.typeName(foundType)
              + " found");
    }
  }

  private byte[] decompress(
      int compression, byte[] source, int at, long offset, int stored, int raw) throws IOException {
    Compressor compressor = compressors.find(compression);
    if (compressor == null) {
      throw new UnsupportedFileException(
          path + " at offset " + offset + ": a block of " + Compressors.howToAdd(compression));
    }
    if (raw < 0 || raw > rawBytesMax) {
      throw corrupt(offset, "raw length " + raw + " of at most " + rawBytesMax);
    }
    byte[] target = new byte[raw];
    try {
      compressor.decompress(source, at, stored, target, 0, raw);
      return target;
    } catch (LinkageError e) {
      throw new UnsupportedFileException(
          path + " at offset " + offset + ": compressor '" + compressor.name() + "': " + e, e);
    } catch (IOException | RuntimeException e) {
      CorruptFileException corrupt = corrupt(offset, String.valueOf(e.getMessage()));
      corrupt.initCause(e);
      throw corrupt;
    }
  }

  /** Checks that all handles of an index block lead to blocks within the file. */
  private void checkHandles(Block block, long offset)
      throws CorruptFileException, BlockStructureException {
    int handles = block.type() == TableFormat.TOP_INDEX ? 2 : 1;
    for (int i = 0; i < block.count(); i++) {
      int at = block.valueAt(i);
      BlockInput in = new BlockInput(block.data(), at, block.entry(i + 1) - at);
      for (int j = 0; j < handles; j++) {
        long blockOffset = in.number();
        long stored = in.number();
        if (!within(blockOffset, stored)) {
          throw corrupt(
              offset, "handle of " + stored + " bytes at " + blockOffset + " of " + blocksEnd);
        }
      }
      if (!in.atEnd()) {
        throw corrupt(offset, "index entry " + i + " has more than its handles");
      }
    }
  }

  /** Offset of the handle at {@code at} in an index block. */
  static long handleOffset(byte[] data, int at) {
    return Varint.getLong(data, at);
  }

  /** Stored length of the handle at {@code at}, whose offset is given. */
  static int handleStored(byte[] data, int at, long offset) {
    return Varint.getInt(data, at + Varint.length(offset));
  }

  /** Where the handle at {@code at} ends. */
  static int handleEnd(byte[] data, int at) {
    long offset = Varint.getLong(data, at);
    int next = at + Varint.length(offset);
    return next + Varint.length(Varint.getInt(data, next));
  }

  CorruptFileException corrupt(long offset, String what) {
    return new CorruptFileException(path, offset, what);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
