package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Varint;
import java.io.IOException;
import java.util.Arrays;

/**
 * A block of records in memory, as {@link BlockWriter} lays it out. Immutable; safe for concurrent
 * use. The layout was checked when the block was made; a search touches nothing outside of it.
 */
final class Block {
  /** Bytes after the block's end that must be there, so that deltas can be read as whole longs. */
  static final int SLACK_BYTES = Long.BYTES;

  private final byte[] data;
  private final int count;
  private final int prefixLength;
  private final int heads;
  private final int ends;
  private final boolean wide;
  private final int deltas;
  private final int deltaBytes;
  private final long deltaMask;
  private final long base;
  private final int heap;

  /**
   * A block in the first {@code length} bytes of an array that has {@link #SLACK_BYTES} more.
   *
   * @throws IOException if its parts do not fit
   */
  Block(byte[] data, int length) throws IOException {
    if (length < BlockWriter.HEADER_BYTES) {
      throw new IOException("block of " + length + " bytes has no header");
    }
    this.data = data;
    this.count = Fixed.getInt(data, 0);
    int flags = data[4] & 0xFF;
    this.wide = (flags & BlockWriter.WIDE) != 0;
    this.deltaBytes = flags >>> 4;
    this.prefixLength = Fixed.getShort(data, 6);
    this.base = Fixed.getLong(data, 8);
    this.heads = BlockWriter.HEADER_BYTES + prefixLength;
    int endBytes = wide ? Integer.BYTES : Short.BYTES;
    long heapStart =
        heads + (long) count * Long.BYTES + (long) count * endBytes + (long) count * deltaBytes;
    if (count < 0 || deltaBytes > Long.BYTES || heapStart > length) {
      throw new IOException(
          "block of " + length + " bytes with " + count + " records, flags " + flags);
    }
    this.ends = heads + count * Long.BYTES;
    this.deltas = ends + count * endBytes;
    this.deltaMask = deltaBytes == Long.BYTES ? -1L : (1L << (8 * deltaBytes)) - 1;
    this.heap = (int) heapStart;
    checkEntries(length);
  }

  /** Every entry must lie in the heap, in order, and hold its key. */
  private void checkEntries(int length) throws IOException {
    int start = heap;
    for (int i = 0; i < count; i++) {
      long end = heap + (wide ? Fixed.getInt(data, ends + 4 * i) & 0xFFFFFFFFL : end(i) - heap);
      if (end <= start || end > length) {
        throw new IOException("entry " + i + " of " + count + " ends at " + end);
      }
      long rest = restLength(start, (int) end);
      if (rest < 0) {
        throw new IOException("entry " + i + " of " + count + " has no room for its key");
      }
      start = (int) end;
    }
    if (count > 0 && start != length) {
      throw new IOException("entries end at " + start + " of " + length);
    }
  }

  /** Length of the key after the prefix, or -1 if it does not fit the entry. */
  private long restLength(int start, int end) {
    int value = 0;
    int at = start;
    for (int shift = 0; shift < 35 && at < end; shift += 7) {
      int b = data[at++];
      value |= (b & 0x7F) << shift;
      if (b >= 0) {
        boolean fits =
            value >= 0
                && at - start == Varint.length(value)
                && at + (long) Math.max(0, value - Long.BYTES) <= end;
        return fits ? value : -1;
      }
    }
    return -1;
  }

  int count() {
    return count;
  }

  /** Memory taken, about. */
  int bytes() {
    return data.length + 80;
  }

  byte[] data() {
    return data;
  }

  long trailer(int index) {
    return base + (Fixed.getLong(data, deltas + index * deltaBytes) & deltaMask);
  }

  /** Length of the key. */
  int keyLength(int index) {
    return prefixLength + Varint.getInt(data, start(index));
  }

  /** Where the value starts in {@link #data}. */
  int valueOffset(int index) {
    int at = start(index);
    int rest = Varint.getInt(data, at);
    return at + Varint.length(rest) + Math.max(0, rest - Long.BYTES);
  }

  /** Where the value ends in {@link #data}. */
  int valueEnd(int index) {
    return end(index);
  }

  /**
   * Copies a key into {@code target}, which has room for {@link #keyLength}.
   *
   * @param withPrefix whether the prefix is to be copied too; false if it stands there already
   */
  void copyKey(int index, byte[] target, boolean withPrefix) {
    if (withPrefix) {
      System.arraycopy(data, BlockWriter.HEADER_BYTES, target, 0, prefixLength);
    }
    int at = start(index);
    int rest = Varint.getInt(data, at);
    at += Varint.length(rest);
    long head = Fixed.getLong(data, heads + index * Long.BYTES);
    if (rest <= Long.BYTES) {
      Bytes.putHead(target, prefixLength, head, rest);
    } else {
      Bytes.putHead(target, prefixLength, head, Long.BYTES);
      System.arraycopy(data, at, target, prefixLength + Long.BYTES, rest - Long.BYTES);
    }
  }

  int prefixLength() {
    return prefixLength;
  }

  /** Number of records that come before (key, trailer) in internal order. */
  int rank(byte[] key, int offset, int length, long trailer) {
    int common = Math.min(length, prefixLength);
    int order =
        Arrays.compareUnsigned(
            data,
            BlockWriter.HEADER_BYTES,
            BlockWriter.HEADER_BYTES + common,
            key,
            offset,
            offset + common);
    if (order != 0) {
      return order < 0 ? count : 0;
    }
    if (length < prefixLength) {
      return 0;
    }
    int restOffset = offset + prefixLength;
    int restLength = length - prefixLength;
    long head = Bytes.head(key, restOffset, restLength);
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int compared = Long.compareUnsigned(Fixed.getLong(data, heads + middle * Long.BYTES), head);
      if (compared == 0) {
        compared = compareTie(middle, key, restOffset, restLength, trailer);
      }
      if (compared < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Whether a record has this key. */
  boolean keyEquals(int index, byte[] key, int offset, int length) {
    int at = start(index);
    int rest = Varint.getInt(data, at);
    if (prefixLength + rest != length
        || !Bytes.equal(data, BlockWriter.HEADER_BYTES, prefixLength, key, offset, prefixLength)
        || Fixed.getLong(data, heads + index * Long.BYTES)
            != Bytes.head(key, offset + prefixLength, rest)) {
      return false;
    }
    int tail = rest - Long.BYTES;
    return tail <= 0
        || Bytes.equal(data, at + Varint.length(rest), tail, key, offset + length - tail, tail);
  }

  /** Compares a record whose head equals the target's with the target. */
  private int compareTie(int index, byte[] key, int restOffset, int restLength, long trailer) {
    int at = start(index);
    int rest = Varint.getInt(data, at);
    at += Varint.length(rest);
    int order;
    if (rest > Long.BYTES && restLength > Long.BYTES) {
      order =
          Arrays.compareUnsigned(
              data,
              at,
              at + rest - Long.BYTES,
              key,
              restOffset + Long.BYTES,
              restOffset + restLength);
    } else {
      // One key ends within the head: what both have is equal, so the shorter one comes first.
      order = Integer.compare(rest, restLength);
    }
    return order != 0 ? order : Long.compareUnsigned(trailer, trailer(index));
  }

  private int start(int index) {
    return index == 0 ? heap : end(index - 1);
  }

  private int end(int index) {
    return heap
        + (wide
            ? Fixed.getInt(data, ends + index * Integer.BYTES)
            : Fixed.getShort(data, ends + index * Short.BYTES));
  }
}
