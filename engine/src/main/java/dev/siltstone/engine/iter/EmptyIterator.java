package dev.siltstone.engine.iter;

import dev.siltstone.base.bytes.Bytes;

/** The iterator over no records. Has no state, so one instance serves any number of callers. */
public final class EmptyIterator implements InternalIterator {
  /** The only instance. */
  public static final EmptyIterator INSTANCE = new EmptyIterator();

  private EmptyIterator() {}

  @Override
  public boolean valid() {
    return false;
  }

  @Override
  public void first() {
    // There is no first record.
  }

  @Override
  public void last() {
    // There is no last record.
  }

  @Override
  public void seek(byte[] key, int offset, int length, long trailer) {
    // No record lies at or after anything.
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long trailer) {
    // No record lies before anything.
  }

  @Override
  public void next() {
    throw new IllegalStateException("not valid");
  }

  @Override
  public void prev() {
    throw new IllegalStateException("not valid");
  }

  @Override
  public byte[] keyArray() {
    return Bytes.EMPTY;
  }

  @Override
  public int keyOffset() {
    return 0;
  }

  @Override
  public int keyLength() {
    return 0;
  }

  @Override
  public long trailer() {
    return 0;
  }

  @Override
  public byte[] valueArray() {
    return Bytes.EMPTY;
  }

  @Override
  public int valueOffset() {
    return 0;
  }

  @Override
  public int valueLength() {
    return 0;
  }

  @Override
  public void close() {
    // Holds nothing.
  }
}
