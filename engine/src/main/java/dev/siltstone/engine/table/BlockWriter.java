package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Varint;
import java.util.Arrays;

/**
 * Builds a block of records in internal order.
 *
 * <pre>
 *   u32   count
 *   u8    flags: bit 0 wide offsets (u32 instead of u16); bits 4-7 bytes of a trailer delta, 0 to 8
 *   u8    0
 *   u16   length of the prefix that all keys share
 *   u64   smallest trailer
 *   bytes prefix
 *   u64   head[count]      the eight key bytes after the prefix, zero-padded, as a number
 *   u16|u32 end[count]     where the entry ends, from the start of the heap
 *   bytes delta[count]     trailer minus the smallest, little-endian
 *   heap: for each record
 *         varint  length of the key after the prefix
 *         bytes   the key after prefix and head
 *         bytes   value
 * </pre>
 *
 * <p>A search compares the prefix once, then heads as numbers; whole keys only where heads are
 * equal. Keys that differ only in zero bytes at the end have equal heads, so equal heads decide
 * nothing. One block at a time; nothing is allocated per record.
 */
final class BlockWriter {
  static final int HEADER_BYTES = 16;
  static final int PREFIX_BYTES_MAX = 0xFFFF;
  static final int WIDE = 1;

  /** Index, head and trailer of a record, about. */
  private static final int RECORD_OVERHEAD_BYTES = 14;

  private byte[] keys = new byte[4 << 10];
  private int[] keyEnds = new int[64];
  private long[] trailers = new long[64];
  private byte[] values = new byte[16 << 10];
  private int[] valueEnds = new int[64];
  private int count;

  /** Adds a record; key and value are copied. */
  void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      long trailer,
      byte[] value,
      int valueOffset,
      int valueLength) {
    if (count == trailers.length) {
      keyEnds = Arrays.copyOf(keyEnds, 2 * count);
      trailers = Arrays.copyOf(trailers, 2 * count);
      valueEnds = Arrays.copyOf(valueEnds, 2 * count);
    }
    int keysEnd = keyBytes();
    int valuesEnd = valueBytes();
    keys = room(keys, keysEnd, keyLength);
    values = room(values, valuesEnd, valueLength);
    System.arraycopy(key, keyOffset, keys, keysEnd, keyLength);
    System.arraycopy(value, valueOffset, values, valuesEnd, valueLength);
    keyEnds[count] = keysEnd + keyLength;
    valueEnds[count] = valuesEnd + valueLength;
    trailers[count] = trailer;
    count++;
  }

  int count() {
    return count;
  }

  /** About how long the block would be now, in bytes. */
  long estimatedBytes() {
    return (long) keyBytes() + valueBytes() + (long) count * RECORD_OVERHEAD_BYTES;
  }

  /** Writes the block into {@code target}, grown if needed, and begins a new one. */
  byte[] finish(byte[] target) {
    int prefix = Math.min(PREFIX_BYTES_MAX, sharedPrefix());
    long base = smallestTrailer();
    int width = deltaBytes(base);
    long heapBytes = heapBytes(prefix);
    boolean wide = heapBytes > 0xFFFF;
    int endBytes = wide ? Integer.BYTES : Short.BYTES;
    int heads = HEADER_BYTES + prefix;
    int ends = heads + count * Long.BYTES;
    int deltas = ends + count * endBytes;
    int heap = deltas + count * width;
    long total = heap + heapBytes;
    // Eight bytes more, so that deltas can be written as whole longs.
    byte[] block = target.length >= total + 8 ? target : new byte[Math.toIntExact(total + 8)];
    Fixed.putInt(block, 0, count);
    block[4] = (byte) ((wide ? WIDE : 0) | (width << 4));
    block[5] = 0;
    Fixed.putShort(block, 6, prefix);
    Fixed.putLong(block, 8, base);
    System.arraycopy(keys, 0, block, HEADER_BYTES, prefix);
    int at = heap;
    int keyStart = 0;
    int valueStart = 0;
    for (int i = 0; i < count; i++) {
      int rest = keyEnds[i] - keyStart - prefix;
      Fixed.putLong(block, heads + i * Long.BYTES, Bytes.head(keys, keyStart + prefix, rest));
      Fixed.putLong(block, deltas + i * width, trailers[i] - base);
      keyStart = keyEnds[i];
    }
    keyStart = 0;
    for (int i = 0; i < count; i++) {
      int rest = keyEnds[i] - keyStart - prefix;
      at = Varint.put(block, at, rest);
      int tail = Math.max(0, rest - Long.BYTES);
      System.arraycopy(keys, keyEnds[i] - tail, block, at, tail);
      at += tail;
      int valueLength = valueEnds[i] - valueStart;
      System.arraycopy(values, valueStart, block, at, valueLength);
      at += valueLength;
      putEnd(block, ends, i, wide, at - heap);
      keyStart = keyEnds[i];
      valueStart = valueEnds[i];
    }
    assert at == total : "heap of " + (at - heap) + " bytes instead of " + heapBytes;
    length = at;
    count = 0;
    return block;
  }

  private int length;

  /** Length of the block that {@link #finish} has written. */
  int finishedLength() {
    return length;
  }

  private static void putEnd(byte[] block, int ends, int index, boolean wide, int end) {
    if (wide) {
      Fixed.putInt(block, ends + index * Integer.BYTES, end);
    } else {
      Fixed.putShort(block, ends + index * Short.BYTES, end);
    }
  }

  private int sharedPrefix() {
    if (count == 0) {
      return 0;
    }
    int lastStart = count == 1 ? 0 : keyEnds[count - 2];
    return Bytes.sharedPrefix(keys, 0, keyEnds[0], keys, lastStart, keyEnds[count - 1] - lastStart);
  }

  private long smallestTrailer() {
    long smallest = count == 0 ? 0 : trailers[0];
    for (int i = 1; i < count; i++) {
      if (Long.compareUnsigned(trailers[i], smallest) < 0) {
        smallest = trailers[i];
      }
    }
    return smallest;
  }

  private int deltaBytes(long base) {
    long all = 0;
    for (int i = 0; i < count; i++) {
      all |= trailers[i] - base;
    }
    return (Long.SIZE - Long.numberOfLeadingZeros(all) + 7) / 8;
  }

  private long heapBytes(int prefix) {
    long bytes = valueBytes();
    int keyStart = 0;
    for (int i = 0; i < count; i++) {
      int rest = keyEnds[i] - keyStart - prefix;
      bytes += Varint.length(rest) + Math.max(0, rest - Long.BYTES);
      keyStart = keyEnds[i];
    }
    return bytes;
  }

  private int keyBytes() {
    return count == 0 ? 0 : keyEnds[count - 1];
  }

  private int valueBytes() {
    return count == 0 ? 0 : valueEnds[count - 1];
  }

  private static byte[] room(byte[] array, int used, int more) {
    long needed = (long) used + more;
    if (needed <= array.length) {
      return array;
    }
    return Arrays.copyOf(array, Math.toIntExact(Math.max(needed, 2L * array.length)));
  }
}
