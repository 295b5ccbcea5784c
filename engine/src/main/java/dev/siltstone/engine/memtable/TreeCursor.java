package dev.siltstone.engine.memtable;

import org.jspecify.annotations.Nullable;

/**
 * A position in a {@link HeadTree}. It copies the references of one leaf at a time, under one check
 * of the leaf's version; records never change, so that moving within the leaf needs no check.
 *
 * <p>Leaves are left as they were copied: a record that is inserted into a leaf after that may be
 * missed, one that was there before the cursor was placed cannot be. To the right: a leaf's link is
 * copied with its records and leads to where its range ended then. To the left: a leaf may have
 * been split since, so its links to the right are followed until they lead to where the cursor came
 * from.
 *
 * <p>One thread at a time; any number of cursors beside one writer.
 */
final class TreeCursor {
  private final HeadTree tree;
  private final int[] refs = new int[Node.FANOUT];
  private int count;
  private int slot;
  private Node leaf;
  private @Nullable Node next;

  TreeCursor(HeadTree tree) {
    this.tree = tree;
    this.leaf = tree.firstLeaf();
  }

  boolean valid() {
    return slot >= 0 && slot < count;
  }

  /** The record. Requires {@link #valid}. */
  int ref() {
    return refs[slot];
  }

  /** The record some places to the right, or to the left if negative, in the same leaf. */
  int ref(int places) {
    return refs[slot + places];
  }

  /** Number of records of the leaf from this one on, to the right or, if negative, to the left. */
  int remaining(int direction) {
    return direction > 0 ? count - slot : slot + 1;
  }

  void first() {
    copy(tree.firstLeaf());
    slot = 0;
    skipToRight();
  }

  void last() {
    Node node = tree.lastLeaf();
    copy(node);
    while (next != null) {
      copy(next);
    }
    slot = count - 1;
    skipToLeft();
  }

  /** To the first record at or after (key, trailer). */
  void seek(byte[] key, int offset, int length, long trailer) {
    tree.seek(key, offset, length, trailer, this);
    skipToRight();
  }

  /** To the last record before (key, trailer). */
  void seekBefore(byte[] key, int offset, int length, long trailer) {
    tree.seek(key, offset, length, trailer, this);
    slot--;
    skipToLeft();
  }

  /** Requires {@link #valid}. */
  void next() {
    slot++;
    if (slot == count) {
      skipToRight();
    }
  }

  /** Requires {@link #valid}. */
  void prev() {
    slot--;
    if (slot < 0) {
      skipToLeft();
    }
  }

  /**
   * For the tree: takes the leaf and slot that a search ended at, if the leaf is still the same.
   */
  boolean load(Node source, int version, int at) {
    if (!tryCopy(source, version)) {
      return false;
    }
    slot = at;
    return true;
  }

  /** For the tree: takes the edge at which a search outside of all keys ends. */
  boolean loadOutside(Node edge, boolean before) {
    copy(edge);
    while (!before && next != null) {
      copy(next);
    }
    slot = before ? 0 : count;
    return true;
  }

  private void skipToRight() {
    while (slot >= count && next != null) {
      copy(next);
      slot = 0;
    }
  }

  private void skipToLeft() {
    while (slot < 0) {
      Node from = leaf;
      Node before = from.prev;
      if (before == null) {
        return;
      }
      copy(before);
      while (next != from && next != null) {
        copy(next);
      }
      slot = count - 1;
    }
  }

  private void copy(Node source) {
    for (int spins = 0; ; spins++) {
      int version = source.version();
      if ((version & 1) == 0 && tryCopy(source, version)) {
        return;
      }
      HeadTree.pause(spins);
    }
  }

  private boolean tryCopy(Node source, int version) {
    int copied = Math.min(source.count, Node.FANOUT);
    System.arraycopy(source.refs, 0, refs, 0, copied);
    Node link = source.next;
    if (!source.isStill(version)) {
      return false;
    }
    leaf = source;
    count = copied;
    next = link;
    return true;
  }
}
