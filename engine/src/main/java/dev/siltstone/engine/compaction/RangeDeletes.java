package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import java.util.Arrays;

/**
 * The range deletes of the inputs of one job: what they hide, read in key order, and which of them
 * live on.
 *
 * <p>Of a fragment's times, those after the cutoff live on, since a reader may still stand between
 * them. Of those at or before the cutoff the newest does all the hiding that a reader may see: it
 * lives on while something older may lie elsewhere, and the others go.
 */
final class RangeDeletes {
  private final FragmentedRangeTombstones fragments;

  /** By fragment: its newest time at or before the cutoff, MIN if there is none. */
  private final long[] hiding;

  private final FragmentedRangeTombstones survivors;
  private final int timesDropped;
  private int cursor;

  RangeDeletes(FragmentedRangeTombstones fragments, long cutoff, OlderData older) {
    this.fragments = fragments;
    this.hiding = new long[fragments.size()];
    FragmentedRangeTombstones.Builder kept = new FragmentedRangeTombstones.Builder();
    int dropped = 0;
    for (int i = 0; i < fragments.size(); i++) {
      long[] times = fragments.times(i);
      int newer = 0;
      while (newer < times.length && times[newer] > cutoff) {
        newer++;
      }
      hiding[i] = newer < times.length ? times[newer] : HybridTime.MIN;
      boolean hides =
          newer < times.length
              && older.mayHoldRange(fragments.lower(i), fragments.upper(i), times[newer]);
      int keep = newer + (hides ? 1 : 0);
      dropped += times.length - keep;
      if (keep > 0) {
        kept.add(fragments.lower(i), fragments.upper(i), Arrays.copyOf(times, keep));
      }
    }
    this.survivors = kept.build();
    this.timesDropped = dropped;
  }

  /** What the outputs must hold. */
  FragmentedRangeTombstones survivors() {
    return survivors;
  }

  /** How many (fragment, time) pairs of the inputs did not live on as they were. */
  int timesDropped() {
    return timesDropped;
  }

  /** Whether there are none, so that {@link #newestCovering} is {@link HybridTime#MIN} for all. */
  boolean isEmpty() {
    return hiding.length == 0;
  }

  /**
   * The greatest time, at most the cutoff, of a range delete that covers the key; {@link
   * HybridTime#MIN} if there is none. Keys come in ascending order.
   */
  long newestCovering(byte[] key, int offset, int length) {
    while (cursor < hiding.length) {
      byte[] upper = fragments.upper(cursor);
      if (Bytes.compare(upper, 0, upper.length, key, offset, length) > 0) {
        byte[] lower = fragments.lower(cursor);
        boolean covers = Bytes.compare(lower, 0, lower.length, key, offset, length) <= 0;
        return covers ? hiding[cursor] : HybridTime.MIN;
      }
      cursor++;
    }
    return HybridTime.MIN;
  }

  /**
   * Whether range deletes at or before the cutoff and after {@code time} cover all keys that begin
   * with this one, given that {@link #newestCovering}, just asked, found one that covers itself.
   */
  boolean coversSubtree(byte[] key, int offset, int length, long time) {
    int at = cursor;
    while (hiding[at] > time) {
      // The upper bound lies after the key; it lies after all its extensions unless it is one.
      byte[] upper = fragments.upper(at);
      if (upper.length < length || !Bytes.equal(upper, 0, length, key, offset, length)) {
        return true;
      }
      at++;
      if (at == hiding.length || Bytes.compare(fragments.lower(at), upper) != 0) {
        return false;
      }
    }
    return false;
  }
}
