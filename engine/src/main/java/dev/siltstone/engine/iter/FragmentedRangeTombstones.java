package dev.siltstone.engine.iter;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Range deletes cut at each other's bounds: disjoint fragments in key order, each with all times
 * that cover it, newest first. Neighbours that touch have different times, so equal sets of range
 * deletes have equal fragments, however they were cut before.
 *
 * <p>Immutable, hence safe for concurrent use.
 */
public final class FragmentedRangeTombstones implements RangeTombstones {
  private final byte[][] lowers;
  private final byte[][] uppers;
  private final long[][] times;

  private FragmentedRangeTombstones(byte[][] lowers, byte[][] uppers, long[][] times) {
    this.lowers = lowers;
    this.uppers = uppers;
    this.times = times;
  }

  /**
   * The range deletes of several sources as one.
   *
   * @param floor what only a reader at an earlier time could tell apart may be left out
   */
  public static FragmentedRangeTombstones union(
      List<? extends RangeTombstones> sources, long floor) {
    Builder builder = new Builder();
    for (RangeTombstones source : sources) {
      if (!source.isEmpty()) {
        source.forEach(floor, builder::add);
      }
    }
    return builder.build();
  }

  /** Number of fragments. */
  public int size() {
    return lowers.length;
  }

  /** Lower bound of a fragment, inclusive; not to be changed. */
  public byte[] lower(int index) {
    return lowers[index];
  }

  /** Upper bound of a fragment, exclusive; not to be changed. */
  public byte[] upper(int index) {
    return uppers[index];
  }

  /** Times of a fragment, strictly descending, at least one; not to be changed. */
  public long[] times(int index) {
    return times[index];
  }

  @Override
  public boolean isEmpty() {
    return lowers.length == 0;
  }

  @Override
  public long newestCovering(byte[] key, int offset, int length, long atTime) {
    int index = find(key, offset, length);
    return covers(index, key, offset, length) ? newest(times[index], atTime) : HybridTime.MIN;
  }

  /** Whether the fragment that {@link #find} has found for a key covers it. */
  private boolean covers(int index, byte[] key, int offset, int length) {
    return index < lowers.length
        && Bytes.compare(lowers[index], 0, lowers[index].length, key, offset, length) <= 0;
  }

  @Override
  public byte @Nullable [] lowerCovering(byte[] key, int offset, int length, long atTime) {
    int index = find(key, offset, length);
    return covers(index, key, offset, length) ? lowers[index] : null;
  }

  @Override
  public byte @Nullable [] upperCovering(byte[] key, int offset, int length, long atTime) {
    int index = find(key, offset, length);
    return covers(index, key, offset, length) ? uppers[index] : null;
  }

