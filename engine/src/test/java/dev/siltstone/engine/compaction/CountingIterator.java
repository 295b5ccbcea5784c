package dev.siltstone.engine.compaction;

import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;

/**
 * Makes up records without allocating: keys count up in eight digits, so that all sources hold
 * versions of the same keys; every hundredth is a subtree delete over the keys up to the next.
 */
final class CountingIterator implements InternalIterator {
  private static final int DIGITS = 8;

  private final int source;
  private final int sources;
  private final int count;
  private final byte[] key = new byte[DIGITS];
  private int index;

  CountingIterator(int source, int sources, int count) {
    this.source = source;
    this.sources = sources;
    this.count = count;
    this.index = count;
  }

  @Override
  public boolean valid() {
    return index < count;
  }

  @Override
  public void first() {
    index = 0;
    writeKey();
  }

  @Override
  public void next() {
    index++;
    writeKey();
  }

  private void writeKey() {
    int rest = index / 2 * 2;
    for (int i = DIGITS - 1; i >= 0; i--) {
      key[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }

  @Override
  public int keyLength() {
    return isSubtree() ? DIGITS - 2 : DIGITS;
  }

  private boolean isSubtree() {
    return index % 100 == 0;
  }

  @Override
  public long trailer() {
    if (isSubtree()) {
      return Trailer.of(source + 1, KeyKind.DELETE | KeyKind.SUBTREE);
    }
    // Two versions of each key in each source.
    return Trailer.of(2L * (sources - source) + (index + 1) % 2, KeyKind.PUT);
  }

  @Override
  public byte[] keyArray() {
    return key;
  }

  @Override
  public int keyOffset() {
    return 0;
  }

  @Override
  public byte[] valueArray() {
    return key;
  }

  @Override
  public int valueOffset() {
    return 0;
  }

  @Override
  public int valueLength() {
    return isSubtree() ? 0 : DIGITS;
  }

  @Override
  public void last() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void prev() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void seek(byte[] key, int offset, int length, long trailer) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long trailer) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    index = count;
  }
}
