package dev.siltstone.engine.memtable;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.key.Trailer;

/**
 * Walks a {@link HeadTree} leaf by leaf: the refs of a leaf are copied under one check of its
 * version, and then only immutable records are touched. Records inserted meanwhile may or may not
 * be met; those that were there are.
 */
final class HeadTreeIterator implements InternalIterator {
  private final HeadTree tree;
  private final Records records;
  private final HeadTree.Position leaf = new HeadTree.Position(true);
  private int index;
  private boolean valid;

  // The current record, taken apart.
  private byte[] chunk = Bytes.EMPTY;
  private int keyOffset;
  private int keyLength;
  private int valueLength;
  private long trailer;

  HeadTreeIterator(HeadTree tree, Records records) {
    this.tree = tree;
    this.records = records;
  }

  @Override
  public boolean valid() {
    return valid;
  }

  @Override
  public void first() {
    seek(Bytes.EMPTY, 0, 0, Trailer.NEWEST);
  }

  @Override
  public void last() {
    first();
    while (leaf.hasRight) {
      descendTo(leaf.right, false);
    }
    place(leaf.count - 1);
  }

  @Override
  public void seek(byte[] key, int offset, int length, long trailer) {
    tree.descend(key, offset, length, trailer, false, true, leaf);
    index = leaf.rank;
    settleForward();
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long trailer) {
    tree.descend(key, offset, length, trailer, true, true, leaf);
    index = leaf.rank - 1;
    settleBackward();
  }

  @Override
  public void next() {
    assert valid : "next without a position";
    index++;
    if (index < leaf.count) {
      load(leaf.refs[index]);
    } else {
      // The leaf may have grown or been split since: go down again from the record itself.
      tree.descend(chunk, keyOffset, keyLength, (trailer & ~0xFFL) - 1, false, true, leaf);
      index = leaf.rank;
      settleForward();
    }
  }

  @Override
  public void prev() {
    assert valid : "prev without a position";
    index--;
    if (index >= 0) {
      load(leaf.refs[index]);
    } else {
      seekBefore(chunk, keyOffset, keyLength, trailer);
    }
  }

  /**
   * Goes on to the next leaf when the target lies behind all records of this one. The separator is
   * greater than the target, and the leaf that it leads to begins with it.
   */
  private void settleForward() {
    if (index >= leaf.count && leaf.hasRight) {
      descendTo(leaf.right, false);
      index = 0;
    }
    place(index);
  }

  /** Goes back to the leaf before when the target lies in front of all records of this one. */
  private void settleBackward() {
    if (index < 0 && leaf.hasLeft) {
      descendTo(leaf.left, true);
      index = leaf.count - 1;
    }
    place(index);
  }

  private void descendTo(int separator, boolean before) {
    tree.descend(
        records.chunk(separator),
        records.keyOffset(separator),
        records.keyLength(separator),
        records.trailer(separator),
        before,
        true,
        leaf);
  }

  private void place(int at) {
    index = at;
    valid = at >= 0 && at < leaf.count;
    if (valid) {
      load(leaf.refs[at]);
    }
  }

  private void load(int ref) {
    chunk = records.chunk(ref);
    keyOffset = records.keyOffset(ref);
    keyLength = records.keyLength(ref);
    valueLength = records.valueLength(ref);
    trailer = records.trailer(ref);
  }

  @Override
  public byte[] keyArray() {
    return chunk;
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
    return chunk;
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
    valid = false;
  }
}
