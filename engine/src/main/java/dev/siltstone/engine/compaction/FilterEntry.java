package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.spi.CompactionFilter;

/** The current record as a filter sees it. */
final class FilterEntry implements CompactionFilter.Entry {
  private final InternalIterator records;
  private byte[] value = Bytes.EMPTY;
  private int offset;
  private int length;

  FilterEntry(InternalIterator records) {
    this.records = records;
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
  public long trailer() {
    return records.trailer();
  }

  @Override
  public byte[] valueArray() {
    return records.valueArray();
  }

  @Override
  public int valueOffset() {
    return records.valueOffset();
  }

  @Override
  public int valueLength() {
    return records.valueLength();
  }

  @Override
  public void replaceValue(byte[] array, int offset, int length) {
    this.value = array;
    this.offset = offset;
    this.length = length;
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
