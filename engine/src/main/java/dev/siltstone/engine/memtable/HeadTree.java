package dev.siltstone.engine.memtable;

import dev.siltstone.base.bytes.Bytes;
import java.util.Arrays;

/**
 * A B+-tree of refs to {@link Records}, in internal order.
 *
 * <ol>
 *   <li>One thread inserts. Within a node with room the arrays are shifted in place under the
 *       node's version. A full node is replaced by two new ones; so is a node whose prefix a new
 *       key does not share, by one with a shorter prefix.
 *   <li>Any number of threads search. They go down from the root, check each node's version after
 *       reading it and start over when it has changed.
 *   <li>At the right edge a full leaf is closed as it is and a new one begun, so that ascending
 *       keys fill their leaves.
 *   <li>Nothing is ever removed. A record of the same key and time takes the place of the earlier
 *       one: within a batch the later write wins.
 * </ol>
 *
 * <p>Why a replaced node cannot mislead: it is marked before the parent names its successor, so a
 * reader that came to it through a parent that is still unchanged finds it marked, or reads what
 * was complete when it began.
 *
 * <p>Source: Wang et al., "Building a Bw-Tree Takes More Than Just Buzz Words" (SIGMOD 2018), for
 * the B+-tree with optimistic locks as the structure to beat.
 */
final class HeadTree {
  /** More levels than any tree of 2^32 records can have. */
  private static final int HEIGHT_MAX = 32;

  private final Records records;
  private volatile Node root;
  private long bytes;

  // The writer's path from the root to the leaf.
  private final Node[] path = new Node[HEIGHT_MAX];
  private final int[] slots = new int[HEIGHT_MAX];

  HeadTree(Records records) {
    this.records = records;
    this.root = Node.leaf(Bytes.EMPTY);
    this.bytes = Node.LEAF_BYTES;
  }

  /** Memory taken by nodes, in bytes. */
  long bytes() {
    return bytes;
  }

  /** Where a reader landed. */
  static final class Position {
    /** The leaf's refs, if a copy was asked for. */
    final int[] refs;

    /** Records of the leaf. */
    int count;

    /** Without a copy: the first ref of the leaf, and that at the rank if there is one. */
    int first;

    int atRank;

    /** Rank of the target within {@link #refs}. */
    int rank;

    /** The separator right of the leaf, or 0 with {@link #hasRight} false. */
    int right;

    boolean hasRight;

    /** The separator left of the leaf. */
    int left;

    boolean hasLeft;

    /** A position for one leaf after the other, with or without room for a copy of its refs. */
    Position(boolean copies) {
      this.refs = new int[copies ? Node.FAN_OUT : 0];
    }
  }

  /**
   * Goes to the leaf where (key, trailer) belongs and notes where it ranks there. The leaf's refs
   * are copied only on request.
   *
   * @param before whether the leaf is to hold what comes just before the target; else what comes at
   *     or after it
   */
  void descend(
      byte[] key,
      int offset,
      int length,
      long trailer,
      boolean before,
      boolean copy,
      Position position) {
    while (!tryDescend(key, offset, length, trailer, before, copy, position)) {
      Thread.onSpinWait();
    }
  }

  /** The ref of the first record at or after (key, trailer); -1 if there is none. */
  int firstAtOrAfter(byte[] key, int offset, int length, long trailer, Position position) {
    descend(key, offset, length, trailer, false, false, position);
    if (position.rank < position.count) {
      return position.atRank;
    }
    if (!position.hasRight) {
      return -1;
    }
    // The separator is greater than the target, and the leaf that it leads to begins with it.
    int right = position.right;
    descend(
        records.chunk(right),
        records.keyOffset(right),
        records.keyLength(right),
        records.trailer(right),
        false,
        false,
        position);
    return position.first;
  }

  /** One attempt; false if the writer was in the way. */
  private boolean tryDescend(
      byte[] key,
      int offset,
      int length,
      long trailer,
      boolean before,
      boolean copy,
      Position position) {
    position.hasLeft = false;
    position.hasRight = false;
    Node node = root;
    while (true) {
      int version = node.readVersion();
      if ((version & 1) != 0) {
        return false;
      }
      boolean leaf = node.isLeaf();
      Node next = null;
      try {
        int rank = node.rank(records, key, offset, length, trailer, !leaf && !before);
        if (leaf) {
          noteLeaf(node, rank, copy, position);
        } else {
          next = node.children[rank];
          noteSeparators(node, rank, position);
        }
      } catch (ArrayIndexOutOfBoundsException | NullPointerException torn) {
        // A mixture of before and after a change can name what is not there yet.
        if (node.isUnchanged(version)) {
          throw torn;
        }
        return false;
      }
      if (!node.isUnchanged(version)) {
        return false;
      }
      if (next == null) {
        return true;
      }
      node = next;
    }
  }

