package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Varint;
import java.util.Arrays;

/**
 * Collects records in internal order and lays them out as one block, drawn in {@link Block}. Reused
 * from block to block; allocates only to grow. One thread at a time.
 */
final class BlockWriter {
  /** What an entry takes beside key, value and trailer: head, offset and key length. */
  private static final int ENTRY_BYTES = Long.BYTES + Short.BYTES + 1;

  /** So that eight bytes may be loaded from any place in the heap. */
  private static final int SLACK_BYTES = Long.BYTES;

  /** A buffer that grew beyond this for one large value is given back. */
  private static final int KEPT_BYTES_MAX = 1 << 20;

  private static final int HEAP_BYTES_INITIAL = 4096;
  private static final int COUNT_INITIAL = 64;

  /** Keys and values one after the other. */
  private byte[] heap = new byte[HEAP_BYTES_INITIAL];

  private int heapBytes;

  /** Where an entry starts in the heap. */
  private int[] starts = new int[COUNT_INITIAL];

  private int[] keyLengths = new int[COUNT_INITIAL];
  private long[] trailers = new long[COUNT_INITIAL];
  private boolean[] obsolete = new boolean[COUNT_INITIAL];
  private int count;
  private int shared;
  private long keyBytes;
  private boolean anyObsolete;
  private long trailerLeast;
  private long trailerGreatest;

  int count() {
    return count;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** The array that holds the key of the last record. */
  byte[] lastKeyArray() {
    return heap;
  }

  int lastKeyOffset() {
    return starts[count - 1];
  }

  int lastKeyLength() {
    return keyLengths[count - 1];
  }

  long lastTrailer() {
    return trailers[count - 1];
  }

  /**
   * About the raw length of the block with one more record. Exact but for the width of the trailer
   * column and for keys that are shorter than the shared prefix and a head.
   */
  long bytesWith(int keyLength, int valueLength) {
    return bytes(count + 1, keyBytes + keyLength, (long) heapBytes + keyLength + valueLength);
  }

  /** About the raw length of the block. */
  long bytes() {
    return count == 0 ? 0 : bytes(count, keyBytes, heapBytes);
  }

  private long bytes(int entries, long keys, long keysAndValues) {
    long rests = Math.max(0, keys - entries * ((long) shared + Long.BYTES));
    return Block.HEADER_BYTES
        + shared
        + entries * ((long) ENTRY_BYTES + trailerWidth())
        + rests
        + (keysAndValues - keys);
  }

  /**
   * Adds a record; its bytes are copied.
   *
   * @param sharedWithLast number of leading bytes the key shares with the key before it; any number
   *     for the first
   * @param isObsolete whether the record before it has the same key
   */
  void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      int sharedWithLast,
      boolean isObsolete,
      long trailer) {
    if (count == starts.length) {
      growColumns();
    }
    if (count == 0) {
      shared = keyLength;
      trailerLeast = trailer;
      trailerGreatest = trailer;
    } else {
      // Keys are sorted, so what all share is the least of what neighbours share.
      shared = Math.min(shared, sharedWithLast);
      trailerLeast = Long.compareUnsigned(trailer, trailerLeast) < 0 ? trailer : trailerLeast;
      trailerGreatest =
          Long.compareUnsigned(trailer, trailerGreatest) > 0 ? trailer : trailerGreatest;
    }
    starts[count] = heapBytes;
    keyLengths[count] = keyLength;
    trailers[count] = trailer;
    obsolete[count] = isObsolete;
    anyObsolete |= isObsolete;
    count++;
    keyBytes += keyLength;
    append(key, keyOffset, keyLength);
  }

  /** Adds the value of the record just added. */
  void addValue(byte[] value, int valueOffset, int valueLength) {
    append(value, valueOffset, valueLength);
  }

  private void append(byte[] source, int offset, int length) {
    long needed = (long) heapBytes + length + SLACK_BYTES;
    if (needed > heap.length) {
      heap = Arrays.copyOf(heap, (int) Math.max(needed, Math.min(2L * heap.length, 1 << 30)));
    }
    System.arraycopy(source, offset, heap, heapBytes, length);
    heapBytes += length;
  }

  private void growColumns() {
    int length = 2 * count;
    starts = Arrays.copyOf(starts, length);
    keyLengths = Arrays.copyOf(keyLengths, length);
    trailers = Arrays.copyOf(trailers, length);
    obsolete = Arrays.copyOf(obsolete, length);
  }

  private int trailerWidth() {
    long range = trailerGreatest - trailerLeast;
    return (Long.SIZE + 7 - Long.numberOfLeadingZeros(range)) / 8;
  }

  /** The exact raw length of the block. */
  int rawBytes() {
    long heapLength = heapLength();
    long raw = columnBytes(heapLength > 0xFFFF ? Integer.BYTES : Short.BYTES) + heapLength;
    if (raw > TableFormat.RAW_BYTES_MAX) {
      throw new IllegalArgumentException("block of " + raw + " bytes");
    }
    return (int) raw;
  }

