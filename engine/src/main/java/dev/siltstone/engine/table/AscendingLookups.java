package dev.siltstone.engine.table;

import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;

/**
 * Lookups of many keys in one table. Where keys ascend, each index block and data block is taken
 * from the cache, or read, once, however many of the keys lie in it.
 *
 * <p>One thread at a time.
 */
public final class AscendingLookups {
  private final TableReader table;
  private int partition = -1;
  private Block index = Block.NONE;
  private int ordinal = -1;
  private Block block = Block.NONE;

  AscendingLookups(TableReader table) {
    this.table = table;
  }

  /** As {@link TableReader#find} for records of any kind and a whole array. */
  public boolean find(byte[] key, long hash, long atTime, PointResult result) throws IOException {
    Block top = table.topIndex();
    long target = Trailer.seekAt(atTime);
    int found = top.count() == 0 ? 0 : top.lowerBound(key, 0, key.length, target);
    if (found == top.count() || !table.mayContain(found, hash)) {
      return false;
    }
    enter(found, key, target);
    int at = block.lowerBound(key, 0, key.length, target);
    // Where versions of a key go on in the next block, the separator is the last record, so that
    // the first one for the reader is never behind the block.
    if (at == block.count() || !block.keyEquals(at, key, 0, key.length)) {
      return false;
    }
    int valueAt = block.valueAt(at);
    result.set(block.trailer(at), block.data(), valueAt, block.entry(at + 1) - valueAt);
    return true;
  }

  /** Takes the data block that a key would be in, unless it is the last one. */
  private void enter(int newPartition, byte[] key, long target) throws IOException {
    if (newPartition != partition) {
      partition = -1;
      ordinal = -1;
      index = table.index(newPartition);
      partition = newPartition;
    }
    int newOrdinal = table.ordinal(index, partition, key, 0, key.length, target);
    if (newOrdinal != ordinal) {
      ordinal = -1;
      block = table.data(index, newOrdinal);
      ordinal = newOrdinal;
    }
  }
}
