package dev.siltstone.engine.wal;

import dev.siltstone.base.io.MappedFile;
import java.io.IOException;

/**
 * Stores records into a mapped file of fixed length: an append is a checksum and a copy, makes no
 * system call and survives the death of the process. A sync costs several times that of a written
 * file, so this is for stores that rarely sync.
 *
 * <p>Measured on 2 cores, 132-byte records: 6.4 M appends a second, against 0.94 M with one write
 * call each; with a sync each 0.56 k, against 5.2 k.
 */
final class MappedLogWriter extends LogWriter {
  /**
   * Records up to this size are put together here and stored at once: one checksum call over
   * contiguous bytes and one store cost less than three of each.
   */
  private static final int SCRATCH_BYTES = 4096;

  private final MappedFile file;
  private final byte[] scratch = new byte[SCRATCH_BYTES];

  MappedLogWriter(MappedFile file, SegmentHeader header) {
    super(header, header.capacity());
    this.file = file;
  }

  @Override
  public void append(int type, byte[] payload, int offset, int length) throws IOException {
    checkUsable();
    int size = LogFormat.recordBytes(length);
    long at = end();
    assert size <= limit() - at : "record of " + size + " bytes at " + at + " of " + limit();
    try {
      int checksum;
      if (size <= SCRATCH_BYTES) {
        checksum = encode(scratch, 0, type, payload, offset, length);
        file.write(at, scratch, 0, size);
      } else {
        checksum = storeInParts(at, type, payload, offset, length);
      }
      advance(checksum, size);
    } catch (IOException e) {
      throw broken(e);
    }
  }

  private int storeInParts(long at, int type, byte[] payload, int offset, int length)
      throws IOException {
    int checksum = encodeHeader(scratch, 0, type, payload, offset, length);
    int headerBytes = LogFormat.RECORD_HEADER_BYTES;
    int padding = LogFormat.recordBytes(length) - headerBytes - length;
    putPadding(scratch, headerBytes, headerBytes + padding);
    file.write(at + headerBytes, payload, offset, length);
    // A recycled file holds bytes of an earlier life here, and a reader insists on zeros.
    file.write(at + headerBytes + length, scratch, headerBytes, padding);
    file.write(at, scratch, 0, headerBytes);
    return checksum;
  }

  /** Nothing to do: what is stored is already with the operating system. */
  @Override
  public void flush() throws IOException {
    checkUsable();
  }

  @Override
  public void sync() throws IOException {
    checkUsable();
    long to = endAcquire();
    long from = synced();
    if (to <= from) {
      return;
    }
    try {
      file.force(from, to - from);
    } catch (IOException e) {
      throw broken(e);
    }
    setSynced(to);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
