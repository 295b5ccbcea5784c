package dev.siltstone.engine.memtable;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.RangeTombstones;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The range deletes of a memtable: a map from fragment bound to the times that cover what follows
 * it, up to the next bound.
 *
 * <p>One thread adds, any number read without waiting. A bound is inserted with a copy of the times
 * of the fragment it cuts, which changes nothing; then the new time is put in front of the times of
 * each fragment inside, which no reader sees before the time is published, since it asks for times
 * at or before its own.
 */
final class MemTableRangeTombstones implements RangeTombstones {
  private static final long[] NO_TIMES = new long[0];

  /** Memory of a bound: map node, index, array headers; estimated. */
  private static final int BOUND_BYTES = 120;

  private final ConcurrentSkipListMap<byte[], long[]> bounds =
      new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
  private volatile boolean empty = true;
  private volatile long bytes;
  private volatile long count;

  /** Adds a range delete; the bounds are kept. Times rise from call to call, or stay. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
  void add(byte[] lower, byte[] upper, long time) {
    long added = cut(lower) + cut(upper);
    for (Map.Entry<byte[], long[]> entry : bounds.subMap(lower, true, upper, false).entrySet()) {
      long[] times = entry.getValue();
      if (times.length == 0 || times[0] < time) {
        long[] longer = new long[times.length + 1];
        longer[0] = time;
        System.arraycopy(times, 0, longer, 1, times.length);
        bounds.put(entry.getKey(), longer);
        added += Long.BYTES;
      }
    }
    bytes += added;
    count++;
    empty = false;
  }

  /** Memory taken, in bytes. */
  long bytes() {
    return bytes;
  }

  /** Range deletes added. */
  long count() {
    return count;
  }

  @Override
  public boolean isEmpty() {
    return empty;
  }

  @Override
  public long newestCovering(byte[] key, int offset, int length, long atTime) {
    if (empty) {
      return HybridTime.MIN;
    }
    byte[] exact = offset == 0 && length == key.length ? key : Bytes.copy(key, offset, length);
    Map.Entry<byte[], long[]> fragment = bounds.floorEntry(exact);
    return fragment == null ? HybridTime.MIN : newestAtOrBefore(fragment.getValue(), atTime);
  }

  @Override
  public void forEach(FragmentConsumer consumer) {
    byte[] lower = null;
    long[] times = NO_TIMES;
    for (Map.Entry<byte[], long[]> entry : bounds.entrySet()) {
      if (lower != null && times.length > 0) {
        consumer.fragment(lower, entry.getKey(), times);
      }
      lower = entry.getKey();
      times = entry.getValue();
    }
    assert times.length == 0 : "the last bound ends a fragment";
  }

  private static long newestAtOrBefore(long[] times, long atTime) {
    for (long time : times) {
      if (time <= atTime) {
        return time;
      }
    }
    return HybridTime.MIN;
  }

  /** Makes {@code key} a bound and returns the bytes that took. */
  private long cut(byte[] key) {
    Map.Entry<byte[], long[]> fragment = bounds.floorEntry(key);
    if (fragment != null && Arrays.equals(fragment.getKey(), key)) {
      return 0;
    }
    long[] times = fragment == null ? NO_TIMES : fragment.getValue();
    bounds.put(key, times);
    return BOUND_BYTES + key.length + (long) times.length * Long.BYTES;
  }
}
