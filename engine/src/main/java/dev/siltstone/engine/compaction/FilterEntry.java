package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.spi.CompactionFilter;
import java.util.Objects;

/**
 * The current record as a filter sees it: the expiry that is stored in front of a value is told
 * apart from it, and stays in front of what takes its place.
 */
final class FilterEntry implements CompactionFilter.Entry {
  /** The limit of values that are written; the expiry is not counted. */
  static final int VALUE_BYTES_MAX = 1 << 30;

  private final InternalIterator records;
  private int expiryBytes;
  private boolean replaced;
  private byte[] value = Bytes.EMPTY;
  private int offset;
  private int length;
  private byte[] withExpiry = Bytes.EMPTY;

  FilterEntry(InternalIterator records) {
    this.records = records;
  }

  /** Takes the current record. */
  void begin() {
    expiryBytes = KeyKind.expires(Trailer.kind(records.trailer())) ? KeyKind.EXPIRY_BYTES : 0;
    replaced = false;
  }

  @Override
  public byte[] keyArray() {
    return records.keyArray();
  }

  @Override
  public int keyOffset() {
    return records.keyOffset();
  }

  @Override
  public int keyLength() {
    return records.keyLength();
  }

  @Override
  public long hybridTime() {
    return Trailer.time(records.trailer());
  }

  @Override
  public long expiryTime() {
    return expiryBytes == 0
        ? Long.MAX_VALUE
        : Fixed.getLong(records.valueArray(), records.valueOffset());
  }

  @Override
  public boolean isSubtree() {
    return KeyKind.isSubtree(Trailer.kind(records.trailer()));
  }

  @Override
  public byte[] valueArray() {
    return records.valueArray();
  }

  @Override
  public int valueOffset() {
    return records.valueOffset() + expiryBytes;
  }

  @Override
  public int valueLength() {
    return records.valueLength() - expiryBytes;
  }

  @Override
  public void replaceValue(byte[] array, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, array.length);
    if (length > VALUE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "value of " + length + " bytes: at most " + VALUE_BYTES_MAX);
    }
    this.value = array;
    this.offset = offset;
    this.length = length;
    replaced = true;
  }

  /** Settles which value is to be written. */
  void settle(boolean replace) {
    if (!replace) {
      value = records.valueArray();
      offset = records.valueOffset();
      length = records.valueLength();
      return;
    }
    if (!replaced) {
      throw new IllegalStateException("REPLACE without a call of replaceValue");
    }
    if (expiryBytes > 0) {
      int total = expiryBytes + length;
      if (total > withExpiry.length) {
        withExpiry = new byte[total];
      }
      System.arraycopy(records.valueArray(), records.valueOffset(), withExpiry, 0, expiryBytes);
      System.arraycopy(value, offset, withExpiry, expiryBytes, length);
      value = withExpiry;
      offset = 0;
      length = total;
    }
  }

  /** The array of the value to be written. */
  byte[] newValue() {
    return value;
  }

  /** Where it starts. */
  int newOffset() {
    return offset;
  }

  /** Its length in bytes. */
  int newLength() {
    return length;
  }
}
