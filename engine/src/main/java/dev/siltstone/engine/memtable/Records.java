package dev.siltstone.engine.memtable;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Varint;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.BatchRecord;
import java.util.Arrays;

/**
 * The records of a memtable, each at a place that never changes, named by a 32-bit reference.
 *
 * <pre>
 *   reference = chunk number (16 bits) | offset / 8 (15 bits)
 *   at it:      trailer (u64) | record as in its batch
 * </pre>
 *
 * <p>A chunk has at most 256 KiB, so that it is an ordinary object even where the collector's
 * regions are 1 MiB; the first ones are smaller, since most trees of a store with many stay small.
 * A record that does not fit into a chunk gets one of its own.
 *
 * <p>One thread appends. Others may read a record once the reference has reached them by a release
 * and an acquire.
 */
final class Records {
  private static final int CHUNK_BYTES_MAX = 256 << 10;
  private static final int CHUNK_BYTES_MIN = 4 << 10;
  private static final int CHUNK_SHIFT = 15;

  /** So many that a reference is never negative; 16 GiB. */
  private static final int CHUNKS_MAX = 1 << 16;

  private static final int ALIGNMENT_SHIFT = 3;

  private static final int OFFSET_MASK = (1 << CHUNK_SHIFT) - 1;

  private byte[][] chunks = new byte[4][];
  private int chunkCount;
  private int current = -1;
  private int position;
  private long bytes;

  /** Copies the record that a reader stands on; returns its reference. */
  int append(BatchReader source) {
    int length = source.recordLength();
    int need = (Long.BYTES + length + 7) & -8;
    int chunk = current;
    int at = position;
    if (chunk < 0 || need > chunks[chunk].length - at) {
      chunk = addChunk(need);
      at = chunk == current ? position : 0;
    }
    if (chunk == current) {
      position = at + need;
    }
    byte[] target = chunks[chunk];
    Fixed.putLong(target, at, source.trailer());
    System.arraycopy(source.array(), source.recordOffset(), target, at + Long.BYTES, length);
    return (chunk << CHUNK_SHIFT) | (at >>> ALIGNMENT_SHIFT);
  }

  /** Makes room. The new chunk becomes the current one unless it is for one record only. */
  private int addChunk(int need) {
    if (chunkCount == CHUNKS_MAX) {
      throw new IllegalStateException("memtable of " + bytes + " bytes has no chunk left");
    }
    if (chunkCount == chunks.length) {
      // Readers that still hold the old array find in it all that they may ask for.
      chunks = Arrays.copyOf(chunks, 2 * chunkCount);
    }
    int size = (int) Math.min(CHUNK_BYTES_MAX, Math.max(CHUNK_BYTES_MIN, bytes));
    boolean own = need > size;
    byte[] chunk = new byte[own ? need : size];
    bytes += chunk.length;
    chunks[chunkCount] = chunk;
    if (!own) {
      current = chunkCount;
      position = 0;
    }
    return chunkCount++;
  }

  /** Bytes of all chunks. */
  long bytes() {
    return bytes;
  }

  /** The array that holds a record. */
  byte[] array(int ref) {
    return chunks[ref >>> CHUNK_SHIFT];
  }

  /** Where the record starts in its array, as {@link BatchRecord} reads it. */
  int record(int ref) {
    return ((ref & OFFSET_MASK) << ALIGNMENT_SHIFT) + Long.BYTES;
  }

  /** Time and kind of a record. */
  long trailer(int ref) {
    return Fixed.getLong(array(ref), (ref & OFFSET_MASK) << ALIGNMENT_SHIFT);
  }

  /** The order of the record's key to another key. */
  int compareKey(int ref, byte[] key, int offset, int length) {
    return BatchRecord.compareKey(array(ref), record(ref), key, offset, length);
  }

  /** Number of bytes that the keys of two records share at their front. */
  int sharedPrefix(int a, int b) {
    byte[] aArray = array(a);
    int aLengths = BatchRecord.lengths(aArray, record(a));
    int aLength = Varint.getInt(aArray, aLengths);
    byte[] bArray = array(b);
    int bLengths = BatchRecord.lengths(bArray, record(b));
    int bLength = Varint.getInt(bArray, bLengths);
    return Bytes.sharedPrefix(
        aArray,
        BatchRecord.keyOffset(aArray, aLengths, aLength),
        aLength,
        bArray,
        BatchRecord.keyOffset(bArray, bLengths, bLength),
        bLength);
  }

  /** The head of the key after its first {@code prefix} bytes, as nodes hold it. */
  long head(int ref, int prefix) {
    byte[] array = array(ref);
    int lengths = BatchRecord.lengths(array, record(ref));
    int length = Varint.getInt(array, lengths);
    int offset = BatchRecord.keyOffset(array, lengths, length);
    return Node.head(array, offset, length, prefix);
  }
}
