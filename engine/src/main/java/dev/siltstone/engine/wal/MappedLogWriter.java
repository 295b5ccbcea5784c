package dev.siltstone.engine.wal;

import dev.siltstone.base.io.MappedFile;
import java.io.IOException;

/**
 * Collects the records of a commit group and puts them into a mapped file of fixed length. A group
 * that is not synced costs a checksum and a copy, makes no system call and survives the death of
 * the process; one that is synced is written through to the device by one call.
 *
 * <p>Measured on 2 cores, 132-byte records: 6.4 M unsynced appends a second, against 0.94 M with
 * one write call each.
 */
final class MappedLogWriter extends LogWriter {
  /** Payloads from this size on are stored from the caller's array, not collected. */
  private static final int COLLECTED_BYTES_MAX = 4096;

  private static final int BUFFER_BYTES = 64 * 1024;

  private final MappedFile file;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int used;

  /** Offset after the last byte that is in the file. */
  private volatile long storedEnd = SegmentHeader.BYTES;

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
      boolean collected = size <= COLLECTED_BYTES_MAX;
      if (!collected || used + size > BUFFER_BYTES) {
        store();
      }
      if (collected) {
        int checksum = encode(buffer, used, type, payload, offset, length);
        used += size;
        advance(checksum, size);
      } else {
        advance(storeInParts(at, type, payload, offset, length), size);
        storedEnd = at + size;
      }
    } catch (IOException e) {
      throw broken(e);
    }
  }

  private int storeInParts(long at, int type, byte[] payload, int offset, int length)
      throws IOException {
    int checksum = encodeHeader(buffer, 0, type, payload, offset, length);
    int headerBytes = LogFormat.RECORD_HEADER_BYTES;
    int padding = LogFormat.recordBytes(length) - headerBytes - length;
    putPadding(buffer, headerBytes, headerBytes + padding);
    file.write(at + headerBytes, payload, offset, length);
    // A recycled file holds bytes of an earlier life here, and a reader insists on zeros.
    file.write(at + headerBytes + length, buffer, headerBytes, padding);
    file.write(at, buffer, 0, headerBytes);
    return checksum;
  }

  private void store() throws IOException {
    if (used > 0) {
      long from = storedEnd;
      file.write(from, buffer, 0, used);
      storedEnd = from + used;
      used = 0;
    }
  }

  @Override
  public void flush() throws IOException {
    checkUsable();
    try {
      store();
    } catch (IOException e) {
      throw broken(e);
    }
  }

  @Override
  public void sync() throws IOException {
    checkUsable();
    long to = storedEnd;
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
  boolean flushThrough() throws IOException {
    checkUsable();
    long from = storedEnd;
    if (used == 0 || synced() < from) {
      // What was stored before has to become durable too, so nothing would be gained.
      return false;
    }
    try {
      file.writeThrough(from, buffer, 0, used);
    } catch (IOException e) {
      throw broken(e);
    }
    storedEnd = from + used;
    setSynced(from + used);
    used = 0;
    return true;
  }

  @Override
  void endAppending() throws IOException {
    file.detach();
  }

  @Override
  void rewind(long offset, long checksumThere) {
    super.rewind(offset, checksumThere);
    used = 0;
    storedEnd = offset;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
