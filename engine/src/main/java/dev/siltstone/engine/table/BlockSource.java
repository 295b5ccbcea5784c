package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.spi.Compressor;
import java.io.IOException;
import java.nio.file.Path;

/** Reads and checks blocks of one file, through the cache. Safe for concurrent use. */
final class BlockSource {
  private final Path path;
  private final ReadableFile file;
  private final long fileNumber;
  private final long fileBytes;
  private final long identity;
  private final BlockCache cache;
  private final Compressors compressors;

  BlockSource(
      Path path,
      ReadableFile file,
      long fileNumber,
      long identity,
      BlockCache cache,
      Compressors compressors) {
    this.path = path;
    this.file = file;
    this.fileNumber = fileNumber;
    this.fileBytes = file.size();
    this.identity = identity;
    this.cache = cache;
    this.compressors = compressors;
  }

  /** A raw block: its bytes, and {@link Block#SLACK_BYTES} more in the array. */
  record Raw(byte[] bytes, int length) {}

  long fileBytes() {
    return fileBytes;
  }

  void close() throws IOException {
    file.close();
  }

  /** A data or index block. */
  Block block(long offset, int storedLength, int type, boolean fillCache) throws IOException {
    Object cached = cache.get(fileNumber, offset);
    if (cached instanceof Block block) {
      return block;
    }
    Raw raw = read(offset, storedLength, type);
    Block block;
    try {
      block = new Block(raw.bytes, raw.length);
    } catch (IOException e) {
      throw corrupt(offset, String.valueOf(e.getMessage()));
    }
    if (fillCache) {
      cache.put(fileNumber, offset, block, block.bytes());
    }
    return block;
  }

  /** A filter. */
  FilterBlock filter(long offset, int storedLength) throws IOException {
    Object cached = cache.get(fileNumber, offset);
    if (cached instanceof FilterBlock filter) {
      return filter;
    }
    Raw raw = read(offset, storedLength, TableFormat.FILTER);
    FilterBlock filter;
    try {
      filter = new FilterBlock(raw.bytes, raw.length);
    } catch (IOException e) {
      throw corrupt(offset, String.valueOf(e.getMessage()));
    }
    cache.put(fileNumber, offset, filter, filter.bytes());
    return filter;
  }

  /** Reads a block past the cache, checks it, and decompresses it. */
  Raw read(long offset, int storedLength, int type) throws IOException {
    if (offset < 0
        || storedLength < TableFormat.BLOCK_TRAILER_BYTES
        || offset + storedLength > fileBytes) {
      throw corrupt(offset, "a block of " + storedLength + " bytes beyond the end of the file");
    }
    int length = storedLength - TableFormat.BLOCK_TRAILER_BYTES;
    byte[] stored = new byte[storedLength];
    if (file.read(offset, stored, 0, storedLength) != storedLength) {
      throw corrupt(offset, "the file ends within a block of " + storedLength + " bytes");
    }
    int expected = BlockChecksum.of(stored, length, identity, offset);
    int found = Fixed.getInt(stored, length + 8);
    if (expected != found) {
      throw corrupt(
          offset,
          "block checksum: expected "
              + Integer.toHexString(expected)
              + ", found "
              + Integer.toHexString(found));
    }
    if ((stored[length + 1] & 0xFF) != type) {
      throw corrupt(offset, "block of type " + stored[length + 1] + " instead of " + type);
    }
    return decompress(stored, length, offset);
  }

  private Raw decompress(byte[] stored, int length, long offset) throws IOException {
    int compression = stored[length] & 0xFF;
    int rawLength = Fixed.getInt(stored, length + 4);
    if (compression == 0) {
      if (rawLength != length) {
        throw corrupt(offset, "raw length " + rawLength + " of " + length + " stored bytes");
      }
      // The block's own trailer serves as the slack behind it.
      return new Raw(stored, length);
    }
    Compressor compressor = compressors.find(compression);
    if (compressor == null) {
      throw new UnsupportedFileException(
          path + " at offset " + offset + ": no compressor with id " + compression);
    }
    if (rawLength < 0 || rawLength > TableFormat.RAW_BYTES_MAX || rawLength / 255L > length) {
      throw corrupt(offset, length + " stored bytes claim to be " + rawLength);
    }
    byte[] raw = new byte[rawLength + Block.SLACK_BYTES];
    try {
      compressor.decompress(stored, 0, length, raw, 0, rawLength);
    } catch (IOException e) {
      throw corrupt(offset, "cannot be decompressed: " + e.getMessage());
    }
    return new Raw(raw, rawLength);
  }

  CorruptFileException corrupt(long offset, String what) {
    return new CorruptFileException(path, offset, what);
  }
}
