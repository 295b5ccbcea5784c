package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.iter.InternalIterator;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Walks the records of a table: partition by partition, block by block, record by record. The key
 * is put together in one buffer; its prefix is copied once a block.
 */
final class TableIterator implements InternalIterator {
  private final TableReader table;
  private final boolean fillCache;
  private int partition;
  private @Nullable Block index;
  private int entry;
  private @Nullable Block data;
  private int at;
  private boolean valid;

  private byte[] key = new byte[64];
  private int keyLength;
  private long trailer;

  TableIterator(TableReader table, boolean fillCache) {
    this.table = table;
    this.fillCache = fillCache;
  }

  @Override
  public boolean valid() {
    return valid;
  }

  @Override
  public void first() throws IOException {
    valid = false;
    if (openPartition(0) && openBlock(0)) {
      place(0);
    }
  }

  @Override
  public void last() throws IOException {
    valid = false;
    if (openPartition(table.partitions() - 1) && openBlock(current(index).count() - 1)) {
      place(current(data).count() - 1);
    }
  }

  @Override
  public void seek(byte[] target, int offset, int length, long from) throws IOException {
    valid = false;
    if (locate(target, offset, length, from)) {
      settleForward(current(data).rank(target, offset, length, from));
    }
  }

  @Override
  public void seekBefore(byte[] target, int offset, int length, long from) throws IOException {
    valid = false;
    if (locate(target, offset, length, from)) {
      settleBackward(current(data).rank(target, offset, length, from) - 1);
    } else {
      last();
    }
  }

  @Override
  public void next() throws IOException {
    assert valid : "next without a position";
    if (at + 1 < current(data).count()) {
      load(at + 1);
    } else {
      valid = false;
      settleForward(at + 1);
    }
  }

  @Override
  public void prev() throws IOException {
    assert valid : "prev without a position";
    if (at > 0) {
      load(at - 1);
    } else {
      valid = false;
      settleBackward(-1);
    }
  }

  /** Opens the one block that may hold the target; false if all records come before it. */
  private boolean locate(byte[] target, int offset, int length, long from) throws IOException {
    int at = table.topIndex().rank(target, offset, length, from);
    if (!openPartition(at)) {
      return false;
    }
    return openBlock(current(index).rank(target, offset, length, from));
  }

  /** Places on a rank of the block, or on the first record of the next block. */
  private void settleForward(int rank) throws IOException {
    int to = rank;
    while (to >= current(data).count()) {
      if (!openBlock(entry + 1) && !(openPartition(partition + 1) && openBlock(0))) {
        return;
      }
      to = 0;
    }
    place(to);
  }

  /** Places on a rank of the block, or on the last record of the block before. */
  private void settleBackward(int rank) throws IOException {
    int to = rank;
    while (to < 0) {
      if (!openBlock(entry - 1)
          && !(openPartition(partition - 1) && openBlock(current(index).count() - 1))) {
        return;
      }
      to = current(data).count() - 1;
    }
    place(to);
  }

  private boolean openPartition(int number) throws IOException {
    if (number < 0 || number >= table.partitions()) {
      return false;
    }
    if (index == null || partition != number) {
      index = null;
      data = null;
      index = table.indexBlock(number, true);
      partition = number;
      entry = -1;
    }
    return true;
  }

  private boolean openBlock(int number) throws IOException {
    Block entries = current(index);
    if (number < 0 || number >= entries.count()) {
      return false;
    }
    if (data == null || entry != number) {
      data = null;
      Block block = table.dataBlock(entries, number, fillCache);
      entry = number;
      data = block;
    }
    return true;
  }

  private void place(int index) {
    Block block = current(data);
    if (key.length < block.prefixLength() + Long.BYTES) {
      key = new byte[Math.max(2 * key.length, block.prefixLength() + Long.BYTES)];
    }
    System.arraycopy(block.data(), BlockWriter.HEADER_BYTES, key, 0, block.prefixLength());
    load(index);
  }

  private void load(int index) {
    Block block = current(data);
    at = index;
    int length = block.keyLength(index);
    if (key.length < length) {
      byte[] longer = new byte[Math.max(2 * key.length, length)];
      System.arraycopy(key, 0, longer, 0, block.prefixLength());
      key = longer;
    }
    block.copyKey(index, key, false);
    keyLength = length;
    trailer = block.trailer(index);
    valid = true;
  }

  private static Block current(@Nullable Block block) {
    if (block == null) {
      throw new IllegalStateException("the iterator has failed and was not placed anew");
    }
    return block;
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
  public int keyLength() {
    return keyLength;
  }

  @Override
  public long trailer() {
    return trailer;
  }

  @Override
  public byte[] valueArray() {
    return data == null ? Bytes.EMPTY : data.data();
  }

  @Override
  public int valueOffset() {
    return data == null ? 0 : data.valueOffset(at);
  }

  @Override
  public int valueLength() {
    return data == null ? 0 : data.valueEnd(at) - data.valueOffset(at);
  }

  @Override
  public void close() {
    valid = false;
    index = null;
    data = null;
  }
}
