package dev.siltstone.engine.memtable;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.key.UpperBound;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The range deletes of a memtable while it is written: a sorted map of boundaries, each with the
 * times of the range deletes that cover what lies from it to the next boundary.
 *
 * <p>A range delete is added in steps, each of which is seen or not seen by a reader without harm:
 * (1) its two bounds become boundaries, with the times of the fragments they cut; (2) its time is
 * put before those of each fragment inside, and readers do not ask for a time that is not
 * published; (3) a boundary is removed when the fragments on both sides have become alike. The
 * times that no reader can ask for any more go with (2), so that a range deleted again and again
 * stays one fragment.
 *
 * <p>One thread adds, with times that never fall; readers take no lock.
 */
final class LiveRangeTombstones implements RangeTombstones {
  private static final long[] NOTHING = {};

  /** What an entry of the map costs besides its arrays' content, in bytes. */
  private static final int ENTRY_BYTES = 96;

  private final ConcurrentSkipListMap<byte[], long[]> fragments =
      new ConcurrentSkipListMap<>(Bytes::compare);

  private long bytes;
  private long changes;

  /** Memory in bytes; for the writer. */
  long bytes() {
    return bytes;
  }

  /** How many fragments were changed so far, by all range deletes together; for the writer. */
  long changes() {
    return changes;
  }

  /**
   * Adds a range delete.
   *
   * @param lower inclusive; kept
   * @param upper exclusive, after {@code lower}; kept
   * @param horizon no reader asks for a time before this one; less than {@code time}
   */
  void add(byte[] lower, byte[] upper, long time, long horizon) {
    assert Bytes.compare(lower, upper) < 0 : "empty range";
    assert horizon < time : "horizon at an unpublished time";
    cut(upper);
    cut(lower);
    Map.Entry<byte[], long[]> left = fragments.lowerEntry(lower);
    long[] before = left == null ? NOTHING : left.getValue();
    for (Map.Entry<byte[], long[]> entry : fragments.subMap(lower, upper).entrySet()) {
      long[] times = prepend(time, entry.getValue(), horizon);
      set(entry.getKey(), entry.getValue(), times, before);
      before = times;
      changes++;
    }
    long[] after = fragments.getOrDefault(upper, NOTHING);
    set(upper, after, after, before);
  }

  /** Makes a key a boundary. */
  private void cut(byte[] key) {
    Map.Entry<byte[], long[]> floor = fragments.floorEntry(key);
    if (floor == null || !Arrays.equals(floor.getKey(), key)) {
      long[] times = floor == null ? NOTHING : floor.getValue();
      fragments.put(key, times);
      bytes += cost(key, times);
    }
  }

  /** Changes the times at a boundary, or removes it if the fragment to the left has the same. */
  private void set(byte[] key, long[] old, long[] times, long[] before) {
    if (Arrays.equals(times, before)) {
      fragments.remove(key);
      bytes -= cost(key, old);
    } else if (!Arrays.equals(times, old)) {
      fragments.put(key, times);
      bytes += cost(key, times) - cost(key, old);
    }
  }

  private static long cost(byte[] key, long[] times) {
    return ENTRY_BYTES + UpperBound.memoryBytes(key) + (long) Long.BYTES * times.length;
  }

  /** Puts a time before others and drops those that only readers before the horizon would ask. */
  private static long[] prepend(long time, long[] times, long horizon) {
    if (times.length > 0 && times[0] == time) {
      return times;
    }
    assert times.length == 0 || times[0] < time : "range deletes out of order";
    int kept = 0;
    while (kept < times.length && times[kept] > horizon) {
      kept++;
    }
    // The newest one at or before the horizon answers all who ask from the horizon on.
    kept = Math.min(kept + 1, times.length);
    long[] result = new long[kept + 1];
    result[0] = time;
    System.arraycopy(times, 0, result, 1, kept);
    return result;
  }

  @Override
  public boolean isEmpty() {
    return fragments.isEmpty();
  }

  @Override
  public long newestCovering(byte[] key, int offset, int length, long atTime) {
    Map.Entry<byte[], long[]> floor = fragments.floorEntry(probe(key, offset, length));
    if (floor != null) {
      for (long time : floor.getValue()) {
        if (time <= atTime) {
          return time;
        }
      }
    }
    return HybridTime.MIN;
  }

  @Override
  public byte @Nullable [] lowerCovering(byte[] key, int offset, int length) {
    Map.Entry<byte[], long[]> floor = fragments.floorEntry(probe(key, offset, length));
    return floor == null || floor.getValue().length == 0 ? null : floor.getKey();
  }

  @Override
  public byte @Nullable [] upperCovering(byte[] key, int offset, int length) {
    // Two looks at a map that is being written agree in what counts: between two boundaries all
    // keys have the same newest time at or before that of a reader, and no later range delete
    // changes it.
    byte[] probe = probe(key, offset, length);
    Map.Entry<byte[], long[]> floor = fragments.floorEntry(probe);
    return floor == null || floor.getValue().length == 0 ? null : fragments.higherKey(probe);
  }

  private static byte[] probe(byte[] key, int offset, int length) {
    return offset == 0 && length == key.length ? key : Bytes.copy(key, offset, length);
  }

  @Override
  public void forEach(FragmentConsumer consumer) {
    byte[] lower = Bytes.EMPTY;
    long[] times = NOTHING;
    for (Map.Entry<byte[], long[]> entry : fragments.entrySet()) {
      if (times.length > 0) {
        consumer.fragment(lower, entry.getKey(), times);
      }
      lower = entry.getKey();
      times = entry.getValue();
    }
    assert times.length == 0 : "range delete without end";
  }
}
