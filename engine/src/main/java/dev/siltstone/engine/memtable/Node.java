package dev.siltstone.engine.memtable;

import dev.siltstone.base.bytes.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A node of the {@link HeadTree}: refs of records in internal order, each with the eight key bytes
 * after the prefix that all keys of the node share.
 *
 * <pre>
 *   leaf    ref[i]    the records
 *   inner   ref[i]    separators: the first record that children[i + 1] held when it was made;
 *                     children[i] holds what comes before it
 * </pre>
 *
 * <p><b>Versions.</b> The one writer makes the version odd before it changes a node and even after.
 * A reader reads the version, the node, and the version again; if it was odd or has changed, what
 * was read means nothing. A node that has been replaced stays odd for ever. The prefix and the
 * arrays themselves never change, so that whatever mixture a reader sees, it stays in bounds.
 *
 * <p>Source: Leis et al., "The ART of Practical Synchronization" (DaMoN 2016), optimistic locks.
 */
final class Node {
  /** Records of a leaf, separators of an inner node, at most. */
  static final int FAN_OUT = 64;

  /** Memory of a leaf: the object, three arrays. */
  static final int LEAF_BYTES = 48 + 2 * 16 + FAN_OUT * (Long.BYTES + Integer.BYTES);

  /** Memory of an inner node. */
  static final int INNER_BYTES = LEAF_BYTES + 16 + (FAN_OUT + 1) * 4;

  private static final Node[] NO_CHILDREN = new Node[0];

  private static final VarHandle VERSION;

  static {
    try {
      VERSION = MethodHandles.lookup().findVarHandle(Node.class, "version", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final byte[] prefix;
  final long[] heads = new long[FAN_OUT];
  final int[] refs = new int[FAN_OUT];
  final Node[] children;
  int count;

  @SuppressWarnings("unused") // Through VERSION.
  private int version;

  private Node(byte[] prefix, Node[] children) {
    this.prefix = prefix;
    this.children = children;
  }

  static Node leaf(byte[] prefix) {
    return new Node(prefix, NO_CHILDREN);
  }

  static Node inner(byte[] prefix) {
    return new Node(prefix, new Node[FAN_OUT + 1]);
  }

  boolean isLeaf() {
    return children.length == 0;
  }

  boolean isFull() {
    return count == FAN_OUT;
  }

  /** A version to read under; odd if there is none. */
  int readVersion() {
    return (int) VERSION.getAcquire(this);
  }

  /** Whether nothing has changed since the version was read. */
  boolean isUnchanged(int since) {
    VarHandle.acquireFence();
    return (int) VERSION.getOpaque(this) == since;
  }

  /** Begins a change. Writer only. */
  void beginChange() {
    VERSION.setOpaque(this, version + 1);
    VarHandle.storeStoreFence();
  }

  /** Ends a change. Writer only. */
  void endChange() {
    VERSION.setRelease(this, version + 1);
  }

  /** Marks the node as replaced. Writer only. */
  void retire() {
    VERSION.setRelease(this, version | 1);
  }

  /**
   * Number of records that come before (key, trailer) in internal order; with {@code orEqual} also
   * counting one that is equal.
   */
  int rank(Records records, byte[] key, int offset, int length, long trailer, boolean orEqual) {
    int shared = prefix.length;
    if (shared > 0) {
      int order = comparePrefix(key, offset, length);
      if (order != 0) {
        return order < 0 ? 0 : count;
      }
    }
    long head = Bytes.head(key, offset + shared, length - shared);
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int order = Long.compareUnsigned(heads[middle], head);
      if (order == 0) {
        order = records.compare(refs[middle], key, offset, length, trailer, shared);
      }
      if (order < 0 || (orEqual && order == 0)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Sign of (key - prefix); 0 if the key begins with the prefix. */
  int comparePrefix(byte[] key, int offset, int length) {
    int common = Math.min(length, prefix.length);
    int order = Arrays.compareUnsigned(prefix, 0, common, key, offset, offset + common);
    if (order != 0) {
      return -order;
    }
    return length < prefix.length ? -1 : 0;
  }

  /** Puts a record, and right of it a child if this is an inner node. Requires room. */
  void insert(int index, long head, int ref, @Nullable Node child) {
    assert !isFull() : "insert into a full node";
    System.arraycopy(heads, index, heads, index + 1, count - index);
    System.arraycopy(refs, index, refs, index + 1, count - index);
    heads[index] = head;
    refs[index] = ref;
    if (child != null) {
      System.arraycopy(children, index + 1, children, index + 2, count - index);
      children[index + 1] = child;
    }
    count++;
  }
}
