package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Varint;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A block of records, at least one, in internal order. Data blocks and both kinds of index blocks
 * have this form.
 *
 * <pre>
 *    0  u64      base of the trailer column
 *    8  u32      number of records, n
 *   12  u32      length p of the prefix that all keys share
 *   16  u8       width w of the trailer column in bytes, 0..8
 *   17  u8       flags; bit 0: offsets are u32, else u16; bit 1: there is an obsolete column
 *   18  6 bytes  0
 *   24  u64      head[n]: the eight key bytes after the prefix as a big-endian number, padded with
 *                zeros
 *       w bytes  trailer[n]: trailer less the base
 *       u16|u32  offset[n + 1]: where an entry starts in the heap; the last is the heap's length
 *       bits     obsolete[n], low bit first: the record before has the same key; (n + 7) / 8 bytes
 *       p bytes  the prefix
 *       heap     for each record: varint length of the key after the prefix | the key bytes after
 *                the head | value
 * </pre>
 *
 * <p>A search touches the heads only, and an entry only where heads are equal. Equal heads do not
 * mean equal keys, not even for short ones: a key may end in zero bytes, as the padding does. Then
 * the lengths decide.
 *
 * <p>Immutable; safe for concurrent use. The structure is checked when the block is made, so that
 * for records 0 to n - 1 no method leaves the block, whatever its bytes are.
 */
final class Block {
  static final int HEADER_BASE = 0;
  static final int HEADER_COUNT = 8;
  static final int HEADER_PREFIX = 12;
  static final int HEADER_WIDTH = 16;
  static final int HEADER_FLAGS = 17;
  static final int HEADER_RESERVED = 18;
  static final int HEADER_BYTES = 24;
  static final int FLAG_WIDE = 1;
  static final int FLAG_OBSOLETE = 2;

  /** Below so many heads, probing one at a time is as fast. */
  private static final int WIDE_SEARCH_MIN = 16;

  /** So many heads are looked at where a guess leads, half of them before it: two cache lines. */
  private static final int GUESS_HEADS = 16;

  /** Below so many heads a guess saves nothing. */
  private static final int GUESS_MIN = 2 * GUESS_HEADS;

  /** This object and the array's header, about. */
  private static final int OBJECT_BYTES = 96;

  /** No block: no records, and nothing may be asked of it but its count and its array. */
  static final Block NONE = new Block();

  private final byte[] data;
  private final int type;
  private final int count;
  private final int headsAt;
  private final int trailersAt;
  private final int width;
  private final long trailerMask;
  private final int trailerShift;
  private final long base;
  private final int offsetsAt;
  private final boolean wide;
  private final int obsoleteAt;
  private final int prefixAt;
  private final int prefixLength;
  private final int heapAt;
  private final int keyBytesMax;

  /** The first head, and how many heads there are for every two of its distance to the last. */
  private final long firstHead;

  private final double density;

  private Block() {
    data = Bytes.EMPTY;
    type = 0;
    count = 0;
    headsAt = 0;
    trailersAt = 0;
    width = 0;
    trailerMask = 0;
    trailerShift = 0;
    base = 0;
    offsetsAt = 0;
    wide = false;
    obsoleteAt = -1;
    prefixAt = 0;
    prefixLength = 0;
    heapAt = 0;
    keyBytesMax = 0;
    firstHead = 0;
    density = 0;
  }

  /** A block whose trailers are the true ones. */
  Block(int type, byte[] data, int at, int length) throws BlockStructureException {
    this(type, data, at, length, 0);
  }