  private static void noteLeaf(Node leaf, int rank, boolean copy, Position position) {
    position.rank = rank;
    position.count = leaf.count;
    if (copy) {
      System.arraycopy(leaf.refs, 0, position.refs, 0, position.count);
    } else {
      position.first = leaf.refs[0];
      position.atRank = leaf.refs[Math.min(rank, Node.FAN_OUT - 1)];
    }
  }

  private static void noteSeparators(Node node, int rank, Position position) {
    if (rank > 0) {
      position.left = node.refs[rank - 1];
      position.hasLeft = true;
    }
    if (rank < node.count) {
      position.right = node.refs[rank];
      position.hasRight = true;
    }
  }

  /**
   * Inserts a record, or puts it in the place of one with the same key and time. Writer only.
   *
   * @param trailer the record's trailer
   */
  void insert(int ref, byte[] key, int offset, int length, long trailer) {
    // Every kind of the same time ranks at or after this, so an earlier record is found at the
    // rank.
    long newest = trailer | 0xFF;
    int depth = 0;
    Node node = root;
    while (!node.isLeaf()) {
      int rank = node.rank(records, key, offset, length, newest, true);
      path[depth] = node;
      slots[depth] = rank;
      depth++;
      node = node.children[rank];
    }
    int rank = leafRank(node, key, offset, length, newest, depth);
    if (rank < node.count && isSame(node.refs[rank], key, offset, length, trailer)) {
      node.beginChange();
      node.refs[rank] = ref;
      node.endChange();
      return;
    }
    if (node.isFull()) {
      split(node, depth, rank, ref, key, offset, length);
      return;
    }
    if (!sharesPrefix(node, key, offset, length)) {
      int shared = Bytes.sharedPrefix(node.prefix, 0, node.prefix.length, key, offset, length);
      Node wider = copy(node, 0, node.count, Arrays.copyOf(node.prefix, shared));
      wider.insert(rank, head(wider, key, offset, length), ref, null);
      replaceChild(depth, node, wider);
      return;
    }
    node.beginChange();
    node.insert(rank, head(node, key, offset, length), ref, null);
    node.endChange();
  }

  /** Rank in a leaf; ascending keys are recognised by one comparison. */
  private int leafRank(Node leaf, byte[] key, int offset, int length, long trailer, int depth) {
    int count = leaf.count;
    if (count > 0
        && isRightEdge(depth)
        && records.compare(leaf.refs[count - 1], key, offset, length, trailer, 0) < 0) {
      return count;
    }
    return leaf.rank(records, key, offset, length, trailer, false);
  }

  private boolean isRightEdge(int depth) {
    for (int i = 0; i < depth; i++) {
      if (slots[i] != path[i].count) {
        return false;
      }
    }
    return true;
  }

  private boolean isSame(int ref, byte[] key, int offset, int length, long trailer) {
    long other = records.trailer(ref);
    return other >>> 8 == trailer >>> 8 && records.compare(ref, key, offset, length, other, 0) == 0;
  }

  private void split(Node leaf, int depth, int rank, int ref, byte[] key, int offset, int length) {
    boolean append = rank == leaf.count && isRightEdge(depth);
    int middle = append ? leaf.count : leaf.count / 2;
    Node left = copyTight(leaf, 0, middle);
    Node right;
    if (append) {
      // The next keys will probably share with this one what it shares with the one before it.
      byte[] chunk = records.chunk(leaf.refs[rank - 1]);
      int at = records.keyOffset(leaf.refs[rank - 1]);
      int before = records.keyLength(leaf.refs[rank - 1]);
      int shared = Bytes.sharedPrefix(chunk, at, before, key, offset, length);
      right = Node.leaf(Bytes.copy(key, offset, shared));
      right.insert(0, head(right, key, offset, length), ref, null);
    } else {
      right = copyTight(leaf, middle, leaf.count);
      // A record between the halves goes left, so that the separator stays the right one's first.
      if (rank <= middle) {
        left = withRecord(left, rank, ref, key, offset, length);
      } else {
        right = withRecord(right, rank - middle, ref, key, offset, length);
      }
    }
    bytes += Node.LEAF_BYTES;
    leaf.retire();
    insertIntoParent(depth, left, right.refs[0], right);
  }

  private Node withRecord(Node node, int rank, int ref, byte[] key, int offset, int length) {
    Node target = node;
    if (!sharesPrefix(node, key, offset, length)) {
      int shared = Bytes.sharedPrefix(node.prefix, 0, node.prefix.length, key, offset, length);
      target = copy(node, 0, node.count, Arrays.copyOf(node.prefix, shared));
    }
    target.insert(rank, head(target, key, offset, length), ref, null);
    return target;
  }

