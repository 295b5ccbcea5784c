package dev.siltstone.engine.key;

import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Varint;
import java.util.Arrays;

/**
 * Builds the bytes of a batch ({@link BatchRecord} draws them) in one growing array.
 *
 * <p>Keys and values are copied. Lengths and kinds are checked; that the batch as a whole stays
 * within {@link BatchRecord#BATCH_BYTES_MAX} is for the caller to see to before each record, with
 * {@link #bytes} and {@link #recordBytes}. One thread at a time.
 */
public final class BatchWriter {
  private static final int BYTES_FIRST = 256;

  private byte[] array = new byte[BYTES_FIRST];
  private int bytes = BatchRecord.HEADER_BYTES;
  private int count;

  /** An empty batch. */
  public BatchWriter() {}

  /** Most bytes that a record can take in a batch. */
  public static long recordBytes(int keyLength, int valueLength) {
    return 1L + 3 * Varint.INT_BYTES_MAX + keyLength + valueLength;
  }

  /** Appends a record. The value of a range delete is its {@link UpperBound}. */
  public void add(
      int treeId,
      int kind,
      byte[] key,
      int keyOffset,
      int keyLength,
      byte[] value,
      int valueOffset,
      int valueLength) {
    if (kind == KeyKind.RANGE_DELETE
        && !UpperBound.isAfter(value, valueOffset, valueLength, key, keyOffset, keyLength)) {
      throw new IllegalArgumentException("bounds of a range delete are not in order");
    }
    int at = appendUnchecked(treeId, kind, key, keyOffset, keyLength, valueLength);
    System.arraycopy(value, valueOffset, array, at, valueLength);
  }

  /** Appends a record of whole arrays. */
  public void add(int treeId, int kind, byte[] key, byte[] value) {
    add(treeId, kind, key, 0, key.length, value, 0, value.length);
  }

  /** Appends a record that expires; {@code kind} must have {@link KeyKind#EXPIRES}. */
  public void addExpiring(int treeId, int kind, long expiry, byte[] key, byte[] value) {
    if (!KeyKind.expires(kind)) {
      throw new IllegalArgumentException("kind 0x" + Integer.toHexString(kind) + " cannot expire");
    }
    int at = append(treeId, kind, key, 0, key.length, KeyKind.EXPIRY_BYTES + value.length);
    Fixed.putLong(array, at, expiry);
    System.arraycopy(value, 0, array, at + KeyKind.EXPIRY_BYTES, value.length);
  }

  /**
   * Appends a record whose value the caller stores himself, at once, into {@link #array}. Not for
   * range deletes, since their bounds are compared.
   *
   * @return where the value starts; its {@code valueLength} bytes hold anything until stored
   */
  public int append(
      int treeId, int kind, byte[] key, int keyOffset, int keyLength, int valueLength) {
    if (kind == KeyKind.RANGE_DELETE) {
      throw new IllegalArgumentException("range delete without its upper bound");
    }
    return appendUnchecked(treeId, kind, key, keyOffset, keyLength, valueLength);
  }

  private int appendUnchecked(
      int treeId, int kind, byte[] key, int keyOffset, int keyLength, int valueLength) {
    check(treeId, kind, keyLength, valueLength);
    reserve(recordBytes(keyLength, valueLength));
    int at = bytes;
    array[at++] = (byte) kind;
    at = Varint.put(array, at, treeId);
    at = Varint.put(array, at, keyLength);
    at = Varint.put(array, at, valueLength);
    System.arraycopy(key, keyOffset, array, at, keyLength);
    at += keyLength;
    bytes = at + valueLength;
    count++;
    return at;
  }

  /** Refuses what {@link BatchReader} would refuse, since that would be found out too late. */
  private static void check(int treeId, int kind, int keyLength, int valueLength) {
    boolean range = kind == KeyKind.RANGE_DELETE;
    int keyMax = range ? BatchRecord.BOUND_BYTES_MAX : BatchRecord.KEY_BYTES_MAX;
    boolean keyFits = keyLength >= 0 && keyLength <= keyMax;
    if (treeId < 0 || !KeyKind.isKnown(kind) || !keyFits || !valueFits(kind, valueLength)) {
      throw new IllegalArgumentException(
          "record of kind 0x%x in tree %d: key of %d bytes, value of %d"
              .formatted(kind, treeId, keyLength, valueLength));
    }
  }

  private static boolean valueFits(int kind, int length) {
    int fixed = KeyKind.expires(kind) ? KeyKind.EXPIRY_BYTES : 0;
    if (KeyKind.isSeparated(kind)) {
      return length == fixed + BlobReference.BYTES;
    }
    return switch (KeyKind.base(kind)) {
      case KeyKind.PUT -> length >= fixed;
      case KeyKind.DELETE -> length == 0;
      default -> length >= 0 && length <= BatchRecord.BOUND_BYTES_MAX;
    };
  }

  private void reserve(long more) {
    long need = bytes + more;
    if (need <= array.length) {
      return;
    }
    if (need > BatchRecord.BATCH_BYTES_MAX) {
      throw new IllegalStateException(
          "batch of " + need + " bytes, at most " + BatchRecord.BATCH_BYTES_MAX);
    }
    long doubled = Math.min(2L * array.length, BatchRecord.BATCH_BYTES_MAX);
    array = Arrays.copyOf(array, (int) Math.max(need, doubled));
  }

  /** Forgets all records; the array is kept for the next ones. */
  public void clear() {
    bytes = BatchRecord.HEADER_BYTES;
    count = 0;
  }

  /** Stamps the time and the count into the header, after which the batch can be read. */
  public void seal(long time) {
    Fixed.putLong(array, BatchRecord.TIME_OFFSET, time);
    Fixed.putInt(array, BatchRecord.COUNT_OFFSET, count);
  }

  /** Length of the batch in bytes, header included. */
  public int bytes() {
    return bytes;
  }

  /** Number of records. */
  public int count() {
    return count;
  }

  /**
   * The array in which the batch starts at 0. Borrowed: the next record may move the batch into
   * another one.
   */
  public byte[] array() {
    return array;
  }
}
