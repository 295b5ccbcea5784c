package dev.siltstone.engine.memtable;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Varint;
import dev.siltstone.engine.key.BatchRecord;
import dev.siltstone.engine.key.Trailer;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A B+-tree of references to records, in internal order, with 8-byte heads of keys in its nodes.
 *
 * <p><b>Heads.</b> All keys of a node's range [low, high) share the prefix that its two separators
 * share; heads are taken after it, so that they tell keys apart however long the common part is. At
 * the edges of the tree, where a separator is missing, all keys of the tree stand in: {@code
 * common} holds a key, and the root's {@code prefixLength} says how much of it all keys share.
 * Equal heads decide nothing (a head is padded with zeros, and a key has many versions): then whole
 * keys are compared, and trailers if they are equal.
 *
 * <p><b>Insert.</b> (1) Shorten the common prefix if the key does not share it. (2) If inserts have
 * lately gone to neighbouring places, try the next one. (3) Else go down from the root. (4) If the
 * leaf is full, split the topmost full node of those that lead to it, and go down again. A node in
 * the midst of a run of neighbouring inserts is split where the run stands, so that ascending and
 * descending loads leave full nodes, at the edge of the tree or in its middle; else in halves.
 *
 * <p><b>Read.</b> Go down; at each node take its version, search, take the version of the child,
 * and then see that the node's own has not changed; if it has, start again. References are followed
 * only after such a check, so that what they name is whole. Nothing is ever removed or merged: the
 * low separator of a node never changes, and the leaf that was the first stays the first.
 *
 * <p>One writer at a time; each writer sees what the last one did. Readers see all inserts that
 * happened before they started, and may see later ones.
 */
final class HeadTree {
  /** No record. */
  static final int NONE = Node.NONE;

  /** The tree changed underneath. */
  private static final int RETRY = -2;

  private static final int HEIGHT_MAX = 16;

  /** Length of a run from which on a split takes it for a load in order. */
  private static final int RUN_MIN = 8;

  /** Length of a run from which on an insert tries the next place before it goes down. */
  private static final int RUN_HOT = 2;

  private static final int SPINS_MAX = 128;
  private static final long PAUSE_NANOS = 10_000;

  private final Records records;
  private final Node firstLeaf = new Node(true);
  private volatile Node root = firstLeaf;
  private volatile Node lastLeaf = firstLeaf;
  private volatile byte[] common = Bytes.EMPTY;

  // Below: the writer's alone.

  private final Node[] path = new Node[HEIGHT_MAX];
  private final int[] slots = new int[HEIGHT_MAX];
  private @Nullable Node hot;
  private long bytes = Node.bytes(true);

  HeadTree(Records records) {
    this.records = records;
  }

  /** Memory of all nodes, in bytes. */
  long bytes() {
    return bytes;
  }

  // ---- Reading
  // ------------------------------------------------------------------------------------

  /** The first record at or after (key, trailer); NONE if there is none. */
  int ceiling(byte[] key, int offset, int length, long trailer) {
    for (int spins = 0; ; spins++) {
      int ref = locate(key, offset, length, trailer, null);
      if (ref != RETRY) {
        return ref;
      }
      pause(spins);
    }
  }

  /** Puts a cursor before the first record at or after (key, trailer), in the leaf where it is. */
  void seek(byte[] key, int offset, int length, long trailer, TreeCursor cursor) {
    for (int spins = 0; ; spins++) {
      if (locate(key, offset, length, trailer, cursor) != RETRY) {
        return;
      }
      pause(spins);
    }
  }

  Node firstLeaf() {
    return firstLeaf;
  }

  /** The last leaf, or one that was the last one lately. */
  Node lastLeaf() {
    return lastLeaf;
  }

