package dev.siltstone.engine.wal;

import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.base.io.WritableFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Collects the records of a commit group in memory and writes them with one call in {@link #flush}.
 * For manifests, and where files cannot be mapped.
 */
final class WrittenLogWriter extends LogWriter {
  private static final int BUFFER_BYTES = 64 * 1024;

  /**
   * Payloads from this size on are written from the caller's array: a call costs less than this.
   */
  private static final int BORROW_BYTES = 64 * 1024;

  private final WritableFile file;

  /** Held while the file is written or synced, since a sync may run beside a flush. */
  private final Object fileLock = new Object();

  private byte[] buffer = new byte[BUFFER_BYTES];
  private int used;
  private final List<Borrowed> borrowed = new ArrayList<>();

  private volatile long flushedEnd = SegmentHeader.BYTES;
  private long flushedChecksum;

  /** A payload that goes to the file after the first {@code at} bytes of the buffer. */
  private record Borrowed(int at, byte[] payload, int offset, int length) {}

  WrittenLogWriter(WritableFile file, SegmentHeader header, int limit) {
    super(header, limit);
    this.file = file;
  }

  @Override
  public void append(int type, byte[] payload, int offset, int length) throws IOException {
    checkUsable();
    int size = LogFormat.recordBytes(length);
    if (length < BORROW_BYTES) {
      reserve(size);
      int checksum = encode(buffer, used, type, payload, offset, length);
      used += size;
      advance(checksum, size);
      return;
    }
    int headerBytes = LogFormat.RECORD_HEADER_BYTES;
    reserve(size - length);
    int checksum = encodeHeader(buffer, used, type, payload, offset, length);
    borrowed.add(new Borrowed(used + headerBytes, payload, offset, length));
    putPadding(buffer, used + headerBytes, used + size - length);
    used += size - length;
    advance(checksum, size);
  }

  private void reserve(int bytes) {
    if (buffer.length - used < bytes) {
      buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, used + bytes));
    }
  }

  @Override
  public void flush() throws IOException {
    checkUsable();
    if (used == 0) {
      return;
    }
    try {
      synchronized (fileLock) {
        writeAll();
      }
    } catch (NoSpaceException e) {
      // The file may hold a part of the group now. The next segment names the length that counts.
      rewind(flushedEnd, flushedChecksum);
      throw e;
    } catch (IOException e) {
      throw broken(e);
    }
    clear();
    flushedChecksum = checksum();
    flushedEnd = end();
  }

  private void writeAll() throws IOException {
    int from = 0;
    for (Borrowed part : borrowed) {
      file.write(buffer, from, part.at - from);
      file.write(part.payload, part.offset, part.length);
      from = part.at;
    }
    if (used > from) {
      file.write(buffer, from, used - from);
    }
  }

  private void clear() {
    used = 0;
    borrowed.clear();
    if (buffer.length > BUFFER_BYTES * 16) {
      buffer = new byte[BUFFER_BYTES];
    }
  }

  @Override
  public void sync() throws IOException {
    checkUsable();
    long to = flushedEnd;
    if (to <= synced()) {
      return;
    }
    try {
      synchronized (fileLock) {
        file.sync();
      }
    } catch (IOException e) {
      throw broken(e);
    }
    setSynced(Math.max(synced(), to));
  }

  @Override
  void rewind(long offset, long checksumThere) {
    super.rewind(offset, checksumThere);
    clear();
    flushedEnd = offset;
    flushedChecksum = checksumThere;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
