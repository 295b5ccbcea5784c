package dev.siltstone.engine.key;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Varint;

/**
 * The bytes of a batch and of each record in it. The same bytes are the payload of a log record and
 * what a memtable keeps, so a record is encoded once in its life. On disk, never change.
 *
 * <pre>
 *   batch    0        8        12
 *            +--------+--------+----------+----------+-- ... --+
 *            |  time  | count  | record 0 | record 1 |         |
 *            +--------+--------+----------+----------+-- ... --+
 *            time     u64, hybrid time of all records; stamped at commit, 0 before
 *            count    u32, number of records
 *
 *   record   +------+---------+------------+--------------+-----+-------+
 *            | kind | tree id | key length | value length | key | value |
 *            +------+---------+------------+--------------+-----+-------+
 *            kind           u8, {@link KeyKind}
 *            tree id        varint, 0..2^31-1
 *            key length     varint
 *            value length   varint
 *            key            the key; of a RANGE_DELETE its lower bound
 *            value          [expiry: u64, if EXPIRES] and then
 *                             the bytes of the value, or
 *                             a {@link BlobReference}, if SEPARATED, or
 *                             nothing, if DELETE, or
 *                             the {@link UpperBound}, exclusive, if RANGE_DELETE
 * </pre>
 *
 * <p>Numbers are little-endian. The methods here read records that a {@link BatchReader} has
 * accepted; they check nothing.
 */
public final class BatchRecord {
  /** Longest key, in bytes. */
  public static final int KEY_BYTES_MAX = 64 << 10;

  /** Longest bound of a range delete, in bytes: the successor of a longest key. */
  public static final int BOUND_BYTES_MAX = KEY_BYTES_MAX + 1;

  /** Longest batch, in bytes: 256 MiB, and room for what a single record adds to its value. */
  public static final int BATCH_BYTES_MAX = (256 << 20) + (1 << 20);

  /** Bytes before the first record of a batch. */
  public static final int HEADER_BYTES = 12;

  /** Where the time stands in a batch. */
  public static final int TIME_OFFSET = 0;

  static final int COUNT_OFFSET = 8;

  /** Shortest record: kind and three varints of one byte. */
  static final int RECORD_BYTES_MIN = 4;

  private BatchRecord() {}

  /** The kind byte of the record at {@code record}. */
  public static int kind(byte[] array, int record) {
    return array[record] & 0xFF;
  }

  /** Where the key length of the record at {@code record} starts; the value length follows it. */
  public static int lengths(byte[] array, int record) {
    int at = record + 1;
    while (array[at] < 0) {
      at++;
    }
    return at + 1;
  }

  /** Where the value length starts, given {@link #lengths} and the key length that stands there. */
  public static int valueLengthAt(int lengths, int keyLength) {
    return lengths + Varint.length(keyLength);
  }

  /** Compares the keys of two records. */
  public static int compareKeys(byte[] a, int aRecord, byte[] b, int bRecord) {
    int aLengths = lengths(a, aRecord);
    int aLength = Varint.getInt(a, aLengths);
    int bLengths = lengths(b, bRecord);
    int bLength = Varint.getInt(b, bLengths);
    return Bytes.compare(
        a, keyOffset(a, aLengths, aLength), aLength, b, keyOffset(b, bLengths, bLength), bLength);
  }

  /** Compares the key of a record with a key. */
  public static int compareKey(byte[] array, int record, byte[] key, int offset, int length) {
    int lengths = lengths(array, record);
    int keyLength = Varint.getInt(array, lengths);
    return Bytes.compare(
        array, keyOffset(array, lengths, keyLength), keyLength, key, offset, length);
  }

  /** Where the key starts, given {@link #lengths} and the key length that stands there. */
  public static int keyOffset(byte[] array, int lengths, int keyLength) {
    int at = lengths + Varint.length(keyLength);
    while (array[at] < 0) {
      at++;
    }
    return at + 1;
  }
}
