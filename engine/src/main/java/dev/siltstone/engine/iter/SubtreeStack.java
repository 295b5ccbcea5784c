package dev.siltstone.engine.iter;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import java.util.Arrays;

/**
 * Which subtree records lie above the current key of a forward walk in key order, on raw bytes.
 *
 * <p>A subtree record at key {@code p} and time {@code t} hides the older records of every key that
 * has {@code p} as a byte prefix. A walk that has passed {@code p} and stands on such a key has met
 * no key in between that lacks the prefix {@code p}: all extensions of a key lie together, right
 * after it. So the records that matter form a stack of (prefix length, time) over one copy of the
 * longest prefix, the path, and the number of bytes that a new key shares with the path tells what
 * to pop:
 *
 * <pre>
 *   path     u s e r 7 . a . b          key  u s e r 7 . c
 *   stack    ^4,t1   ^6,t2   ^9,t3      shared 6 bytes: (9, t3) is popped
 * </pre>
 *
 * <p>The walk may leave out keys, so that a record that is dropped need not enter. Nothing is
 * decoded, nothing is allocated per key. Memory: the longest path, and 12 bytes for each length on
 * the stack. One thread at a time.
 *
 * <p>Source: the state of YugabyteDB's compaction since its issue 1178, without its component ends.
 */
public final class SubtreeStack {
  private static final int INITIAL_DEPTH = 16;

  private byte[] path = Bytes.EMPTY;
  private int[] lengths = new int[INITIAL_DEPTH];

  /** By depth: the greatest time of this entry and those below it. */
  private long[] times = new long[INITIAL_DEPTH];

  private int depth;

  private byte[] keyArray = Bytes.EMPTY;
  private int keyOffset;
  private int keyLength;

  /** Whether the stack is empty; then {@link #top} is {@link HybridTime#MIN} for all keys. */
  public boolean isEmpty() {
    return depth == 0;
  }

  /**
   * Goes to a key, at or after the last one, and forgets what does not lie above it. The array is
   * borrowed until the next call of this method.
   */
  public void enter(byte[] key, int offset, int length) {
    keyArray = key;
    keyOffset = offset;
    keyLength = length;
    if (depth == 0) {
      return;
    }
    int shared = Bytes.sharedPrefix(path, 0, lengths[depth - 1], key, offset, length);
    while (depth > 0 && lengths[depth - 1] > shared) {
      depth--;
    }
  }

  /**
   * The greatest time pushed at a prefix of the current key, the key itself included; {@link
   * HybridTime#MIN} if there is none. What is older than this is hidden; what is equal is not.
   */
  public long top() {
    return depth == 0 ? HybridTime.MIN : times[depth - 1];
  }

  /**
   * Notes that a subtree record of this time lies at the first {@code length} bytes of the current
   * key.
   *
   * @param length at least the length of the last entry on the stack, at most the key's length
   */
  public void push(int length, long time) {
    assert length <= keyLength && (depth == 0 || length >= lengths[depth - 1])
        : "push of length " + length + " at depth " + depth;
    long greatest = Math.max(time, top());
    if (depth > 0 && lengths[depth - 1] == length) {
      times[depth - 1] = greatest;
      return;
    }
    int from = depth == 0 ? 0 : lengths[depth - 1];
    if (path.length < length) {
      path = Arrays.copyOf(path, Math.max(length, 2 * path.length));
    }
    System.arraycopy(keyArray, keyOffset + from, path, from, length - from);
    if (depth == lengths.length) {
      lengths = Arrays.copyOf(lengths, 2 * depth);
      times = Arrays.copyOf(times, 2 * depth);
    }
    lengths[depth] = length;
    times[depth] = greatest;
    depth++;
  }

  /** Forgets everything; the next key may be any. */
  public void clear() {
    depth = 0;
    keyArray = Bytes.EMPTY;
    keyOffset = 0;
    keyLength = 0;
  }
}
