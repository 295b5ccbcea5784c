package dev.siltstone.engine.memtable;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Varint;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.key.BatchRecord;

/** Shows the records that a {@link TreeCursor} stands on. */
final class MemTableIterator implements InternalIterator {
  /** So many records are touched at once, so that the misses of the cache overlap. */
  private static final int AHEAD = 16;

  private final Records records;
  private final TreeCursor cursor;

  private boolean valid;
  private long trailer;
  private byte[] array = Bytes.EMPTY;
  private int keyOffset;
  private int keyLength;
  private int valueLength;

  /** Trailers of the next records in the direction of the last move. */
  private final long[] ahead = new long[AHEAD];

  private int aheadCount;
  private int aheadAt;
  private int direction;

  MemTableIterator(Records records, HeadTree tree) {
    this.records = records;
    this.cursor = new TreeCursor(tree);
  }

  @Override
  public boolean valid() {
    return valid;
  }

  @Override
  public void first() {
    cursor.first();
    place();
  }

  @Override
  public void last() {
    cursor.last();
    place();
  }

  @Override
  public void seek(byte[] key, int offset, int length, long trailer) {
    cursor.seek(key, offset, length, trailer);
    place();
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long trailer) {
    cursor.seekBefore(key, offset, length, trailer);
    place();
  }

  @Override
  public void next() {
    assert valid : "next on an invalid iterator";
    cursor.next();
    moved(1);
  }

  @Override
  public void prev() {
    assert valid : "prev on an invalid iterator";
    cursor.prev();
    moved(-1);
  }

  private void place() {
    aheadCount = 0;
    aheadAt = 0;
    valid = cursor.valid();
    if (valid) {
      trailer = records.trailer(cursor.ref());
      show();
    }
  }

  private void moved(int step) {
    valid = cursor.valid();
    if (valid) {
      if (aheadAt == aheadCount || direction != step) {
        lookAhead(step);
      }
      trailer = ahead[aheadAt++];
      show();
    }
  }

  /**
   * Loads the trailers of the next records of the leaf. Records lie anywhere in memory: fetched one
   * by one, each would be waited for, whereas the loads of this loop overlap.
   */
  private void lookAhead(int step) {
    direction = step;
    aheadAt = 0;
    aheadCount = Math.min(AHEAD, cursor.remaining(step));
    for (int i = 0; i < aheadCount; i++) {
      ahead[i] = records.trailer(cursor.ref(i * step));
    }
  }

  private void show() {
    int ref = cursor.ref();
    byte[] source = records.array(ref);
    int lengths = BatchRecord.lengths(source, records.record(ref));
    int length = Varint.getInt(source, lengths);
    int at = lengths + Varint.length(length);
    int value = Varint.getInt(source, at);
    array = source;
    keyOffset = at + Varint.length(value);
    keyLength = length;
    valueLength = value;
  }

  @Override
  public byte[] keyArray() {
    return array;
  }

  @Override
  public int keyOffset() {
    return keyOffset;
  }

  @Override
  public int keyLength() {
    return keyLength;
  }

  @Override
  public long trailer() {
    return trailer;
  }

  @Override
  public byte[] valueArray() {
    return array;
  }

  @Override
  public int valueOffset() {
    return keyOffset + keyLength;
  }

  @Override
  public int valueLength() {
    return valueLength;
  }

  @Override
  public void close() {
    // Records live as long as somebody refers to them.
  }
}
