package dev.siltstone.engine.memtable;

import dev.siltstone.base.bytes.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A node of a {@link HeadTree}. In a leaf, {@code refs} are its records; in an inner node they are
 * separators: {@code refs[i]} is a record at or before the first one below {@code children[i + 1]},
 * and after the last one below {@code children[i]}.
 *
 * <p><b>Versions.</b> The version is odd while the writer changes the node, and another even number
 * afterwards. A reader takes an even version, reads fields, and believes what it has read only if
 * the version is then still the same; until that, references may be stale and counts may not fit
 * each other. What it does before that must not go wrong on such values. Indices that come from
 * {@link #lowerBound} and {@link #count} lie within the arrays whatever the values are.
 *
 * <p>Source: the sequence locks of Boehm, "Can seqlocks get along with programming language memory
 * models?" (2012), used per node as in Leis et al., "The ART of practical synchronization" (2016).
 */
final class Node {
  /** Most records of a leaf, and most separators of an inner node. */
  static final int FANOUT = 64;

  /** No record. */
  static final int NONE = -1;

  /** A value of {@link #lastSlot} after which no insert is part of a run. */
  static final int NO_SLOT = -2;

  private static final int LINE_HEADS = 8;

  private static final @Nullable Node[] NO_CHILDREN = {};

  private static final VarHandle VERSION;

  static {
    try {
      VERSION = MethodHandles.lookup().findVarHandle(Node.class, "version", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private int version;

  /** Records of a leaf, separators of an inner node. */
  int count;

  /** All keys of the node's range share this many bytes; heads are taken after them. */
  int prefixLength;

  /** The heads of {@link #refs}, with the sign bit turned; unused ones are the greatest long. */
  final long[] heads = new long[FANOUT];

  final int[] refs = new int[FANOUT];

  /** One more than separators; empty in a leaf. */
  private final @Nullable Node[] children;

  /** The leaf to the right. */
  @Nullable Node next;

  /** The leaf to the left, or one further left whose links lead to it. */
  volatile @Nullable Node prev;

  // Below: the writer's alone.

  /**
   * Separator at which the range of the node starts, inclusive; NONE without one. Never changes.
   */
  int low = NONE;

  /** Separator at which the range of the node ends, exclusive; NONE without one. */
  int high = NONE;

  /** Where the last insert went. */
  int lastSlot = NO_SLOT;

  /** How many inserts in a row each went right behind the last one; negative if before it. */
  int run;

  Node(boolean leaf) {
    children = leaf ? NO_CHILDREN : new @Nullable Node[FANOUT + 1];
    Arrays.fill(heads, Long.MAX_VALUE);
  }

  /** Memory of a node in bytes, for the memtable's account. */
  static int bytes(boolean leaf) {
    int arrays = 16 + FANOUT * Long.BYTES + 16 + FANOUT * Integer.BYTES;
    return 64 + arrays + (leaf ? 0 : 16 + (FANOUT + 1) * Integer.BYTES);
  }

  /** The head of a key, taken after a prefix, in the form that {@link #heads} has. */
  static long head(byte[] key, int offset, int length, int prefix) {
    return Bytes.head(key, offset + prefix, length - prefix) ^ Long.MIN_VALUE;
  }

  /** The version for a reader; odd if it has to come again. */
  int version() {
    return (int) VERSION.getAcquire(this);
  }

  /** Whether everything read since {@link #version} returned this value belongs together. */
  boolean isStill(int seen) {
    VarHandle.loadLoadFence();
    return (int) VERSION.getOpaque(this) == seen;
  }

  /** The writer is about to change the node. */
  void begin() {
    assert (version & 1) == 0 : "two writers";
    VERSION.setOpaque(this, version + 1);
    VarHandle.storeStoreFence();
  }

  /** The writer has changed the node. */
  void end() {
    VERSION.setRelease(this, version + 1);
  }

  /**
   * Number of heads less than {@code head}. Loads the last head of each cache line first: these
   * loads do not wait for each other, whereas those of a binary search do.
   */
  int lowerBound(long head) {
    long[] heads = this.heads;
    int at = 0;
    for (int i = LINE_HEADS - 1; i < FANOUT; i += LINE_HEADS) {
      at += heads[i] < head ? LINE_HEADS : 0;
    }
    if (at == FANOUT) {
      return FANOUT;
    }
    int less = at;
    for (int i = 0; i < LINE_HEADS; i++) {
      less += heads[at + i] < head ? 1 : 0;
    }
    return less;
  }

  /** Where the heads equal to {@code head} end that start at {@code from}. */
  int endOfEqual(long head, int from) {
    int to = from;
    int end = Math.min(count, FANOUT);
    while (to < end && heads[to] == head) {
      to++;
    }
    return to;
  }

  /** Writer: makes room at a slot and fills it. */
  void insert(int slot, long head, int ref) {
    int moved = count - slot;
    System.arraycopy(heads, slot, heads, slot + 1, moved);
    System.arraycopy(refs, slot, refs, slot + 1, moved);
    heads[slot] = head;
    refs[slot] = ref;
    count++;
  }

  /** Whether the references are records. */
  boolean isLeaf() {
    return children.length == 0;
  }

  /** Reader: the child at a slot; null only if the version has changed. */
  @Nullable Node childAt(int slot) {
    return children[slot];
  }

  /** Writer: the child at a slot. */
  Node child(int slot) {
    return Objects.requireNonNull(children[slot]);
  }

  /** Writer: puts a child at a slot. */
  void setChild(int slot, Node child) {
    children[slot] = child;
  }

  /** Writer: inserts a separator at a slot, and a child behind it. */
  void insertChild(int slot, long head, int separator, Node child) {
    System.arraycopy(children, slot + 1, children, slot + 2, count - slot);
    children[slot + 1] = child;
    insert(slot, head, separator);
  }

  /** Writer: moves all from a slot on to the front of an empty node of the same prefix. */
  void moveTail(int from, Node target) {
    int moved = count - from;
    System.arraycopy(heads, from, target.heads, 0, moved);
    System.arraycopy(refs, from, target.refs, 0, moved);
    if (!isLeaf()) {
      System.arraycopy(children, from, target.children, 0, moved + 1);
    }
    target.count = moved;
  }

  /** Writer: keeps only what lies before a slot. */
  void truncate(int from) {
    Arrays.fill(heads, from, count, Long.MAX_VALUE);
    count = from;
  }

  /** Writer: takes all heads anew after another prefix. */
  void changePrefix(int length, Records records) {
    prefixLength = length;
    for (int i = 0; i < count; i++) {
      heads[i] = records.head(refs[i], length);
    }
  }

  /** Writer: notes where an insert went, to know a run of neighbours when the node is split. */
  void track(int slot) {
    if (slot == lastSlot + 1) {
      run = Math.max(run, 0) + 1;
    } else if (slot == lastSlot) {
      run = Math.min(run, 0) - 1;
    } else {
      run = 0;
    }
    lastSlot = slot;
  }

  /** Writer: the next insert starts a new run. */
  void forgetRun() {
    run = 0;
    lastSlot = NO_SLOT;
  }
}