  /**
   * A block in a range of an array, which is kept and must not change.
   *
   * @param trailerBase added to the trailers
   * @throws BlockStructureException if the parts do not fit together
   */
  Block(int type, byte[] data, int at, int length, long trailerBase)
      throws BlockStructureException {
    if (length < HEADER_BYTES) {
      throw new BlockStructureException("record block of " + length + " bytes");
    }
    this.type = type;
    this.data = data;
    base = trailerBase + Fixed.getLong(data, at + HEADER_BASE);
    count = Fixed.getInt(data, at + HEADER_COUNT);
    prefixLength = Fixed.getInt(data, at + HEADER_PREFIX);
    width = data[at + HEADER_WIDTH];
    int flags = data[at + HEADER_FLAGS];
    if (count <= 0
        || prefixLength < 0
        || width < 0
        || width > Long.BYTES
        || (flags & ~(FLAG_WIDE | FLAG_OBSOLETE)) != 0
        || Fixed.getShort(data, at + HEADER_RESERVED) != 0
        || Fixed.getInt(data, at + HEADER_RESERVED + Short.BYTES) != 0) {
      throw new BlockStructureException(
          "header " + Bytes.hex(data, at, HEADER_BYTES) + " of a record block");
    }
    wide = (flags & FLAG_WIDE) != 0;
    boolean hasObsolete = (flags & FLAG_OBSOLETE) != 0;
    int offsetWidth = wide ? Integer.BYTES : Short.BYTES;
    long columns = HEADER_BYTES + count * ((long) Long.BYTES + width + offsetWidth) + offsetWidth;
    long heap = columns + (hasObsolete ? (count + 7L) / 8 : 0) + prefixLength;
    if (heap >= length) {
      throw new BlockStructureException(
          "columns of " + heap + " bytes in a record block of " + length);
    }
    // A trailer is the top of the eight bytes that end with it; before the first lie the heads.
    trailerShift = Long.SIZE - 8 * width;
    trailerMask = width == 0 ? 0 : -1L >>> trailerShift;
    headsAt = at + HEADER_BYTES;
    trailersAt = headsAt + count * Long.BYTES;
    offsetsAt = trailersAt + count * width;
    obsoleteAt = hasObsolete ? at + (int) columns : -1;
    heapAt = at + (int) heap;
    prefixAt = heapAt - prefixLength;
    keyBytesMax = prefixLength + checkEntries(at + length);
    if (keyBytesMax > TableFormat.KEY_BYTES_MAX) {
      throw new BlockStructureException("key of " + keyBytesMax + " bytes");
    }
    firstHead = head(0);
    density = count < GUESS_MIN ? 0 : count / (1 + (double) ((head(count - 1) - firstHead) >>> 1));
  }

  /**
   * Checks that entries fill the heap one after the other and have room for their keys.
   *
   * @return the length of the longest key after the prefix
   */
  private int checkEntries(int end) throws BlockStructureException {
    int longest = 0;
    int start = entry(0);
    if (start != heapAt) {
      throw new BlockStructureException("first entry at " + (start - heapAt) + " of the heap");
    }
    for (int i = 0; i < count; i++) {
      int next = entry(i + 1);
      // The second half: a wide offset may be any number, and the sum may have overflowed.
      if (next <= start || next > end) {
        throw new BlockStructureException("entry " + i + " of " + count + " ends before it starts");
      }
      int suffix = data[start];
      int restAt = start + 1;
      if (suffix < 0) {
        suffix = longSuffix(start, next);
        restAt = start + Varint.length(suffix);
      }
      if (suffix - Long.BYTES > next - restAt) {
        throw new BlockStructureException("entry " + i + " of " + count + " is cut short");
      }
      longest = Math.max(longest, suffix);
      start = next;
    }
    if (start != end) {
      throw new BlockStructureException("the heap ends " + (end - start) + " bytes early");
    }
    return longest;
  }

  /** A key length of two or three bytes, which is all that {@code KEY_BYTES_MAX} needs. */
  private int longSuffix(int start, int end) throws BlockStructureException {
    int value = 0;
    for (int i = 0; i < 3 && start + i < end; i++) {
      int b = data[start + i];
      value |= (b & 0x7F) << (7 * i);
      if (b >= 0) {
        // Readers step over what Varint.length says, so only the shortest form will do.
        if (i + 1 == Varint.length(value)) {
          return value;
        }
        break;
      }
    }
    throw new BlockStructureException("length of a key");
  }

  int type() {
    return type;
  }

  int count() {
    return count;
  }

  /** The array that holds the values. */
  byte[] data() {
    return data;
  }

  /** Memory that this block keeps in use, if the array is not shared. */
  long charge() {
    return (long) data.length + OBJECT_BYTES;
  }

  int prefixLength() {
    return prefixLength;
  }

  /** Where the block starts in {@link #data}; it ends where the entry of {@link #count} would. */
  int start() {
    return headsAt - HEADER_BYTES;
  }

  /** Whether any record has the key of the one before it. */
  boolean hasObsolete() {
    return obsoleteAt >= 0;
  }

