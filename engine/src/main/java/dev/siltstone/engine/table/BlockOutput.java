package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.spi.Compressor;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The end of a table file under construction: seals blocks with their trailers and hands them to
 * the file in large pieces. One thread at a time.
 */
final class BlockOutput {
  private static final int BUFFER_BYTES = 256 << 10;

  /** Compression must save at least one part in so many. */
  private static final int SAVING_PART = 8;

  /** A buffer that grew beyond this for one large block is given back. */
  private static final int SCRATCH_BYTES_MAX = 1 << 20;

  private final WritableFile file;
  private final long identity;
  private byte[] buffer = new byte[BUFFER_BYTES];
  private int buffered;

  /** Where in the file the buffer goes. */
  private long flushed;

  /** Raw blocks before compression. */
  private byte[] scratch = new byte[0];

  private long blockOffset;
  private int blockStored;
  private int blockRaw;

  BlockOutput(WritableFile file, long identity) {
    this.file = file;
    this.identity = identity;
  }

  /** Bytes of the file so far, buffered ones included. */
  long position() {
    return flushed + buffered;
  }

  /** Where the last block starts. */
  long blockOffset() {
    return blockOffset;
  }

  /** Stored length of the last block, its trailer not counted. */
  int blockStored() {
    return blockStored;
  }

  /** Length of the last block before compression. */
  int blockRaw() {
    return blockRaw;
  }

  /** Lays out a block and writes it. */
  void write(int type, BlockWriter block, @Nullable Compressor compressor) throws IOException {
    int raw = block.rawBytes();
    if (compressor == null) {
      reserve(raw);
      block.finish(buffer, buffered);
      seal(type, TableFormat.NOT_COMPRESSED, raw, raw);
      return;
    }
    if (scratch.length < raw + Long.BYTES) {
      scratch = new byte[raw + Long.BYTES];
    }
    block.finish(scratch, 0);
    write(type, scratch, 0, raw, compressor);
    if (scratch.length > SCRATCH_BYTES_MAX) {
      scratch = new byte[0];
    }
  }

  /** Writes a block of another file: as it is stored there if that is how it would be stored. */
  void write(int type, TableBlock block, @Nullable Compressor compressor) throws IOException {
    int wanted = compressor == null ? TableFormat.NOT_COMPRESSED : compressor.id();
    if (block.compression() == wanted) {
      int stored = block.storedLength();
      reserve(stored);
      System.arraycopy(block.storedArray(), block.storedOffset(), buffer, buffered, stored);
      seal(type, wanted, stored, block.rawLength());
    } else {
      write(type, block.rawArray(), block.rawOffset(), block.rawLength(), compressor);
    }
  }

  private void write(int type, byte[] source, int offset, int raw, @Nullable Compressor compressor)
      throws IOException {
    if (compressor != null) {
      int stored = compress(compressor, source, offset, raw);
      if (stored <= raw - raw / SAVING_PART) {
        seal(type, compressor.id(), stored, raw);
        return;
      }
    } else {
      reserve(raw);
    }
    System.arraycopy(source, offset, buffer, buffered, raw);
    seal(type, TableFormat.NOT_COMPRESSED, raw, raw);
  }

  /** Compresses a block to the end of the buffer, where it has room as it is too. */
  private int compress(Compressor compressor, byte[] source, int offset, int raw)
      throws IOException {
    try {
      reserve(Math.max(raw, compressor.compressedBytesMax(raw)));
      return compressor.compress(source, offset, raw, buffer, buffered);
    } catch (RuntimeException | LinkageError e) {
      throw new UnsupportedFileException(
          "compressor '" + compressor.name() + "' failed to compress " + raw + " bytes: " + e, e);
    }
  }

  /** Writes a block of the given bytes. */
  void write(int type, byte[] bytes, int length) throws IOException {
    reserve(length);
    System.arraycopy(bytes, 0, buffer, buffered, length);
    seal(type, TableFormat.NOT_COMPRESSED, length, length);
  }

  /** Makes room for a block of at most so many stored bytes, the trailer, and some slack. */
  private void reserve(int bytes) throws IOException {
    int needed = bytes + TableFormat.TRAILER_BYTES + Long.BYTES;
    if (buffer.length - buffered < needed) {
      flush();
      if (buffer.length < needed) {
        buffer = new byte[needed];
      }
    }
  }

  /** Adds the trailer to the block that stands at the end of the buffer. */
  private void seal(int type, int compression, int stored, int raw) {
    int at = buffered + stored;
    buffer[at] = (byte) compression;
    buffer[at + TableFormat.TRAILER_TYPE] = (byte) type;
    Fixed.putInt(buffer, at + TableFormat.TRAILER_RAW_BYTES, raw);
    int crc = Crc32c.of(buffer, buffered, stored + TableFormat.TRAILER_CRC);
    blockOffset = position();
    blockStored = stored;
    blockRaw = raw;
    Fixed.putInt(buffer, at + TableFormat.TRAILER_CRC, Crc32c.bind(crc, identity, blockOffset));
    buffered = at + TableFormat.TRAILER_BYTES;
  }

  /** Writes the footer, which ends the file, and everything before it. */
  void finish(byte[] footer) throws IOException {
    int crc = Crc32c.of(footer, 0, TableFormat.FOOTER_CRC);
    Fixed.putInt(footer, TableFormat.FOOTER_CRC, Crc32c.bind(crc, identity, position()));
    reserve(footer.length);
    System.arraycopy(footer, 0, buffer, buffered, footer.length);
    buffered += footer.length;
    flush();
    buffer = new byte[0];
  }

  /** Hands everything so far to the file. */
  void flush() throws IOException {
    if (buffered > 0) {
      file.write(buffer, 0, buffered);
      flushed += buffered;
      buffered = 0;
    }
    if (buffer.length > BUFFER_BYTES) {
      buffer = new byte[BUFFER_BYTES];
    }
  }
}
