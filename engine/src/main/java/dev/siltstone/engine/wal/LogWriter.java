package dev.siltstone.engine.wal;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.WritableFile;
import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One file of log records that is being written. The file has its header already.
 *
 * <p><b>Failure.</b> After a failed write or sync the writer is broken for good: every later call
 * throws, and nothing is ever synced again for credit. The one exception is a {@link
 * dev.siltstone.base.io.NoSpaceException} of {@link #flush}, see there.
 *
 * <p><b>Threads.</b> {@link #append} and {@link #flush}: one thread at a time. {@link #sync}: one
 * thread at a time, which may run beside an append. {@link #flushThrough} counts as both.
 */
public abstract sealed class LogWriter implements Closeable
    permits MappedLogWriter, WrittenLogWriter {
  private static final VarHandle END;

  static {
    try {
      END = MethodHandles.lookup().findVarHandle(LogWriter.class, "end", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final SegmentHeader header;
  private final int limit;

  /** Offset after the last record appended. Written by the appending thread with release. */
  private long end = SegmentHeader.BYTES;

  private long checksum;
  private boolean full;
  private volatile long synced;
  private volatile @Nullable IOException failure;

  /**
   * A writer that appends after the header.
   *
   * @param limit offset that no record reaches beyond
   */
  LogWriter(SegmentHeader header, int limit) {
    this.header = header;
    this.limit = limit;
  }

  /**
   * A writer that collects records in memory and writes them on {@link #flush}.
   *
   * @param file holds the encoded header and nothing else; closed with the writer
   * @param limit offset that no record reaches beyond
   */
  public static LogWriter written(WritableFile file, SegmentHeader header, int limit) {
    return new WrittenLogWriter(file, header, limit);
  }

  /** The header of the file. */
  public final SegmentHeader header() {
    return header;
  }

  /** Offset after the last record appended. */
  public final long end() {
    return end;
  }

  /** Running checksum of all records appended. */
  public final long checksum() {
    return checksum;
  }

  /** Offset before which everything is durable; 0 before the first sync. */
  public final long synced() {
    return synced;
  }

  /** Bytes that this file takes on disk at most. */
  public final int limit() {
    return limit;
  }

  /** Whether a record of that payload can be appended, with room left for a mark after it. */
  public final boolean fits(int payloadLength) {
    return !full
        && payloadLength <= LogFormat.PAYLOAD_BYTES_MAX
        && LogFormat.recordBytes(payloadLength) + LogFormat.MARK_RECORD_BYTES <= limit - end;
  }

  /**
   * Appends a record.
   *
   * @param type {@link LogFormat#HEAD}, {@link LogFormat#DATA} or {@link LogFormat#MARK}
   * @param payload may be borrowed until the next {@link #flush}
   */
  public abstract void append(int type, byte[] payload, int offset, int length) throws IOException;

  /**
   * Hands everything appended to the operating system: after this it survives the process. Before
   * it, any part may have been handed over.
   *
   * @throws dev.siltstone.base.io.NoSpaceException if the disk is full. All records since the last
   *     good flush are taken back then, and {@link #fits} is false from now on; what came before
   *     stands, and can still be synced
   */
  public abstract void flush() throws IOException;

  /** Makes everything flushed before this call durable and advances {@link #synced}. */
  public abstract void sync() throws IOException;

  /**
   * {@link #flush} and {@link #sync} in one, where that takes less than both. For the appending
   * thread, with no sync beside it.
   *
   * @return whether it was done; if not, nothing was
   */
  boolean flushThrough() throws IOException {
    return false;
  }

  /** Gives up what only appending needs; not beside a sync. */
  void endAppending() throws IOException {}

  /**
   * Appends a record without payload that makes the watermark known to readers. Does nothing after
   * a flush that failed for want of space.
   */
  public final void appendMark() throws IOException {
    if (!full) {
      append(LogFormat.MARK, Bytes.EMPTY, 0, 0);
    }
  }

  /**
   * Takes back all records from {@code offset} on. Their bytes may stay in the file, so nothing may
   * be appended any more; the next segment names the offset as this one's length.
   */
  void rewind(long offset, long checksumThere) {
    full = true;
    checksum = checksumThere;
    END.setRelease(this, offset);
  }

  /** {@link #end}, with all that the appending thread did before. */
  final long endAcquire() {
    return (long) END.getAcquire(this);
  }

  final void advance(int recordChecksum, int bytes) {
    assert !full : "append after rewind";
    checksum = LogFormat.chain(checksum, recordChecksum);
    END.setRelease(this, end + bytes);
  }

  final void setSynced(long offset) {
    assert offset >= synced : offset + " < " + synced;
    synced = offset;
  }

  final void checkUsable() throws IOException {
    IOException before = failure;
    if (before != null) {
      throw new IOException("log file " + header.number() + " failed before", before);
    }
  }

  /** Breaks this writer. */
  final IOException broken(IOException cause) {
    failure = cause;
    return cause;
  }

  /**
   * Writes the whole record that comes at {@link #end}, padding included, to {@code target[at..]}.
   *
   * @return its checksum
   */
  final int encode(byte[] target, int at, int type, byte[] payload, int offset, int length) {
    LogFormat.putFields(target, at, type, synced, length);
    int to = LogFormat.checkedTo(at, length);
    System.arraycopy(payload, offset, target, at + LogFormat.RECORD_HEADER_BYTES, length);
    putPadding(target, to, at + LogFormat.recordBytes(length));
    int from = LogFormat.checkedFrom(at);
    return seal(target, at, Crc32c.of(target, from, to - from));
  }

  /**
   * Writes the header of the record that comes at {@link #end} to {@code target[at..]}; the payload
   * stays where it is.
   *
   * @return its checksum
   */
  final int encodeHeader(byte[] target, int at, int type, byte[] payload, int offset, int length) {
    LogFormat.putFields(target, at, type, synced, length);
    int from = LogFormat.checkedFrom(at);
    CRC32C crc = new CRC32C();
    crc.update(target, from, LogFormat.checkedTo(at, 0) - from);
    crc.update(payload, offset, length);
    return seal(target, at, (int) crc.getValue());
  }

  static void putPadding(byte[] target, int from, int to) {
    for (int i = from; i < to; i++) {
      target[i] = 0;
    }
  }

  private int seal(byte[] target, int at, int bare) {
    int bound = Crc32c.bind(bare, header.uniqueId(), end);
    Fixed.putInt(target, at, bound);
    return bound;
  }
}