  /** Bytes before the heap of the block. */
  private long columnBytes(int offsetWidth) {
    return Block.HEADER_BYTES
        + count * ((long) Long.BYTES + trailerWidth() + offsetWidth)
        + offsetWidth
        + (anyObsolete ? (count + 7) / 8 : 0)
        + shared;
  }

  private long heapLength() {
    long length = 0;
    for (int i = 0; i < count; i++) {
      int suffix = keyLengths[i] - shared;
      length += Varint.length(suffix) - Math.min(suffix, Long.BYTES) - shared;
    }
    return length + heapBytes;
  }

  /**
   * Writes the block to {@code target}, where {@link #rawBytes} and eight bytes more are free, and
   * forgets the records.
   */
  void finish(byte[] target, int offset) {
    assert count > 0 : "empty block";
    int heapLength = (int) heapLength();
    int offsetWidth = heapLength > 0xFFFF ? Integer.BYTES : Short.BYTES;
    int width = trailerWidth();
    int headsAt = offset + Block.HEADER_BYTES;
    int trailersAt = headsAt + count * Long.BYTES;
    int offsetsAt = trailersAt + count * width;
    int obsoleteAt = offsetsAt + (count + 1) * offsetWidth;
    int prefixAt = obsoleteAt + (anyObsolete ? (count + 7) / 8 : 0);
    Fixed.putLong(target, offset + Block.HEADER_BASE, trailerLeast);
    Fixed.putInt(target, offset + Block.HEADER_COUNT, count);
    Fixed.putInt(target, offset + Block.HEADER_PREFIX, shared);
    target[offset + Block.HEADER_WIDTH] = (byte) width;
    target[offset + Block.HEADER_FLAGS] =
        (byte)
            ((offsetWidth == Integer.BYTES ? Block.FLAG_WIDE : 0)
                | (anyObsolete ? Block.FLAG_OBSOLETE : 0));
    Fixed.putShort(target, offset + Block.HEADER_RESERVED, 0);
    Fixed.putInt(target, offset + Block.HEADER_RESERVED + Short.BYTES, 0);
    // Before the offsets, since a trailer is stored as eight bytes whatever the width is.
    for (int i = 0; i < count; i++) {
      Fixed.putLong(target, trailersAt + i * width, trailers[i] - trailerLeast);
    }
    if (anyObsolete) {
      putObsolete(target, obsoleteAt);
    }
    System.arraycopy(heap, starts[0], target, prefixAt, shared);
    int end = putEntries(target, headsAt, offsetsAt, offsetWidth, prefixAt + shared);
    assert end == prefixAt + shared + heapLength : "heap of another length than computed";
    clear();
  }

  private void putObsolete(byte[] target, int at) {
    Arrays.fill(target, at, at + (count + 7) / 8, (byte) 0);
    for (int i = 0; i < count; i++) {
      if (obsolete[i]) {
        target[at + (i >>> 3)] |= (byte) (1 << (i & 7));
      }
    }
  }

  private int putEntries(byte[] target, int headsAt, int offsetsAt, int offsetWidth, int heapAt) {
    int at = heapAt;
    for (int i = 0; i < count; i++) {
      putOffset(target, offsetsAt + i * offsetWidth, offsetWidth, at - heapAt);
      int suffixAt = starts[i] + shared;
      int suffix = keyLengths[i] - shared;
      Fixed.putLong(target, headsAt + i * Long.BYTES, head(suffixAt, suffix));
      at = Varint.put(target, at, suffix);
      int restAt = suffixAt + Math.min(suffix, Long.BYTES);
      int end = i + 1 < count ? starts[i + 1] : heapBytes;
      System.arraycopy(heap, restAt, target, at, end - restAt);
      at += end - restAt;
    }
    putOffset(target, offsetsAt + count * offsetWidth, offsetWidth, at - heapAt);
    return at;
  }

  /** As {@link Bytes#head}, but the heap has slack, so that a short key needs no loop. */
  private long head(int at, int length) {
    long eight = Bytes.head(heap, at, Long.BYTES);
    return length >= Long.BYTES
        ? eight
        : length == 0 ? 0 : eight & (-1L << (Long.SIZE - 8 * length));
  }

  private static void putOffset(byte[] target, int at, int width, int value) {
    if (width == Short.BYTES) {
      Fixed.putShort(target, at, value);
    } else {
      Fixed.putInt(target, at, value);
    }
  }

  /** Forgets the records. */
  void clear() {
    count = 0;
    heapBytes = 0;
    keyBytes = 0;
    shared = 0;
    anyObsolete = false;
    trailerLeast = 0;
    trailerGreatest = 0;
    if (heap.length > KEPT_BYTES_MAX) {
      heap = new byte[HEAP_BYTES_INITIAL];
    }
  }
}
