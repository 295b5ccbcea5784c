package dev.siltstone.engine.iter;

import dev.siltstone.base.bytes.Bytes;

/**
 * What a point lookup in one source found; reused from lookup to lookup, so that a get allocates
 * nothing but its answer. The value slice is borrowed and never changes (see {@link
 * InternalIterator}). Not safe for concurrent use.
 */
public final class PointResult {
  private boolean found;
  private long trailer;
  private byte[] valueArray = Bytes.EMPTY;
  private int valueOffset;
  private int valueLength;

  /** Forgets the last result. */
  public void clear() {
    found = false;
    valueArray = Bytes.EMPTY;
    valueOffset = 0;
    valueLength = 0;
  }

  /** Records a hit. */
  public void set(long trailer, byte[] valueArray, int valueOffset, int valueLength) {
    this.found = true;
    this.trailer = trailer;
    this.valueArray = valueArray;
    this.valueOffset = valueOffset;
    this.valueLength = valueLength;
  }

  /** Whether a record was found; a tombstone is one. */
  public boolean found() {
    return found;
  }

  /** Time and kind of the record. */
  public long trailer() {
    return trailer;
  }

  /** The array that holds the value. */
  public byte[] valueArray() {
    return valueArray;
  }

  /** Where the value starts. */
  public int valueOffset() {
    return valueOffset;
  }

  /** The length of the value in bytes. */
  public int valueLength() {
    return valueLength;
  }
}