  /** Puts two nodes in the place of the one that was at {@code path[depth]}. */
  private void insertIntoParent(int depth, Node left, int separator, Node right) {
    if (depth == 0) {
      Node top = Node.inner(records.key(separator));
      top.children[0] = left;
      top.insert(0, headOf(top, separator), separator, right);
      bytes += Node.INNER_BYTES;
      root = top;
      return;
    }
    Node parent = path[depth - 1];
    int slot = slots[depth - 1];
    byte[] chunk = records.chunk(separator);
    int at = records.keyOffset(separator);
    int length = records.keyLength(separator);
    boolean shares = sharesPrefix(parent, chunk, at, length);
    if (!parent.isFull() && shares) {
      parent.beginChange();
      parent.children[slot] = left;
      parent.insert(slot, headOf(parent, separator), separator, right);
      parent.endChange();
      return;
    }
    if (!parent.isFull()) {
      int shared = Bytes.sharedPrefix(parent.prefix, 0, parent.prefix.length, chunk, at, length);
      Node wider = copy(parent, 0, parent.count, Arrays.copyOf(parent.prefix, shared));
      wider.children[slot] = left;
      wider.insert(slot, headOf(wider, separator), separator, right);
      replaceChild(depth - 1, parent, wider);
      return;
    }
    splitInner(depth - 1, parent, slot, left, separator, right);
  }

  private void splitInner(int depth, Node inner, int slot, Node left, int separator, Node right) {
    // All separators and children in a row, the new ones among them; the middle one moves up.
    int total = inner.count + 1;
    int[] refs = new int[total];
    Node[] children = new Node[total + 1];
    System.arraycopy(inner.refs, 0, refs, 0, slot);
    System.arraycopy(inner.refs, slot, refs, slot + 1, inner.count - slot);
    System.arraycopy(inner.children, 0, children, 0, slot);
    System.arraycopy(inner.children, slot + 1, children, slot + 2, inner.count - slot);
    refs[slot] = separator;
    children[slot] = left;
    children[slot + 1] = right;
    boolean append = slot == inner.count && isRightEdge(depth);
    int middle = append ? total - 2 : total / 2;
    Node lower = innerOf(refs, children, 0, middle);
    Node upper = innerOf(refs, children, middle + 1, total);
    bytes += Node.INNER_BYTES;
    inner.retire();
    insertIntoParent(depth, lower, refs[middle], upper);
  }

  private Node innerOf(int[] refs, Node[] children, int from, int to) {
    Node node = Node.inner(sharedPrefix(refs[from], refs[to - 1]));
    System.arraycopy(refs, from, node.refs, 0, to - from);
    System.arraycopy(children, from, node.children, 0, to - from + 1);
    node.count = to - from;
    fillHeads(node);
    return node;
  }

  private void replaceChild(int depth, Node before, Node after) {
    before.retire();
    if (depth == 0) {
      root = after;
      return;
    }
    Node parent = path[depth - 1];
    parent.beginChange();
    parent.children[slots[depth - 1]] = after;
    parent.endChange();
  }

  /** A copy of a part of a leaf with the longest prefix that its keys share. */
  private Node copyTight(Node leaf, int from, int to) {
    return copy(leaf, from, to, sharedPrefix(leaf.refs[from], leaf.refs[to - 1]));
  }

  private Node copy(Node node, int from, int to, byte[] prefix) {
    Node copy = node.isLeaf() ? Node.leaf(prefix) : Node.inner(prefix);
    System.arraycopy(node.refs, from, copy.refs, 0, to - from);
    if (!node.isLeaf()) {
      System.arraycopy(node.children, from, copy.children, 0, to - from + 1);
    }
    copy.count = to - from;
    fillHeads(copy);
    return copy;
  }

  private void fillHeads(Node node) {
    for (int i = 0; i < node.count; i++) {
      node.heads[i] = headOf(node, node.refs[i]);
    }
  }

  private byte[] sharedPrefix(int first, int last) {
    byte[] chunk = records.chunk(first);
    int at = records.keyOffset(first);
    int shared =
        Bytes.sharedPrefix(
            chunk,
            at,
            records.keyLength(first),
            records.chunk(last),
            records.keyOffset(last),
            records.keyLength(last));
    return Bytes.copy(chunk, at, shared);
  }

  private long headOf(Node node, int ref) {
    return head(node, records.chunk(ref), records.keyOffset(ref), records.keyLength(ref));
  }

  private static long head(Node node, byte[] key, int offset, int length) {
    int shared = node.prefix.length;
    return Bytes.head(key, offset + shared, length - shared);
  }

  private static boolean sharesPrefix(Node node, byte[] key, int offset, int length) {
    return node.comparePrefix(key, offset, length) == 0;
  }
}
