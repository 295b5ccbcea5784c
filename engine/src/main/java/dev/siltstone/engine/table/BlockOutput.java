package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.spi.Compressor;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Puts blocks into a file: compresses them, adds their trailers, gathers small writes. */
final class BlockOutput {
  private static final int BUFFER_BYTES = 256 << 10;

  /** A block is kept as it is if compression saves less than this part of it. */
  private static final int SAVING_PART = 8;

  private final WritableFile file;
  private final long identity;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private byte[] raw = new byte[20 << 10];
  private byte[] compressed = new byte[20 << 10];
  private final byte[] trailer = new byte[TableFormat.BLOCK_TRAILER_BYTES];
  private int buffered;
  private long position;

  BlockOutput(WritableFile file, long identity) {
    this.file = file;
    this.identity = identity;
  }

  /** Where a block is; the length includes its trailer. */
  record Stored(long offset, int length) {}

  /** Bytes written so far, those still buffered included. */
  long position() {
    return position;
  }

  Stored dataBlock(BlockWriter block, @Nullable Compressor compressor) throws IOException {
    raw = block.finish(raw);
    int length = block.finishedLength();
    if (compressor != null) {
      int most = compressor.compressedBytesMax(length);
      if (compressed.length < most) {
        compressed = new byte[most];
      }
      int shorter = compressor.compress(raw, 0, length, compressed, 0);
      if (shorter <= length - length / SAVING_PART) {
        return store(compressed, shorter, compressor.id(), TableFormat.DATA, length);
      }
    }
    return store(raw, length, 0, TableFormat.DATA, length);
  }

  Stored block(BlockWriter block, int type) throws IOException {
    raw = block.finish(raw);
    return store(raw, block.finishedLength(), 0, type, block.finishedLength());
  }

  Stored block(byte[] bytes, int length, int type) throws IOException {
    return store(bytes, length, 0, type, length);
  }

  void footer(Stored sections, long storeId, long fileNumber) throws IOException {
    byte[] footer = new byte[TableFormat.FOOTER_BYTES];
    Fixed.putLong(footer, 0, TableFormat.MAGIC);
    Fixed.putInt(footer, 8, TableFormat.VERSION);
    Fixed.putInt(footer, 12, sections.length());
    Fixed.putLong(footer, 16, sections.offset());
    Fixed.putLong(footer, 24, storeId);
    Fixed.putLong(footer, 32, fileNumber);
    Fixed.putInt(footer, 60, dev.siltstone.base.bytes.Crc32c.of(footer, 0, 60));
    write(footer, footer.length);
    flush();
  }

  private Stored store(byte[] bytes, int length, int compression, int type, int rawLength)
      throws IOException {
    long offset = position;
    trailer[0] = (byte) compression;
    trailer[1] = (byte) type;
    trailer[2] = 0;
    trailer[3] = 0;
    Fixed.putInt(trailer, 4, rawLength);
    Fixed.putInt(trailer, 8, BlockChecksum.of(bytes, length, trailer, identity, offset));
    write(bytes, length);
    write(trailer, trailer.length);
    return new Stored(offset, length + trailer.length);
  }

  private void write(byte[] bytes, int length) throws IOException {
    if (length > buffer.length - buffered) {
      flush();
    }
    if (length > buffer.length) {
      file.write(bytes, 0, length);
    } else {
      System.arraycopy(bytes, 0, buffer, buffered, length);
      buffered += length;
    }
    position += length;
  }

  private void flush() throws IOException {
    file.write(buffer, 0, buffered);
    buffered = 0;
  }
}
