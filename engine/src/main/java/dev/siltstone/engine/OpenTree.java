package dev.siltstone.engine;

import dev.siltstone.engine.gap.GapMemo;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.read.ReadView;
import dev.siltstone.engine.spi.SubtreeLengths;
import java.util.List;

/**
 * One tree inside: its identity, its options and its present view.
 *
 * <p>The view is replaced under the lock of {@link Views} only, and read by anyone.
 */
final class OpenTree {
  private final int id;
  private final String name;
  private final String subtreesName;
  private volatile TreeOptions options;
  private volatile ReadView view;
  private volatile boolean dropped;
  private volatile long historyFloor;
  private volatile boolean suspended;
  private final GapMemo gaps;
  private final KeyLocks keyLocks = new KeyLocks();

  /**
   * A tree.
   *
   * @param subtreesName the name of the subtree lengths that the tree was created with
   */
  OpenTree(
      int id, String name, String subtreesName, TreeOptions options, ReadView view, GapMemo gaps) {
    this.id = id;
    this.name = name;
    this.subtreesName = subtreesName;
    this.options = options;
    this.view = view;
    this.gaps = gaps;
  }

  int id() {
    return id;
  }

  String name() {
    return name;
  }

  String subtreesName() {
    return subtreesName;
  }

  TreeOptions options() {
    return options;
  }

  /** Takes other options. */
  void reopen(TreeOptions options) {
    checkReopen(options);
    this.options = options;
  }

  /** Refuses options that the tree cannot take: all may differ but the subtree lengths. */
  void checkReopen(TreeOptions options) {
    checkUsable();
    if (!options.subtrees().name().equals(subtreesName)) {
      throw new DbException.Unsupported(
          "tree '"
              + name
              + "' was made with subtrees '"
              + subtreesName
              + "', opened with '"
              + options.subtrees().name()
              + "'");
    }
  }

  /** Refuses a tree whose subtree lengths nobody has given yet. */
  void checkSubtreesKnown() {
    if (!options.subtrees().name().equals(subtreesName)) {
      throw new DbException.Unsupported(
          "tree '"
              + name
              + "' was made with subtrees '"
              + subtreesName
              + "'; open it with Db.openTree and those");
    }
  }

  /** What the map views of the tree lock. */
  KeyLocks keyLocks() {
    return keyLocks;
  }

  /** The stretches of the tree that are proven empty. */
  GapMemo gaps() {
    return gaps;
  }

  ReadView view() {
    return view;
  }

  /**
   * The greatest cutoff that a flush or compaction of the tree has used: a reader below it would
   * miss what was dropped. Never falls.
   */
  long historyFloor() {
    return historyFloor;
  }

  /** Requires the lock of {@link SnapshotRegistry}, once the tree is in use. */
  void raiseHistoryFloor(long time) {
    historyFloor = Math.max(historyFloor, time);
  }

  boolean isDropped() {
    return dropped;
  }

  void setDropped(boolean dropped) {
    this.dropped = dropped;
  }

  /** Whether nothing compacts the tree any more, until the store is opened again. */
  boolean isSuspended() {
    return suspended;
  }

  void setSuspended() {
    suspended = true;
  }

  void checkUsable() {
    if (dropped) {
      throw new DbException.Closed("tree '" + name + "' was dropped and");
    }
  }

  /** A view that cannot lose its files until it is unpinned. */
  ReadView pin() {
    while (true) {
      ReadView current = view;
      if (current.tryPin()) {
        return current;
      }
    }
  }

  /**
   * Publishes the next view and returns the one it replaces. Requires the lock of {@link Views}.
   */
  ReadView replaceView(ReadView next) {
    ReadView before = view;
    view = next;
    return before;
  }

  /** Memory of all memtables. */
  long memtableBytes() {
    ReadView current = view;
    long bytes = current.active().bytes();
    for (MemTable memtable : current.sealed()) {
      bytes += memtable.bytes();
    }
    return bytes;
  }

  /**
   * The smallest time of a record that is in no file yet, or {@link Long#MAX_VALUE}.
   *
   * @param flushed memtables that count as being in files already
   */
  long oldestUnflushed(List<MemTable> flushed) {
    ReadView current = view;
    long oldest = current.active().minTime();
    for (MemTable memtable : current.sealed()) {
      if (!flushed.contains(memtable)) {
        oldest = Math.min(oldest, memtable.minTime());
      }
    }
    return oldest;
  }

  boolean isSubtreeKey(byte[] key) {
    SubtreeLengths subtrees = options.subtrees();
    if (subtrees.isNone()) {
      return false;
    }
    int[] lengths = new int[SubtreeLengths.LENGTHS_MAX];
    int count = subtrees.of(key, 0, key.length, lengths);
    return count > 0 && lengths[count - 1] == key.length;
  }
}
