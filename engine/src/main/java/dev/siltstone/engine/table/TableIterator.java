package dev.siltstone.engine.table;

import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.StoredBlock;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the records of a table: a place in the top index, one in the index block of that
 * partition, and a cursor in the data block found there. One thread at a time.
 */
final class TableIterator implements InternalIterator {
  private final TableReader table;
  private final SpanReader reader;
  private final Block top;
  private final BlockCursor cursor = new BlockCursor();
  private final TableBlock offered = new TableBlock();

  /** The partition that {@link #index} is of; -1 for none. */
  private int partition = -1;

  private Block index = Block.NONE;

  /** The data block of that partition that the cursor is in; -1 for none. */
  private int ordinal = -1;

  TableIterator(TableReader table, SpanReader reader) {
    this.table = table;
    this.reader = reader;
    this.top = table.topIndex();
  }

  @Override
  public boolean valid() {
    return cursor.valid();
  }

  @Override
  public void first() throws IOException {
    invalidate();
    if (top.count() > 0) {
      enterFirst(0);
    }
  }

  @Override
  public void last() throws IOException {
    invalidate();
    if (top.count() > 0) {
      enterLast(top.count() - 1);
    }
  }

  @Override
  public void seek(byte[] key, int offset, int length, long trailer) throws IOException {
    invalidate();
    int found = find(key, offset, length, trailer);
    if (found < 0) {
      return;
    }
    if (found < cursor.count()) {
      cursor.moveTo(found);
    } else {
      enterNextBlock();
    }
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long trailer) throws IOException {
    invalidate();
    int found = find(key, offset, length, trailer);
    if (found < 0) {
      last();
    } else if (found > 0) {
      cursor.moveTo(found - 1);
    } else {
      enterPreviousBlock();
    }
  }

  /**
   * Enters the block that (key, trailer) would be in.
   *
   * @return the index there of the first record at or after it, which may be the block's count; -1
   *     if it lies behind all blocks
   */
  private int find(byte[] key, int offset, int length, long trailer) throws IOException {
    int found = top.count() == 0 ? 0 : top.lowerBound(key, offset, length, trailer);
    if (found == top.count()) {
      return -1;
    }
    Block block = enterPartition(found);
    int at = block.lowerBound(key, offset, length, trailer);
    return enterBlock(block, Math.min(at, block.count() - 1))
        .lowerBound(key, offset, length, trailer);
  }

  @Override
  public void next() throws IOException {
    assert valid() : "next of an invalid iterator";
    int at = cursor.index() + 1;
    if (at < cursor.count()) {
      cursor.moveTo(at);
    } else {
      enterNextBlock();
    }
  }

  @Override
  public void prev() throws IOException {
    assert valid() : "prev of an invalid iterator";
    int at = cursor.index() - 1;
    if (at >= 0) {
      cursor.moveTo(at);
    } else {
      enterPreviousBlock();
    }
  }

  @Override
  public @Nullable StoredBlock block() {
    return cursor.index() == 0 && reader.offer(cursor.block(), offered) ? offered : null;
  }

  @Override
  public void skipBlock() throws IOException {
    assert cursor.index() == 0 : "not at the beginning of a block";
    enterNextBlock();
  }

  /** Moves to the first record after the block; invalid if there is none. */
  private void enterNextBlock() throws IOException {
    Block block = index;
    int next = ordinal + 1;
    int nextPartition = partition + 1;
    cursor.reset(Block.NONE);
    if (next < block.count()) {
      enterBlock(block, next);
      cursor.moveTo(0);
    } else if (nextPartition < top.count()) {
      enterFirst(nextPartition);
    }
  }

  /** Moves to the last record before the block; invalid if there is none. */
  private void enterPreviousBlock() throws IOException {
    Block block = index;
    int previous = ordinal - 1;
    int previousPartition = partition - 1;
    cursor.reset(Block.NONE);
    if (previous >= 0) {
      enterBlock(block, previous);
      cursor.moveTo(cursor.count() - 1);
    } else if (previousPartition >= 0) {
      enterLast(previousPartition);
    }
  }

  private void enterFirst(int newPartition) throws IOException {
    enterBlock(enterPartition(newPartition), 0);
    cursor.moveTo(0);
  }

  private void enterLast(int newPartition) throws IOException {
    Block block = enterPartition(newPartition);
    enterBlock(block, block.count() - 1);
    cursor.moveTo(cursor.count() - 1);
  }

  private Block enterPartition(int newPartition) throws IOException {
    if (newPartition != partition) {
      partition = -1;
      ordinal = -1;
      index = table.index(newPartition);
      partition = newPartition;
    }
    return index;
  }

  /** Takes a data block of the partition; the cursor stands nowhere in it. */
  private Block enterBlock(Block ofPartition, int newOrdinal) throws IOException {
    ordinal = -1;
    byte[] data = ofPartition.data();
    int at = ofPartition.valueAt(newOrdinal);
    long offset = BlockSource.handleOffset(data, at);
    Block block = reader.data(offset, BlockSource.handleStored(data, at, offset));
    ordinal = newOrdinal;
    cursor.reset(block);
    return block;
  }

  private void invalidate() {
    cursor.reset(Block.NONE);
  }

  @Override
  public byte[] keyArray() {
    return cursor.keyArray();
  }

  @Override
  public int keyOffset() {
    return 0;
  }

  @Override
  public int keyLength() {
    return cursor.keyLength();
  }

  @Override
  public long trailer() {
    return cursor.trailer();
  }

  @Override
  public byte[] valueArray() {
    return cursor.valueArray();
  }

  @Override
  public int valueOffset() {
    return cursor.valueOffset();
  }

  @Override
  public int valueLength() {
    return cursor.valueLength();
  }

  /** Whether a newer record of the same key stands before this one in the file. */
  boolean obsolete() {
    return cursor.obsolete();
  }

  /** Whether the record is the first of its data block. */
  boolean startsBlock() {
    return cursor.index() == 0;
  }

  @Override
  public void close() {
    invalidate();
    offered.clear();
    index = Block.NONE;
    partition = -1;
    ordinal = -1;
  }
}