  /**
   * Index of the first fragment whose upper bound lies after the key: the only one that may cover
   * it. {@link #size} if there is none.
   */
  public int find(byte[] key, int offset, int length) {
    int low = 0;
    int high = uppers.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      byte[] upper = uppers[middle];
      if (Bytes.compare(upper, 0, upper.length, key, offset, length) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The greatest time, at most {@code atTime}, of descending times; MIN if there is none. */
  static long newest(long[] times, long atTime) {
    for (long time : times) {
      if (time <= atTime) {
        return time;
      }
    }
    return HybridTime.MIN;
  }

  @Override
  public void forEach(long floor, RangeConsumer consumer) {
    for (int i = 0; i < lowers.length; i++) {
      consumer.range(lowers[i], uppers[i], times[i]);
    }
  }

  /**
   * The part within [lower, upper), which may be empty.
   *
   * @param lower {@code null} for no bound
   * @param upper {@code null} for no bound
   */
  public FragmentedRangeTombstones clip(byte @Nullable [] lower, byte @Nullable [] upper) {
    int from = lower == null ? 0 : find(lower, 0, lower.length);
    int to = from;
    boolean empty = lower != null && upper != null && Bytes.compare(lower, upper) >= 0;
    while (!empty
        && to < lowers.length
        && (upper == null || Bytes.compare(lowers[to], upper) < 0)) {
      to++;
    }
    byte[][] newLowers = Arrays.copyOfRange(lowers, from, to);
    byte[][] newUppers = Arrays.copyOfRange(uppers, from, to);
    if (from < to) {
      if (lower != null && Bytes.compare(newLowers[0], lower) < 0) {
        newLowers[0] = lower;
      }
      int last = newUppers.length - 1;
      if (upper != null && Bytes.compare(newUppers[last], upper) > 0) {
        newUppers[last] = upper;
      }
    }
    return new FragmentedRangeTombstones(newLowers, newUppers, Arrays.copyOfRange(times, from, to));
  }

  /**
   * Takes range deletes in any order, whole or in fragments, and cuts them at each other's bounds.
   * One thread at a time.
   */
  public static final class Builder {
    private final List<Range> ranges = new ArrayList<>();

    /** Range deletes of one range. The arrays are borrowed for good and not to be changed. */
    private record Range(byte[] lower, byte[] upper, long[] times) {}

    /** Adds one range delete; an empty range counts for nothing. */
    public void add(byte[] lower, byte[] upper, long time) {
      add(lower, upper, new long[] {time});
    }

    /**
     * Adds range deletes of one range; an empty range counts for nothing.
     *
     * @param times strictly descending, at least one
     */
    public void add(byte[] lower, byte[] upper, long[] times) {
      if (Bytes.compare(lower, upper) < 0) {
        ranges.add(new Range(lower, upper, times));
      }
    }

    /** The fragments of all that was added. */
    public FragmentedRangeTombstones build() {
      ranges.sort((a, b) -> Bytes.compare(a.lower, b.lower));
      Fragments fragments = new Fragments();
      List<Range> open = new ArrayList<>();
      int next = 0;
      byte[] at = Bytes.EMPTY;
      // Sweeps over the bounds in key order. Between two neighbouring bounds, the open ranges are
      // those that cover every key.
      while (next < ranges.size() || !open.isEmpty()) {
        if (open.isEmpty()) {
          at = ranges.get(next).lower;
        }
        while (next < ranges.size() && Bytes.compare(ranges.get(next).lower, at) == 0) {
          open.add(ranges.get(next++));
        }
        byte[] end = next < ranges.size() ? ranges.get(next).lower : open.getFirst().upper;
        for (Range range : open) {
          end = Bytes.compare(range.upper, end) < 0 ? range.upper : end;
        }
        fragments.add(at, end, timesOf(open));
        at = end;
        byte[] closed = end;
        open.removeIf(range -> Bytes.compare(range.upper, closed) <= 0);
      }
      return fragments.build();
    }

    /** All times of some ranges, strictly descending. */
    private static long[] timesOf(List<Range> ranges) {
      if (ranges.size() == 1) {
        return ranges.getFirst().times;
      }
      int count = 0;
      for (Range range : ranges) {
        count += range.times.length;
      }
      long[] ascending = new long[count];
      int at = 0;
      for (Range range : ranges) {
        System.arraycopy(range.times, 0, ascending, at, range.times.length);
        at += range.times.length;
      }
      Arrays.sort(ascending);
      long[] descending = new long[count];
      int kept = 0;
      for (int i = count - 1; i >= 0; i--) {
        if (kept == 0 || ascending[i] != descending[kept - 1]) {
          descending[kept++] = ascending[i];
        }
      }
      return Arrays.copyOf(descending, kept);
    }
  }

  /** Disjoint fragments under construction, in key order. */
  private static final class Fragments {
    private final List<byte[]> lowers = new ArrayList<>();
    private final List<byte[]> uppers = new ArrayList<>();
    private final List<long[]> times = new ArrayList<>();

    void add(byte[] lower, byte[] upper, long[] newTimes) {
      int last = lowers.size() - 1;
      if (last >= 0
          && Bytes.compare(uppers.get(last), lower) == 0
          && Arrays.equals(times.get(last), newTimes)) {
        uppers.set(last, upper);
      } else {
        lowers.add(lower);
        uppers.add(upper);
        times.add(newTimes);
      }
    }

    FragmentedRangeTombstones build() {
      return new FragmentedRangeTombstones(
          lowers.toArray(byte[][]::new),
          uppers.toArray(byte[][]::new),
          times.toArray(long[][]::new));
    }
  }
}