  /** Length of the key of a record. */
  int keyLength(int index) {
    return prefixLength + suffixLength(entry(index));
  }

  /** Length of the longest key. */
  int keyBytesMax() {
    return keyBytesMax;
  }

  long head(int index) {
    return Fixed.getLong(data, headsAt + index * Long.BYTES);
  }

  long trailer(int index) {
    long eight = Fixed.getLong(data, trailersAt + (index + 1) * width - Long.BYTES);
    return base + ((eight >>> trailerShift) & trailerMask);
  }

  /** Whether the record before has the same key. */
  boolean obsolete(int index) {
    return obsoleteAt >= 0 && (data[obsoleteAt + (index >>> 3)] >>> (index & 7) & 1) != 0;
  }

  /** Where the entry of a record starts in {@link #data}; that of {@link #count} ends the heap. */
  int entry(int index) {
    return wide
        ? heapAt + Fixed.getInt(data, offsetsAt + index * Integer.BYTES)
        : heapAt + Fixed.getShort(data, offsetsAt + index * Short.BYTES);
  }

  /** Length of the key after the prefix, of the entry at {@code entry}. */
  int suffixLength(int entry) {
    int length = data[entry];
    return length >= 0 ? length : Varint.getInt(data, entry);
  }

  /** Where the key bytes after the head lie, of the entry at {@code entry}. */
  static int restAt(int entry, int suffixLength) {
    return entry + (suffixLength < 0x80 ? 1 : Varint.length(suffixLength));
  }

  /** Where the value of a record starts in {@link #data}; it ends where the next entry starts. */
  int valueAt(int index) {
    int entry = entry(index);
    int suffix = suffixLength(entry);
    return restAt(entry, suffix) + Math.max(0, suffix - Long.BYTES);
  }

  /**
   * Index of the first record at or after (key, trailer) in internal order; {@link #count} if there
   * is none.
   */
  int lowerBound(byte[] key, int offset, int length, long trailer) {
    if (prefixLength > 0) {
      int shared = Math.min(prefixLength, length);
      int at = Arrays.mismatch(data, prefixAt, prefixAt + shared, key, offset, offset + shared);
      if (at >= 0) {
        return (key[offset + at] & 0xFF) < (data[prefixAt + at] & 0xFF) ? 0 : count;
      }
      if (length < prefixLength) {
        return 0;
      }
    }
    int suffixAt = offset + prefixLength;
    int suffix = length - prefixLength;
    long head = Bytes.head(key, suffixAt, suffix);
    int low = firstHead(head);
    if (low == count || head(low) != head) {
      return low;
    }
    if (compare(low, key, suffixAt, suffix, trailer) >= 0) {
      return low;
    }
    low++;
    if (low == count || head(low) != head) {
      return low;
    }
    return lowerBoundOfTies(low, head, key, suffixAt, suffix, trailer);
  }

  /**
   * Index of the first head that is not less than {@code head}. Guesses where it is by its distance
   * from the first one, which is right for numbers and hashes and saves most of the waiting for
   * memory; where it is wrong, it has halved what is left to search, or nearly so.
   */
  private int firstHead(long head) {
    if (density == 0) {
      return firstHead(head, 0, count);
    }
    if (Long.compareUnsigned(head, firstHead) <= 0) {
      return 0;
    }
    // Behind the last head the guess may be beyond all numbers; the cast and the clamp bound it.
    int guess = (int) (density * (double) ((head - firstHead) >>> 1)) - GUESS_HEADS / 2;
    int from = Math.clamp(guess, 0, count - GUESS_HEADS);
    byte[] bytes = data;
    long target = head + Long.MIN_VALUE;
    int at = headsAt + from * Long.BYTES;
    int less = 0;
    for (int i = 0; i < GUESS_HEADS; i++) {
      less += Fixed.getLong(bytes, at + i * Long.BYTES) + Long.MIN_VALUE < target ? 1 : 0;
    }
    if (less == 0) {
      return firstHead(head, 0, from);
    }
    if (less == GUESS_HEADS) {
      return firstHead(head, from + GUESS_HEADS, count);
    }
    return from + less;
  }