  /** Lets the writer get on, after a failed attempt to read. */
  static void pause(int spins) {
    if (spins < SPINS_MAX) {
      Thread.onSpinWait();
    } else {
      // The writer lost its processor in the middle of a change.
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** One attempt. Fills the cursor, or returns the record; RETRY if the writer was in the way. */
  private int locate(
      byte[] key, int offset, int length, long trailer, @Nullable TreeCursor cursor) {
    Node node = root;
    int version = node.version();
    if ((version & 1) != 0 || root != node) {
      return RETRY;
    }
    int order = compareCommon(node.prefixLength, key, offset, length);
    if (!node.isStill(version)) {
      return RETRY;
    }
    if (order != 0) {
      return outside(order, cursor);
    }
    while (!node.isLeaf()) {
      int slot = search(node, version, key, offset, length, trailer | 0xFF, true);
      Node child = slot == RETRY ? null : node.childAt(slot);
      if (child == null) {
        return RETRY;
      }
      int childVersion = child.version();
      if ((childVersion & 1) != 0 || !node.isStill(version)) {
        return RETRY;
      }
      node = child;
      version = childVersion;
    }
    int slot = search(node, version, key, offset, length, trailer, false);
    if (slot == RETRY) {
      return RETRY;
    }
    if (cursor != null) {
      return cursor.load(node, version, slot) ? 0 : RETRY;
    }
    return refAt(node, version, slot);
  }

  /** 0 if the key shares the common prefix, else its order to all keys that do. */
  private int compareCommon(int prefix, byte[] key, int offset, int length) {
    byte[] shared = common;
    if (prefix == 0 || prefix > shared.length) {
      // Prefixes longer than the key they were taken from exist only until the version is checked.
      return 0;
    }
    return Bytes.compare(key, offset, Math.min(length, prefix), shared, 0, prefix);
  }

  /** A search for a key that sorts before or after all keys of the tree. */
  private int outside(int order, @Nullable TreeCursor cursor) {
    if (cursor != null) {
      return cursor.loadOutside(order < 0 ? firstLeaf : lastLeaf, order < 0) ? 0 : RETRY;
    }
    if (order > 0) {
      return NONE;
    }
    int version = firstLeaf.version();
    return (version & 1) != 0 ? RETRY : refAt(firstLeaf, version, 0);
  }

  private static int refAt(Node leaf, int version, int slot) {
    if (slot < leaf.count) {
      int ref = leaf.refs[slot];
      return leaf.isStill(version) ? ref : RETRY;
    }
    Node next = leaf.next;
    if (!leaf.isStill(version)) {
      return RETRY;
    }
    while (next != null) {
      int nextVersion = next.version();
      int ref = next.count > 0 ? next.refs[0] : NONE;
      Node after = next.next;
      if ((nextVersion & 1) != 0 || !next.isStill(nextVersion)) {
        return RETRY;
      }
      if (ref != NONE) {
        return ref;
      }
      next = after;
    }
    return NONE;
  }

  /**
   * Number of references of a node that lie before (key, trailer), or, if {@code inclusive}, before
   * or at it. Requires that the key shares the node's prefix.
   */
  private int search(
      Node node, int version, byte[] key, int offset, int length, long trailer, boolean inclusive) {
    long head = Node.head(key, offset, length, node.prefixLength);
    int low = node.lowerBound(head);
    int high = node.endOfEqual(head, low);
    while (low < high) {
      int middle = (low + high) >>> 1;
      int ref = node.refs[middle];
      if (!node.isStill(version)) {
        return RETRY;
      }
      int order = compare(ref, key, offset, length, trailer, inclusive);
      if (order < 0 || (order == 0 && inclusive)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * The order of a record to (key, trailer). Separators are compared by time without kind: the
   * record that a separator names may since have been replaced by one of another kind.
   */
  private int compare(int ref, byte[] key, int offset, int length, long trailer, boolean anyKind) {
    int order = records.compareKey(ref, key, offset, length);
    if (order != 0) {
      return order;
    }
    long own = records.trailer(ref);
    return Long.compareUnsigned(trailer, anyKind ? own | 0xFF : own);
  }

  // ---- Writing
  // ------------------------------------------------------------------------------------

  /**
   * Inserts a record, or puts it in the place of the one that has the same key and time.
   *
   * @return the reference of the record replaced; NONE if there was none
   */
  int insert(int ref) {
    byte[] array = records.array(ref);
    int lengths = BatchRecord.lengths(array, records.record(ref));
    int length = Varint.getInt(array, lengths);
    int offset = BatchRecord.keyOffset(array, lengths, length);
    long target = Trailer.seekAt(Trailer.time(records.trailer(ref)));
    shortenCommon(array, offset, length);
    Node leaf = hot;
    if (leaf != null && insertHot(leaf, ref, array, offset, length, target)) {
      return NONE;
    }
    while (true) {
      int depth = descend(array, offset, length, target);
      leaf = path[depth];
      int slot = slots[depth];
      long head = Node.head(array, offset, length, leaf.prefixLength);
      if (slot < leaf.count
          && leaf.heads[slot] == head
          && compare(leaf.refs[slot], array, offset, length, target, true) == 0) {
        return replace(leaf, slot, ref);
      }
      if (leaf.count < Node.FANOUT) {
        insertAt(leaf, slot, head, ref);
        return NONE;
      }
      split(depth, ref);
    }
  }

  /** Goes down for an insert; fills path and slots, and returns the depth of the leaf. */
  private int descend(byte[] key, int offset, int length, long target) {
    Node node = root;
    int depth = 0;
    while (!node.isLeaf()) {
      int slot = search(node, node.version(), key, offset, length, target, true);
      path[depth] = node;
      slots[depth] = slot;
      depth++;
      node = node.child(slot);
    }
    path[depth] = node;
    slots[depth] = search(node, node.version(), key, offset, length, target, false);
    return depth;
  }

  private static int replace(Node leaf, int slot, int ref) {
    int replaced = leaf.refs[slot];
    leaf.begin();
    leaf.refs[slot] = ref;
    leaf.end();
    return replaced;
  }

  private void insertAt(Node leaf, int slot, long head, int ref) {
    leaf.begin();
    leaf.insert(slot, head, ref);
    leaf.end();
    leaf.track(slot);
    hot = Math.abs(leaf.run) >= RUN_HOT ? leaf : null;
  }

  /** Inserts at the place where the run of the last inserts goes on, if that is the right place. */
  private boolean insertHot(Node leaf, int ref, byte[] key, int offset, int length, long target) {
    int slot = leaf.run > 0 ? leaf.lastSlot + 1 : leaf.lastSlot;
    if (leaf.count == Node.FANOUT) {
      return false;
    }
    int before = slot > 0 ? leaf.refs[slot - 1] : leaf.low;
    int after = slot < leaf.count ? leaf.refs[slot] : leaf.high;
    if ((before != NONE && compare(before, key, offset, length, target, true) >= 0)
        || (after != NONE && compare(after, key, offset, length, target, true) <= 0)) {
      return false;
    }
    insertAt(leaf, slot, Node.head(key, offset, length, leaf.prefixLength), ref);
    return true;
  }

  /** Sees to it that the common prefix is one of the key, too. */
  private void shortenCommon(byte[] key, int offset, int length) {
    Node top = root;
    if (top.isLeaf() && top.count == 0) {
      common = Bytes.copy(key, offset, length);
      top.begin();
      top.prefixLength = length;
      top.end();
      return;
    }
    int shared = Bytes.sharedPrefix(common, 0, top.prefixLength, key, offset, length);
    if (shared < top.prefixLength) {
      shortenEdge(shared, true);
      shortenEdge(shared, false);
      shortenPrefix(top, shared);
    }
  }

  /**
   * Gives the nodes along one edge of the tree, which lack a separator, a shorter prefix; from the
   * leaf up, and the root after both edges: a reader who passed a node under the longer prefix may
   * meet either prefix below, but not the other way round.
   */
  private void shortenEdge(int prefix, boolean left) {
    Node node = root;
    int depth = 0;
    while (!node.isLeaf()) {
      path[depth++] = node;
      node = node.child(left ? 0 : node.count);
    }
    path[depth] = node;
    for (int i = depth; i > 0; i--) {
      shortenPrefix(path[i], prefix);
    }
  }

  private void shortenPrefix(Node node, int prefix) {
    if (node.prefixLength > prefix && (node.low == NONE || node.high == NONE)) {
      node.begin();
      node.changePrefix(prefix, records);
      node.end();
    }
  }

  /** The prefix of a node with these separators. */
  private int prefix(int low, int high) {
    return low == NONE || high == NONE ? root.prefixLength : records.sharedPrefix(low, high);
  }

  // ---- Splitting
  // ----------------------------------------------------------------------------------

  /** Splits one node on the path to a full leaf, in which a record is to go to the path's slot. */
  private void split(int depth, int ref) {
    int top = depth;
    while (top > 0 && path[top - 1].count == Node.FANOUT) {
      top--;
    }
    if (top == 0) {
      growRoot();
      return;
    }
    if (top == depth) {
      splitLeaf(path[top - 1], slots[top - 1], path[top], slots[top], ref);
    } else {
      splitInner(path[top - 1], slots[top - 1], path[top], slots[top]);
    }
  }

  /** Puts a root above the root; readers who still start at the old one find its split. */
  private void growRoot() {
    Node old = root;
    Node top = newNode(false);
    top.setChild(0, old);
    top.prefixLength = old.prefixLength;
    root = top;
  }

  private Node newNode(boolean leaf) {
    bytes += Node.bytes(leaf);
    return new Node(leaf);
  }

  private void splitLeaf(Node parent, int parentSlot, Node leaf, int slot, int ref) {
    int from = leafSplit(leaf, slot);
    int separator = from < Node.FANOUT ? leaf.refs[from] : ref;
    Node right = newNode(true);
    Node next = leaf.next;
    right.next = next;
    right.prev = leaf;
    splitRange(leaf, right, separator);
    leaf.moveTail(from, right);
    fitPrefix(right);
    splitRun(leaf, right, from, slot);

    parent.begin();
    leaf.begin();
    leaf.truncate(from);
    leaf.high = separator;
    fitPrefix(leaf);
    leaf.next = right;
    insertChild(parent, parentSlot, separator, right);
    leaf.end();
    parent.end();
    if (next == null) {
      lastLeaf = right;
    } else {
      next.prev = right;
    }
  }

  /** Where a full leaf is cut for an insert at a slot: the first slot that goes to the right. */
  private static int leafSplit(Node leaf, int slot) {
    if (isAscending(leaf, slot)) {
      return slot;
    }
    if (isDescending(leaf, slot)) {
      // The range to the right starts at a separator that exists, so one foreign record has to go
      // with the run lest those to the left of it fill the same leaf again.
      return slot <= RUN_MIN ? slot : slot - 1;
    }
    return Node.FANOUT / 2;
  }

  private static boolean isAscending(Node node, int slot) {
    return node.run >= RUN_MIN && slot == node.lastSlot + 1;
  }

  private static boolean isDescending(Node node, int slot) {
    return node.run <= -RUN_MIN && slot == node.lastSlot;
  }

  private void splitInner(Node parent, int parentSlot, Node node, int slot) {
    int middle = Node.FANOUT / 2;
    if (isAscending(node, slot)) {
      middle = Math.min(slot, Node.FANOUT - 1);
    } else if (isDescending(node, slot)) {
      middle = Math.max(slot - 1, 0);
    }
    int separator = node.refs[middle];
    Node right = newNode(false);
    splitRange(node, right, separator);
    node.moveTail(middle + 1, right);
    fitPrefix(right);
    splitRun(node, right, middle + 1, slot);

    parent.begin();
    node.begin();
    node.truncate(middle);
    node.high = separator;
    fitPrefix(node);
    insertChild(parent, parentSlot, separator, right);
    node.end();
    parent.end();
  }

  /** The new node takes what lies from the separator on, and the prefix as it is. */
  private static void splitRange(Node node, Node right, int separator) {
    right.low = separator;
    right.high = node.high;
    right.prefixLength = node.prefixLength;
  }

  /** A run goes on in the node in which its next insert will be. */
  private static void splitRun(Node node, Node right, int from, int slot) {
    boolean toRight = node.isLeaf() ? slot > from || from == Node.FANOUT : slot >= from;
    if (!isAscending(node, slot) && !isDescending(node, slot)) {
      node.forgetRun();
    } else if (toRight) {
      right.run = node.run;
      right.lastSlot = node.lastSlot - from;
      node.forgetRun();
    }
  }

  /** A narrower range may share more. */
  private void fitPrefix(Node node) {
    int prefix = prefix(node.low, node.high);
    if (prefix != node.prefixLength) {
      node.changePrefix(prefix, records);
    }
  }

  private void insertChild(Node parent, int slot, int separator, Node right) {
    parent.insertChild(slot, records.head(separator, parent.prefixLength), separator, right);
    parent.track(slot);
  }
}
