package dev.siltstone.engine.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.testkit.run.Seeds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Goal: what covers a key is the same as in a plain list of all range deletes, for every reader
 * that may ask, while they are added and forgotten. Method: random deletes against the list,
 * readers beside a writer, and patterns that would make the fragments grow.
 */
final class LiveRangeTombstonesTest {
  private record Range(byte[] lower, byte[] upper, long time) {
    boolean covers(byte[] key) {
      return Bytes.compare(lower, key) <= 0 && Bytes.compare(key, upper) < 0;
    }
  }

  @Test
  void coversWhatTheListCovers() {
    Seeds.forEach(1, 100, seed -> compare(seed.random("ranges"), false));
  }

  @Test
  void forgetsOnlyWhatNoReaderAsksFor() {
    Seeds.forEach(1, 100, seed -> compare(seed.random("ranges"), true));
  }

  private static void compare(SplittableRandom random, boolean forget) {
    LiveRangeTombstones live = new LiveRangeTombstones();
    List<Range> all = new ArrayList<>();
    assertThat(live.isEmpty()).isTrue();
    long time = 1;
    long horizon = 0;
    for (int i = 0; i < 150; i++) {
      time += random.nextInt(3);
      if (forget && random.nextInt(4) == 0) {
        horizon = Math.max(horizon, time - 1 - random.nextInt(6));
      }
      Range range = range(random, time);
      all.add(range);
      live.add(range.lower, range.upper, time, Math.min(horizon, time - 1));
      for (int probe = 0; probe < 10; probe++) {
        byte[] key = key(random, 1 + random.nextInt(2));
        long at = Math.min(horizon, time - 1) + random.nextInt((int) (time + 2 - horizon));
        checkCovering(live, all, key, at);
      }
    }
    checkFragments(live, all, horizon, time);
  }

  private static void checkCovering(
      LiveRangeTombstones live, List<Range> all, byte[] key, long at) {
    byte[] padded = new byte[key.length + 3];
    System.arraycopy(key, 0, padded, 1, key.length);
    assertThat(live.newestCovering(padded, 1, key.length, at))
        .isEqualTo(newest(all, key, at))
        .isEqualTo(live.newestCovering(key, 0, key.length, at));
  }

  private static long newest(List<Range> all, byte[] key, long at) {
    return all.stream()
        .filter(range -> range.time <= at && range.covers(key))
        .mapToLong(Range::time)
        .max()
        .orElse(HybridTime.MIN);
  }

  private static void checkFragments(
      LiveRangeTombstones live, List<Range> all, long horizon, long time) {
    FragmentedRangeTombstones.Builder copy = new FragmentedRangeTombstones.Builder();
    byte[][] last = {null};
    live.forEach(
        (lower, upper, times) -> {
          assertThat(Bytes.compare(lower, upper)).isNegative();
          assertThat(times).isNotEmpty();
          for (int i = 1; i < times.length; i++) {
            assertThat(times[i]).isLessThan(times[i - 1]);
          }
          assertThat(last[0] == null || Bytes.compare(last[0], lower) <= 0).isTrue();
          last[0] = upper;
          copy.add(lower, upper, times);
        });
    FragmentedRangeTombstones fragments = copy.build();
    for (int i = 0; i < 256; i++) {
      byte[] key = {(byte) i};
      for (long at = horizon; at <= time + 1; at++) {
        assertThat(fragments.newestCovering(key, 0, 1, at)).isEqualTo(newest(all, key, at));
      }
    }
  }

  private static Range range(SplittableRandom random, long time) {
    while (true) {
      byte[] lower = key(random, random.nextInt(3));
      byte[] upper = key(random, random.nextInt(3));
      if (Bytes.compare(lower, upper) < 0) {
        return new Range(lower, upper, time);
      }
    }
  }

  private static byte[] key(SplittableRandom random, int length) {
    byte[] key = new byte[length];
    for (int i = 0; i < length; i++) {
      key[i] = (byte) (random.nextInt(16) * 16);
    }
    return key;
  }

  @Test
  void queueDeletedFromItsHeadStaysOneFragment() {
    LiveRangeTombstones live = new LiveRangeTombstones();
    for (int i = 1; i <= 100_000; i++) {
      live.add(Bytes.EMPTY, number(i), i, i - 1);
    }
    assertThat(count(live)).isLessThanOrEqualTo(2);
    assertThat(live.bytes()).isLessThan(1000);
  }

  @Test
  void nestedDeletesOfOneBatchStayOneFragment() {
    LiveRangeTombstones live = new LiveRangeTombstones();
    for (int i = 1; i <= 100_000; i++) {
      live.add(Bytes.EMPTY, number(i), 7, 0);
    }
    assertThat(count(live)).isEqualTo(1);
  }

  @Test
  void disjointDeletesAreAddedInLogarithmicTime() {
    LiveRangeTombstones live = new LiveRangeTombstones();
    for (int i = 0; i < 100_000; i++) {
      live.add(number(2 * i), number(2 * i + 1), 7, 0);
    }
    assertThat(count(live)).isEqualTo(100_000);
    assertThat(live.bytes()).isBetween(20_000_000L, 30_000_000L);
  }

  @Test
  void readersSeeTheSameWhileDeletesAreAdded() {
    Seeds.forEach(1, 5, seed -> race(seed.random("writer"), seed.random("reader")));
  }

  private static void race(SplittableRandom writing, SplittableRandom reading) throws Exception {
    List<Range> all = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      all.add(range(writing, i + 1));
    }
    LiveRangeTombstones live = new LiveRangeTombstones();
    AtomicLong published = new AtomicLong();
    AtomicLong oldest = new AtomicLong();
    try (ExecutorService threads = Executors.newFixedThreadPool(1)) {
      Future<?> reader =
          threads.submit(
              () -> {
                while (published.getAcquire() < all.size()) {
                  long known = published.getAcquire();
                  oldest.setRelease(known);
                  byte[] key = key(reading, 2);
                  assertThat(live.newestCovering(key, 0, 2, known))
                      .isEqualTo(newest(all, key, known));
                  checkAllFragments(live, all, key, known);
                }
              });
      for (Range range : all) {
        live.add(range.lower, range.upper, range.time, oldest.getAcquire());
        published.setRelease(range.time);
        if (reader.isDone()) {
          break;
        }
      }
      reader.get();
    }
  }

  /** The fragment of a walk that covers the key has the time that the list has. */
  private static void checkAllFragments(
      LiveRangeTombstones live, List<Range> all, byte[] key, long at) {
    long[] found = {HybridTime.MIN};
    live.forEach(
        (lower, upper, times) -> {
          if (Bytes.compare(lower, key) <= 0 && Bytes.compare(key, upper) < 0) {
            for (long time : times) {
              if (time <= at) {
                found[0] = Math.max(found[0], time);
              }
            }
          }
        });
    assertThat(found[0]).isEqualTo(newest(all, key, at));
  }

  private static int count(LiveRangeTombstones live) {
    int[] count = {0};
    live.forEach((lower, upper, times) -> count[0]++);
    return count[0];
  }

  private static byte[] number(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }
}
