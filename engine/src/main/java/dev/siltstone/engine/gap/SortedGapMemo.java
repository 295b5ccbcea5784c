package dev.siltstone.engine.gap;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.siltstone.base.bytes.Bytes;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Gaps in sorted arrays that are copied when they change.
 *
 * <p>The present state is one immutable object: disjoint gaps in key order, and the walks under
 * way. Readers and writers look at it by one volatile read; changes copy it under a lock. While
 * there is neither a gap nor a walk, a look costs one comparison.
 *
 * <p>Safe for concurrent use. Not final, so that tests can step between its steps and leave them
 * out.
 */
final class SortedGapMemo implements GapMemo {
  /** Gaps kept at most; the lightest goes first. */
  public static final int GAPS_MAX = 1_024;

  private static final State EMPTY = new State(new Gap[0], new Walk[0]);

  private final ReentrantLock lock = new ReentrantLock();
  private final LongAdder learned = new LongAdder();
  private final LongAdder jumps = new LongAdder();
  private final LongAdder clips = new LongAdder();
  private final LongAdder evictions = new LongAdder();
  private final int deadMin;
  private volatile State state = EMPTY;

  /**
   * An empty memo.
   *
   * @param deadMin usually {@link GapMemo#DEAD_MIN}
   */
  SortedGapMemo(int deadMin) {
    this.deadMin = deadMin;
  }

  @Override
  public int deadMin() {
    return deadMin;
  }

  /** What the memo knows at one moment. */
  private record State(Gap[] gaps, Walk[] walks) {
    /** Index of the last gap that begins at or before a key, or -1. */
    int floor(byte[] key, int offset, int length) {
      int low = 0;
      int high = gaps.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        byte[] lower = gaps[middle].lower();
        if (Bytes.compare(lower, 0, lower.length, key, offset, length) <= 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low - 1;
    }
  }

  @Override
  public boolean isIdle() {
    State now = state;
    return now.gaps.length == 0 && now.walks.length == 0;
  }

  @Override
  public boolean isEmpty() {
    return state.gaps.length == 0;
  }

  @Override
  public void born(byte[] key, int offset, int length) {
    State now = state;
    int at = now.floor(key, offset, length);
    boolean inGap = at >= 0 && now.gaps[at].contains(key, offset, length);
    if (!inGap && now.walks.length == 0) {
      return;
    }
    byte[] own = Bytes.copy(key, offset, length);
    born(own, Bytes.successor(own));
  }

