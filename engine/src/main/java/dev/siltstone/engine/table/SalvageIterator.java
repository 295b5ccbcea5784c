package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.engine.iter.InternalIterator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of the data blocks of a table that can be read, forward only. Blocks that cannot are
 * told as soon as the next key is known.
 */
final class SalvageIterator implements InternalIterator {
  private final TableSalvage table;
  private final BlockSource source;
  private final List<TableSalvage.Handle> blocks;
  private final TableSalvage.Losses losses;
  private final BlockCursor cursor = new BlockCursor();
  private final List<CorruptFileException> untold = new ArrayList<>();
  private byte @Nullable [] lastKey;
  private int next;

  SalvageIterator(
      TableSalvage table,
      BlockSource source,
      List<TableSalvage.Handle> blocks,
      TableSalvage.Losses losses) {
    this.table = table;
    this.source = source;
    this.blocks = blocks;
    this.losses = losses;
  }

  @Override
  public boolean valid() {
    return cursor.valid();
  }

  @Override
  public void first() throws IOException {
    next = 0;
    lastKey = null;
    enterNext();
  }

  @Override
  public void next() throws IOException {
    if (cursor.index() + 1 < cursor.count()) {
      cursor.moveTo(cursor.index() + 1);
      return;
    }
    lastKey = Bytes.copy(cursor.keyArray(), 0, cursor.keyLength());
    enterNext();
  }

  /** Moves to the first record of the next block that can be read. */
  private void enterNext() throws IOException {
    cursor.reset(Block.NONE);
    while (next < blocks.size()) {
      TableSalvage.Handle handle = blocks.get(next++);
      if (handle.stored() < 0) {
        untold.add(source.corrupt(handle.offset(), -handle.stored() + " bytes hold no block"));
        continue;
      }
      try {
        cursor.reset(source.load(TableFormat.DATA, handle.offset(), handle.stored()));
        cursor.moveTo(0);
        tell(Bytes.copy(cursor.keyArray(), 0, cursor.keyLength()));
        return;
      } catch (UnsupportedFileException e) {
        throw e;
      } catch (CorruptFileException e) {
        untold.add(e);
      } catch (IOException e) {
        untold.add(source.corrupt(handle.offset(), "cannot be read: " + e));
      }
    }
    tell(null);
  }

  private void tell(byte @Nullable [] before) {
    for (CorruptFileException fault : untold) {
      losses.lost(fault, lastKey, before);
    }
    untold.clear();
  }

  @Override
  public void last() {
    throw forwardOnly();
  }

  @Override
  public void seek(byte[] key, int offset, int length, long trailer) {
    throw forwardOnly();
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long trailer) {
    throw forwardOnly();
  }

  @Override
  public void prev() {
    throw forwardOnly();
  }

  private static IllegalStateException forwardOnly() {
    return new IllegalStateException("forward only");
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

  @Override
  public void close() {
    try {
      table.close();
    } catch (IOException e) {
      // It was only read.
    }
  }
}
