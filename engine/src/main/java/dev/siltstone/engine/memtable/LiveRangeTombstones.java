package dev.siltstone.engine.memtable;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.key.UpperBound;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The range deletes of a memtable while it is written: a sorted map of what the newest of them
 * cover. A range delete takes all that it covers out of the map, and keeps it for those who read at
 * an earlier time. So each goes into the map once and out of it once, however many overlap, and
 * reads at the present look at one entry; a read at an earlier time looks at one for each later
 * range delete that covers its key.
 *
 * <p>A range delete [a, b) is added in steps, after each of which readers find for every key what
 * they found before, since they do not ask for a time that is not published: (1) what reaches past
 * b becomes an entry at b; (2) the new entry is put at a, or takes the place of the one there; (3)
 * the entries inside, which it keeps, are removed. An entry whose end was covered later stays as it
 * is: a key is looked for at the last entry that begins at or before it.
 *
 * <p>One thread adds, with times that never fall; readers take no lock.
 */
final class LiveRangeTombstones implements RangeTombstones {
  private static final Covered[] NOTHING = {};

  /** What a range delete costs besides its keys and what it keeps, in bytes. */
  private static final int ADDITION_BYTES = 200;

  /**
   * A range with the time of the newest range delete that covers it.
   *
   * @param older what covered its keys before, in key order; may reach beyond it on both sides
   */
  private record Covered(byte[] lower, byte[] upper, long time, Covered[] older) {
    /** The last range to cover a key at or before a time, given that this one covers the key. */
    @Nullable Covered at(byte[] key, int offset, int length, long atTime) {
      Covered range = this;
      while (range != null && range.time > atTime) {
        range = find(range.older, key, offset, length);
      }
      return range;
    }

    private static @Nullable Covered find(Covered[] ranges, byte[] key, int offset, int length) {
      int low = 0;
      int high = ranges.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (begins(ranges[middle], key, offset, length)) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low > 0 && ends(ranges[low - 1], key, offset, length) ? ranges[low - 1] : null;
    }

    private static boolean begins(Covered range, byte[] key, int offset, int length) {
      return Bytes.compare(range.lower, 0, range.lower.length, key, offset, length) <= 0;
    }

    private static boolean ends(Covered range, byte[] key, int offset, int length) {
      return Bytes.compare(range.upper, 0, range.upper.length, key, offset, length) > 0;
    }
  }

  private record Addition(byte[] lower, byte[] upper, long time) {}

  private final ConcurrentSkipListMap<byte[], Covered> newest =
      new ConcurrentSkipListMap<>(Bytes::compare);

  /** All that was added, in that order; written before {@link #count}. */
  private Addition[] additions = new Addition[4];

  private volatile int count;
  private long bytes;
  private long overlapping;

  /** Memory in bytes; for the writer. */
  long bytes() {
    return bytes;
  }

  /** How many range deletes have covered others, other than just the same range; for the writer. */
  long overlapping() {
    return overlapping;
  }

  /**
   * Adds a range delete.
   *
   * @param lower inclusive; kept
   * @param upper exclusive, after {@code lower}; kept
   */
  void add(byte[] lower, byte[] upper, long time) {
    assert Bytes.compare(lower, upper) < 0 : "empty range";
    assert count == 0 || additions[count - 1].time <= time : "range deletes out of order";
    List<Covered> inside = new ArrayList<>();
    Map.Entry<byte[], Covered> left = newest.lowerEntry(lower);
    if (left != null && Bytes.compare(left.getValue().upper, lower) > 0) {
      inside.add(left.getValue());
    }
    inside.addAll(newest.subMap(lower, upper).values());
    Covered[] older = inside.toArray(NOTHING);
    if (older.length > 0) {
      Covered last = older[older.length - 1];
      if (Bytes.compare(last.upper, upper) > 0) {
        newest.putIfAbsent(upper, new Covered(upper, last.upper, last.time, last.older));
      }
      boolean same = Arrays.equals(last.lower, lower) && Arrays.equals(last.upper, upper);
      overlapping += same ? 0 : 1;
    }
    newest.put(lower, new Covered(lower, upper, time, older));
    newest.subMap(lower, false, upper, false).clear();
    append(new Addition(lower, upper, time));
    bytes +=
        ADDITION_BYTES
            + UpperBound.memoryBytes(lower)
            + UpperBound.memoryBytes(upper)
            + (long) Integer.BYTES * older.length;
  }

  private void append(Addition addition) {
    int size = count;
    if (size == additions.length) {
      additions = Arrays.copyOf(additions, 2 * size);
    }
    additions[size] = addition;
    count = size + 1;
  }

  @Override
  public boolean isEmpty() {
    return count == 0;
  }

  @SuppressWarnings("ReferenceEquality") // The same object, as one that is put in is never old.
  private @Nullable Covered covering(byte[] key, int offset, int length, long atTime) {
    byte[] probe = offset == 0 && length == key.length ? key : Bytes.copy(key, offset, length);
    Covered before = null;
    while (true) {
      Map.Entry<byte[], Covered> floor = newest.floorEntry(probe);
      Covered range = floor == null ? null : floor.getValue();
      if (range != null && Bytes.compare(range.upper, probe) > 0) {
        return range.at(probe, 0, length, atTime);
      }
      // The map finds the entry first and reads its range then. Between the two the range may have
      // become a shorter one, whose rest is an entry of its own by now; if it is the same at a
      // second look, that looked when there was none.
      if (range == before) {
        return null;
      }
      before = range;
    }
  }

  @Override
  public long newestCovering(byte[] key, int offset, int length, long atTime) {
    Covered range = covering(key, offset, length, atTime);
    return range == null ? HybridTime.MIN : range.time;
  }

  @Override
  public byte @Nullable [] lowerCovering(byte[] key, int offset, int length, long atTime) {
    Covered range = covering(key, offset, length, atTime);
    return range == null ? null : range.lower;
  }

  @Override
  public byte @Nullable [] upperCovering(byte[] key, int offset, int length, long atTime) {
    Covered range = covering(key, offset, length, atTime);
    return range == null ? null : range.upper;
  }

  @Override
  public void forEach(long floor, RangeConsumer consumer) {
    int size = count;
    Addition[] all = additions;
    NavigableMap<byte[], Addition> atFloor = new TreeMap<>(Bytes::compare);
    int next = 0;
    while (next < size && all[next].time <= floor) {
      cover(atFloor, all[next++]);
    }
    for (Addition range : atFloor.values()) {
      consumer.range(range.lower, range.upper, new long[] {range.time});
    }
    for (; next < size; next++) {
      consumer.range(all[next].lower, all[next].upper, new long[] {all[next].time});
    }
  }

  /** Puts a range among disjoint ones, each at its lower bound, of which it takes the place. */
  private static void cover(NavigableMap<byte[], Addition> ranges, Addition range) {
    Map.Entry<byte[], Addition> last = ranges.lowerEntry(range.upper);
    if (last != null && Bytes.compare(last.getValue().upper, range.upper) > 0) {
      Addition old = last.getValue();
      ranges.put(range.upper, new Addition(range.upper, old.upper, old.time));
    }
    Map.Entry<byte[], Addition> first = ranges.lowerEntry(range.lower);
    if (first != null && Bytes.compare(first.getValue().upper, range.lower) > 0) {
      Addition old = first.getValue();
      ranges.put(old.lower, new Addition(old.lower, range.lower, old.time));
    }
    ranges.subMap(range.lower, range.upper).clear();
    ranges.put(range.lower, range);
  }
}
