package dev.siltstone.engine.memtable;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Varint;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.Trailer;
import java.util.Arrays;

/**
 * Storage of records in chunks. A record is its trailer and then the bytes it had in its batch:
 *
 * <pre>
 *   u64 trailer | u8 kind | varint tree | varint key length | varint value length | key | value
 * </pre>
 *
 * <p>A record is named by a ref: chunk index and offset in one int. Records lie at multiples of 8
 * within a chunk. Chunks double from 4 to 256 KiB, so that a small memtable stays small and no
 * chunk is a humongous object for the collector; a record that does not fit one gets a chunk of its
 * own.
 *
 * <p>One thread appends; a ref that reached a reader by a release-acquire pair can be read.
 */
final class Records {
  private static final int CHUNK_BYTES_MIN = 4 << 10;
  private static final int CHUNK_BYTES_MAX = 256 << 10;

  /** Bits of a ref for the offset, which is kept in units of 8 bytes. */
  private static final int OFFSET_BITS = 15;

  private static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;
  private static final int ALIGNMENT = Long.BYTES;

  /** Bytes of a record before its batch form. */
  private static final int TRAILER_BYTES = Long.BYTES;

  /** What a memtable's array of chunk references costs, and each array's header. */
  private static final int CHUNK_OVERHEAD_BYTES = 24;

  private volatile byte[][] chunks = new byte[8][];
  private int count;
  private byte[] last = Bytes.EMPTY;
  private int used;
  private long bytes;

  /** Copies the current record of a batch and returns its ref. */
  int append(BatchReader record) {
    int length = TRAILER_BYTES + record.recordLength();
    int ref = allocate(length);
    byte[] chunk = last;
    int at = offset(ref);
    Fixed.putLong(chunk, at, Trailer.of(record.time(), record.kind()));
    System.arraycopy(
        record.array(), record.recordOffset(), chunk, at + TRAILER_BYTES, record.recordLength());
    return ref;
  }

  /** Memory taken, in bytes. */
  long bytes() {
    return bytes;
  }

  /** The chunk of a record. */
  byte[] chunk(int ref) {
    return chunks[ref >>> OFFSET_BITS];
  }

  /** Where the record starts in its chunk. */
  static int offset(int ref) {
    return (ref & OFFSET_MASK) * ALIGNMENT;
  }

  /** Time and kind. */
  long trailer(int ref) {
    return Fixed.getLong(chunk(ref), offset(ref));
  }

  /**
   * Compares a record with (key, trailer) in internal order: negative if the record comes first.
   * Only the bytes after the first {@code skip} of both keys are looked at, which are known to be
   * equal.
   */
  int compare(int ref, byte[] key, int keyOffset, int keyLength, long trailer, int skip) {
    byte[] chunk = chunk(ref);
    int at = offset(ref) + TRAILER_BYTES + 1;
    at += Varint.length(Varint.getInt(chunk, at));
    int length = Varint.getInt(chunk, at);
    at += Varint.length(length);
    at += Varint.length(Varint.getInt(chunk, at));
    int order =
        Arrays.compareUnsigned(
            chunk, at + skip, at + length, key, keyOffset + skip, keyOffset + keyLength);
    if (order != 0) {
      return order;
    }
    return Long.compareUnsigned(trailer, Fixed.getLong(chunk, offset(ref)));
  }

  /** Where the key starts in its chunk. */
  int keyOffset(int ref) {
    byte[] chunk = chunk(ref);
    int at = keyLengthOffset(chunk, ref);
    at += Varint.length(Varint.getInt(chunk, at));
    return at + Varint.length(Varint.getInt(chunk, at));
  }

  /** Length of the key. */
  int keyLength(int ref) {
    byte[] chunk = chunk(ref);
    return Varint.getInt(chunk, keyLengthOffset(chunk, ref));
  }

  /** Length of the value, which follows the key. */
  int valueLength(int ref) {
    byte[] chunk = chunk(ref);
    int at = keyLengthOffset(chunk, ref);
    return Varint.getInt(chunk, at + Varint.length(Varint.getInt(chunk, at)));
  }

  /** Whether the record has this key. */
  boolean keyEquals(int ref, byte[] key, int offset, int length) {
    return Bytes.equal(chunk(ref), keyOffset(ref), keyLength(ref), key, offset, length);
  }

  /** A copy of the key. */
  byte[] key(int ref) {
    return Bytes.copy(chunk(ref), keyOffset(ref), keyLength(ref));
  }

  private static int keyLengthOffset(byte[] chunk, int ref) {
    int at = offset(ref) + TRAILER_BYTES + 1;
    return at + Varint.length(Varint.getInt(chunk, at));
  }

  private int allocate(int length) {
    int aligned = (length + ALIGNMENT - 1) & -ALIGNMENT;
    if (aligned > last.length - used) {
      addChunk(aligned);
    }
    int ref = ((count - 1) << OFFSET_BITS) | used / ALIGNMENT;
    used += aligned;
    return ref;
  }

  private void addChunk(int lengthMin) {
    int usual = Math.min(CHUNK_BYTES_MAX, CHUNK_BYTES_MIN << Math.min(count, 6));
    byte[][] table = chunks;
    if (count == table.length) {
      table = Arrays.copyOf(table, 2 * count);
    }
    last = new byte[Math.max(usual, lengthMin)];
    table[count++] = last;
    chunks = table;
    used = 0;
    bytes += last.length + CHUNK_OVERHEAD_BYTES;
  }
}