  @Override
  public void born(byte[] lower, byte[] upper) {
    lock.lock();
    try {
      for (Walk walk : state.walks) {
        walk.cut(lower, upper);
      }
      clip(lower, upper);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable Gap find(byte[] key, int offset, int length, long atTime, long expiryTime) {
    State now = state;
    if (now.gaps.length == 0) {
      return null;
    }
    int at = now.floor(key, offset, length);
    if (at < 0) {
      return null;
    }
    Gap gap = now.gaps[at];
    if (gap.time() > atTime
        || gap.expiryTime() > expiryTime
        || !gap.contains(key, offset, length)) {
      return null;
    }
    jumps.increment();
    return gap;
  }

  @Override
  public Walk walkForward(byte[] start) {
    return register(Walk.forward(start));
  }

  @Override
  public Walk walkBackward(byte @Nullable [] end) {
    return register(Walk.backward(end));
  }

  private Walk register(Walk walk) {
    lock.lock();
    try {
      State now = state;
      Walk[] walks = Arrays.copyOf(now.walks, now.walks.length + 1);
      walks[now.walks.length] = walk;
      state = new State(now.gaps, walks);
    } finally {
      lock.unlock();
    }
    VarHandle.fullFence();
    return walk;
  }

  @Override
  public void cancel(Walk walk) {
    lock.lock();
    try {
      replace(state.gaps, without(walk));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void finish(
      Walk walk, byte[] lower, byte @Nullable [] upper, long time, long expiryTime, long weight) {
    lock.lock();
    try {
      byte[] from = Bytes.compare(walk.lower(), lower) > 0 ? walk.lower() : lower;
      byte[] limit = walk.upper();
      byte[] to = upper;
      if (limit != null && (to == null || Bytes.compare(limit, to) < 0)) {
        to = limit;
      }
      Gap gap = new Gap(from, to, time, expiryTime, weight);
      Walk[] walks = without(walk);
      if (gap.isEmpty()) {
        replace(state.gaps, walks);
      } else {
        learned.increment();
        replace(bounded(merged(state.gaps, gap)), walks);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int size() {
    return state.gaps.length;
  }

  @Override
  public long learned() {
    return learned.sum();
  }

  @Override
  public long jumps() {
    return jumps.sum();
  }

  @Override
  public long clips() {
    return clips.sum();
  }

  @Override
  public long evictions() {
    return evictions.sum();
  }

  @GuardedBy("lock")
  private void clip(byte[] lower, byte[] upper) {
    State now = state;
    // The first gap that reaches beyond the lower bound, and the first that begins after the upper.
    int from = Math.max(0, now.floor(lower, 0, lower.length));
    if (from < now.gaps.length && !now.gaps[from].endsAfter(lower)) {
      from++;
    }
    int to = from;
    while (to < now.gaps.length && Bytes.compare(now.gaps[to].lower(), upper) < 0) {
      to++;
    }
    if (from == to) {
      return;
    }
    clips.increment();
    Gap below = now.gaps[from].below(lower);
    Gap above = now.gaps[to - 1].from(upper);
    int pieces = (below.isEmpty() ? 0 : 1) + (above.isEmpty() ? 0 : 1);
    Gap[] gaps = new Gap[now.gaps.length - (to - from) + pieces];
    System.arraycopy(now.gaps, 0, gaps, 0, from);
    int at = from;
    if (!below.isEmpty()) {
      gaps[at++] = below;
    }
    if (!above.isEmpty()) {
      gaps[at++] = above;
    }
    System.arraycopy(now.gaps, to, gaps, at, now.gaps.length - to);
    replace(bounded(gaps), now.walks);
  }

  /** Puts a gap among others; those that it meets become one with it. */
  private static Gap[] merged(Gap[] gaps, Gap gap) {
    int from = 0;
    while (from < gaps.length
        && !gaps[from].reaches(gap)
        && Bytes.compare(gaps[from].lower(), gap.lower()) < 0) {
      from++;
    }
    int to = from;
    Gap whole = gap;
    while (to < gaps.length) {
      Gap other = gaps[to];
      boolean first = Bytes.compare(other.lower(), whole.lower()) < 0;
      if (first ? !other.reaches(whole) : !whole.reaches(other)) {
        break;
      }
      whole = first ? other.union(whole) : whole.union(other);
      to++;
    }
    Gap[] result = new Gap[gaps.length - (to - from) + 1];
    System.arraycopy(gaps, 0, result, 0, from);
    result[from] = whole;
    System.arraycopy(gaps, to, result, from + 1, gaps.length - to);
    return result;
  }

  private Gap[] bounded(Gap[] gaps) {
    if (gaps.length <= GAPS_MAX) {
      return gaps;
    }
    int lightest = 0;
    for (int i = 1; i < gaps.length; i++) {
      if (gaps[i].weight() < gaps[lightest].weight()) {
        lightest = i;
      }
    }
    evictions.increment();
    Gap[] fewer = new Gap[gaps.length - 1];
    System.arraycopy(gaps, 0, fewer, 0, lightest);
    System.arraycopy(gaps, lightest + 1, fewer, lightest, fewer.length - lightest);
    return fewer;
  }

  @GuardedBy("lock")
  private Walk[] without(Walk walk) {
    Walk[] walks = state.walks;
    Walk[] fewer = new Walk[walks.length - 1];
    int to = 0;
    for (Walk other : walks) {
      if (other != walk) {
        fewer[to++] = other;
      }
    }
    return fewer;
  }

  @GuardedBy("lock")
  private void replace(Gap[] gaps, Walk[] walks) {
    state = gaps.length == 0 && walks.length == 0 ? EMPTY : new State(gaps, walks);
  }
}
