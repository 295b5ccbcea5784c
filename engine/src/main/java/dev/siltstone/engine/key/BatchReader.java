package dev.siltstone.engine.key;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.time.HybridTime;
import java.io.IOException;

/**
 * Walks the records of a batch ({@link BatchRecord} draws the bytes) and believes nothing: lengths,
 * kinds and values are checked before they are shown. Reading allocates nothing, and a reader can
 * be opened again and again. One thread at a time.
 *
 * <p>Usage: {@code open}, then {@code while (next())}. The array is borrowed: it may not change
 * while the reader is in use.
 */
public final class BatchReader {
  private byte[] array = Bytes.EMPTY;
  private int start;
  private int end;
  private long time;
  private int count;

  private int read;
  private int next;
  private int record;
  private int kind;
  private int treeId;
  private int keyOffset;
  private int keyLength;
  private int valueLength;

  /** A reader of nothing; {@link #open} gives it a batch. */
  public BatchReader() {}

  /**
   * Starts before the first record of the batch in a range.
   *
   * @throws IOException if the header cannot be that of a batch; the message names the offset
   */
  public void open(byte[] array, int offset, int length) throws IOException {
    this.array = array;
    start = offset;
    end = offset + length;
    read = 0;
    count = 0;
    next = end;
    if (length < BatchRecord.HEADER_BYTES) {
      throw new IOException("batch of " + length + " bytes has no room for its header");
    }
    time = Fixed.getLong(array, offset + BatchRecord.TIME_OFFSET);
    if (time < HybridTime.MIN || time > HybridTime.MAX) {
      throw new IOException("batch has time 0x" + Long.toHexString(time) + " at offset 0");
    }
    int records = Fixed.getInt(array, offset + BatchRecord.COUNT_OFFSET);
    int recordsMax = (length - BatchRecord.HEADER_BYTES) / BatchRecord.RECORD_BYTES_MIN;
    if (records < 0 || records > recordsMax) {
      throw new IOException(
          "batch of " + length + " bytes claims " + (records & 0xFFFFFFFFL) + " records");
    }
    count = records;
    next = offset + BatchRecord.HEADER_BYTES;
  }

  /** Forgets the batch, whose array may be large. */
  public void clear() {
    array = Bytes.EMPTY;
    start = 0;
    end = 0;
    read = 0;
    count = 0;
    next = 0;
  }

  /**
   * Moves to the next record.
   *
   * @return false after the last one
   * @throws IOException if the bytes are not those of a record; the message names the offset within
   *     the batch. The reader is then at its end.
   */
  public boolean next() throws IOException {
    if (read == count) {
      if (next != end) {
        throw fail(next, "has " + (end - next) + " bytes after its last record");
      }
      return false;
    }
    readRecord();
    read++;
    return true;
  }

  private void readRecord() throws IOException {
    int at = next;
    record = at;
    if (end - at < BatchRecord.RECORD_BYTES_MIN) {
      throw fail(at, "ends within a record");
    }
    kind = array[at] & 0xFF;
    if (!KeyKind.isKnown(kind)) {
      throw fail(at, "has a record of unknown kind 0x" + Integer.toHexString(kind));
    }
    next = at + 1;
    treeId = readVarint();
    keyLength = readVarint();
    valueLength = readVarint();
    keyOffset = next;
    if (keyLength > end - keyOffset || valueLength > end - keyOffset - keyLength) {
      throw fail(at, "has a record of " + keyLength + " + " + valueLength + " bytes past its end");
    }
    next = keyOffset + keyLength + valueLength;
    checkContent();
  }

  /** A varint of at most 31 bits. */
  private int readVarint() throws IOException {
    int at = next;
    int value = 0;
    for (int shift = 0; shift < 35 && at < end; shift += 7) {
      int b = array[at++];
      if (shift == 28 && (b & 0xF8) != 0) {
        break;
      }
      value |= (b & 0x7F) << shift;
      if (b >= 0) {
        next = at;
        return value;
      }
    }
    throw fail(record, "has a record with a number that is cut or too great");
  }

  private void checkContent() throws IOException {
    if (kind == KeyKind.PUT) {
      if (keyLength > BatchRecord.KEY_BYTES_MAX) {
        throw fail(record, "has a key of " + keyLength + " bytes");
      }
      return;
    }
    checkRareContent();
  }

  private void checkRareContent() throws IOException {
    if (kind == KeyKind.RANGE_DELETE) {
      checkRange();
      return;
    }
    if (keyLength > BatchRecord.KEY_BYTES_MAX) {
      throw fail(record, "has a key of " + keyLength + " bytes");
    }
    int fixed = KeyKind.expires(kind) ? KeyKind.EXPIRY_BYTES : 0;
    if (valueLength < fixed) {
      throw fail(record, "has a value of " + valueLength + " bytes without its expiry");
    }
    if (KeyKind.base(kind) == KeyKind.DELETE && valueLength != 0) {
      throw fail(record, "has a delete with a value of " + valueLength + " bytes");
    }
    if (KeyKind.isSeparated(kind)
        && (valueLength != fixed + BlobReference.BYTES
            || !BlobReference.isValid(array, valueOffset() + fixed))) {
      throw fail(record, "has a damaged blob reference of " + valueLength + " bytes");
    }
  }

  private void checkRange() throws IOException {
    if (keyLength > BatchRecord.BOUND_BYTES_MAX || valueLength > BatchRecord.BOUND_BYTES_MAX) {
      throw fail(record, "has bounds of " + keyLength + " and " + valueLength + " bytes");
    }
    if (!UpperBound.isAfter(array, valueOffset(), valueLength, array, keyOffset, keyLength)) {
      throw fail(record, "has a range delete whose bounds are not in order");
    }
  }

  private IOException fail(int at, String what) {
    read = count;
    next = end;
    return new IOException("batch " + what + " at offset " + (at - start));
  }

  /** The hybrid time of all records. */
  public long time() {
    return time;
  }

  /** Number of records in the batch. */
  public int count() {
    return count;
  }

  /** The array that holds the batch. */
  public byte[] array() {
    return array;
  }

  /** Where the record starts. */
  public int recordOffset() {
    return record;
  }

  /** Length of the record in bytes. */
  public int recordLength() {
    return next - record;
  }

  /** The kind byte. */
  public int kind() {
    return kind;
  }

  /** Time and kind. */
  public long trailer() {
    return Trailer.of(time, kind);
  }

  /** The tree that the record belongs to. */
  public int treeId() {
    return treeId;
  }

  /** Where the key starts; of a range delete, its lower bound. */
  public int keyOffset() {
    return keyOffset;
  }

  /** The length of the key in bytes. */
  public int keyLength() {
    return keyLength;
  }

  /** Where the value starts; of a range delete, its {@link UpperBound}. */
  public int valueOffset() {
    return keyOffset + keyLength;
  }

  /** The length of the value in bytes. */
  public int valueLength() {
    return valueLength;
  }
}
