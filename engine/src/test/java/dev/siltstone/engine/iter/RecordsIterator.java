package dev.siltstone.engine.iter;

import dev.siltstone.base.bytes.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * An iterator over records in memory that behaves as badly as the contract allows: key bytes are
 * overwritten at the next move, records may be added while it is open, any move may fail.
 */
public final class RecordsIterator implements InternalIterator {
  private final TreeSet<TestRecord> records;
  private TestRecord current;
  private byte[] key = Bytes.EMPTY;
  private boolean closed;

  /** Moves until an {@link IOException}; negative for never. */
  private int movesLeft = -1;

  /** An iterator over records in any order. */
  public RecordsIterator(List<TestRecord> records) {
    this.records = new TreeSet<>(records);
  }

  /** All records from where {@code first} leads, in order. */
  public static List<TestRecord> drain(InternalIterator iterator) throws IOException {
    List<TestRecord> result = new ArrayList<>();
    for (iterator.first(); iterator.valid(); iterator.next()) {
      result.add(read(iterator));
    }
    return result;
  }

  /** A copy of the current record. */
  public static TestRecord read(InternalIterator iterator) {
    return new TestRecord(
        Bytes.copy(iterator.keyArray(), iterator.keyOffset(), iterator.keyLength()),
        iterator.trailer(),
        Bytes.copy(iterator.valueArray(), iterator.valueOffset(), iterator.valueLength()));
  }

  /** Adds a record under the iterator's feet, as a memtable does. */
  public void add(TestRecord record) {
    records.add(record);
  }

  /** Makes a move after that many more fail. */
  public void failAfter(int moves) {
    movesLeft = moves;
  }

  /** Whether the iterator was closed. */
  public boolean closed() {
    return closed;
  }

  private void stand(TestRecord record) throws IOException {
    java.util.Arrays.fill(key, (byte) 0xEE);
    current = null;
    if (movesLeft == 0) {
      throw new IOException("planted");
    }
    movesLeft--;
    current = record;
    if (record != null) {
      // An array of its own with a margin on both sides, so that wrong offsets show.
      key = new byte[record.key().length + 5];
      System.arraycopy(record.key(), 0, key, 3, record.key().length);
    }
  }

  @Override
  public boolean valid() {
    return current != null;
  }

  @Override
  public void first() throws IOException {
    stand(records.isEmpty() ? null : records.first());
  }

  @Override
  public void last() throws IOException {
    stand(records.isEmpty() ? null : records.last());
  }

  @Override
  public void seek(byte[] key, int offset, int length, long trailer) throws IOException {
    stand(records.ceiling(target(key, offset, length, trailer)));
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long trailer) throws IOException {
    stand(records.lower(target(key, offset, length, trailer)));
  }

  private static TestRecord target(byte[] key, int offset, int length, long trailer) {
    return new TestRecord(Bytes.copy(key, offset, length), trailer, Bytes.EMPTY);
  }

  @Override
  public void next() throws IOException {
    stand(records.higher(current));
  }

  @Override
  public void prev() throws IOException {
    stand(records.lower(current));
  }

  @Override
  public byte[] keyArray() {
    return key;
  }

  @Override
  public int keyOffset() {
    return 3;
  }

  @Override
  public int keyLength() {
    return key.length - 5;
  }

  @Override
  public long trailer() {
    return current.trailer();
  }

  @Override
  public byte[] valueArray() {
    return current.value();
  }

  @Override
  public int valueOffset() {
    return 0;
  }

  @Override
  public int valueLength() {
    return current.value().length;
  }

  @Override
  public void close() {
    closed = true;
  }
}