  /**
   * The same among some heads; {@code to} if all are less. No branch depends on the data, so the
   * processor never guesses wrong; and while much is left, three heads are probed at once, so that
   * it waits for memory half as often.
   */
  private int firstHead(long head, int from, int to) {
    if (from == to) {
      return to;
    }
    byte[] bytes = data;
    long target = head + Long.MIN_VALUE;
    int at = headsAt + from * Long.BYTES;
    int left = to - from;
    while (left >= WIDE_SEARCH_MIN) {
      int step = (left >>> 2) * Long.BYTES;
      long first = Fixed.getLong(bytes, at + step - Long.BYTES) + Long.MIN_VALUE;
      long second = Fixed.getLong(bytes, at + 2 * step - Long.BYTES) + Long.MIN_VALUE;
      long third = Fixed.getLong(bytes, at + 3 * step - Long.BYTES) + Long.MIN_VALUE;
      at +=
          (first < target ? step : 0) + (second < target ? step : 0) + (third < target ? step : 0);
      left -= 3 * (left >>> 2);
    }
    while (left > 1) {
      int half = left >>> 1;
      long probe = Fixed.getLong(bytes, at + (half - 1) * Long.BYTES) + Long.MIN_VALUE;
      at += probe < target ? half * Long.BYTES : 0;
      left -= half;
    }
    int index = (at - headsAt) / Long.BYTES;
    return index + (Fixed.getLong(bytes, at) + Long.MIN_VALUE < target ? 1 : 0);
  }

  private int lowerBoundOfTies(
      int from, long head, byte[] key, int suffixAt, int suffix, long trailer) {
    int low = from;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (head(middle) == head && compare(middle, key, suffixAt, suffix, trailer) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Compares a record with a target that has the same prefix and head. */
  private int compare(int index, byte[] key, int suffixAt, int suffix, long trailer) {
    int entry = entry(index);
    int own = suffixLength(entry);
    int order;
    if (own > Long.BYTES && suffix > Long.BYTES) {
      int restAt = restAt(entry, own);
      order =
          Arrays.compareUnsigned(
              data,
              restAt,
              restAt + own - Long.BYTES,
              key,
              suffixAt + Long.BYTES,
              suffixAt + suffix);
    } else {
      // One of them ends within the head, and what both have is equal: the shorter comes first.
      order = own - suffix;
    }
    return order != 0 ? order : Long.compareUnsigned(trailer, trailer(index));
  }

  /** Whether a record has that key. */
  boolean keyEquals(int index, byte[] key, int offset, int length) {
    int entry = entry(index);
    int suffix = suffixLength(entry);
    if (prefixLength + suffix != length) {
      return false;
    }
    int suffixAt = offset + prefixLength;
    if (head(index) != Bytes.head(key, suffixAt, suffix)) {
      return false;
    }
    if (suffix > Long.BYTES) {
      int restAt = restAt(entry, suffix);
      int rest = suffix - Long.BYTES;
      if (!Arrays.equals(
          data, restAt, restAt + rest, key, suffixAt + Long.BYTES, suffixAt + suffix)) {
        return false;
      }
    }
    return Arrays.equals(
        data, prefixAt, prefixAt + prefixLength, key, offset, offset + prefixLength);
  }

  /** Copies the shared prefix to the front of {@code target}. */
  void copyPrefix(byte[] target) {
    System.arraycopy(data, prefixAt, target, 0, prefixLength);
  }

  /**
   * Completes a key behind the shared prefix in {@code target}, which has room for the longest key
   * and eight bytes more. Bytes behind the key may be overwritten.
   *
   * @return length of the key
   */
  int copySuffix(int index, int entry, byte[] target) {
    int suffix = suffixLength(entry);
    Bytes.putHead(target, prefixLength, head(index), Long.BYTES);
    int rest = suffix - Long.BYTES;
    if (rest > 0) {
      System.arraycopy(data, restAt(entry, suffix), target, prefixLength + Long.BYTES, rest);
    }
    return prefixLength + suffix;
  }

  /** The key of a record, for messages and rare roads. */
  byte[] key(int index) {
    byte[] target = new byte[keyBytesMax + Long.BYTES];
    copyPrefix(target);
    return Arrays.copyOf(target, copySuffix(index, entry(index), target));
  }

  /** Casts what a cache holds, if it is a block of that type. */
  static @Nullable Block cast(@Nullable Object cached, int type) {
    return cached instanceof Block block && block.type == type ? block : null;
  }
}
