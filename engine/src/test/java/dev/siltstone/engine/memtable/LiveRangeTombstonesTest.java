package dev.siltstone.engine.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.testkit.run.Seeds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Goal: what covers a key is the same as in a plain list of all range deletes, for every reader
 * that may ask, while they are added. Method: random deletes against the list, readers beside a
 * writer, and patterns that would make the parts grow.
 */
final class LiveRangeTombstonesTest {
  private record Range(byte[] lower, byte[] upper, long time) {
    boolean covers(byte[] key) {
      return Bytes.compare(lower, key) <= 0 && Bytes.compare(key, upper) < 0;
    }
  }

  @Test
  void coversWhatTheListCovers() {
    Seeds.forEach(1, 200, seed -> compare(seed.random("ranges")));
  }

  private static void compare(SplittableRandom random) {
    LiveRangeTombstones live = new LiveRangeTombstones();
    List<Range> all = new ArrayList<>();
    assertThat(live.isEmpty()).isTrue();
    long time = 1;
    for (int i = 0; i < 150; i++) {
      time += random.nextInt(3);
      Range range = range(random, time);
      all.add(range);
      live.add(range.lower, range.upper, time);
      for (int probe = 0; probe < 10; probe++) {
        byte[] key = key(random, 1 + random.nextInt(2));
        checkCovering(live, all, key, random.nextInt((int) time + 2));
      }
    }
    checkUnion(live, all, random.nextInt((int) time + 2), time);
  }

  private static void checkCovering(
      LiveRangeTombstones live, List<Range> all, byte[] key, long at) {
    byte[] padded = new byte[key.length + 3];
    System.arraycopy(key, 0, padded, 1, key.length);
    long newest = newest(all, key, at);
    assertThat(live.newestCovering(padded, 1, key.length, at))
        .isEqualTo(newest)
        .isEqualTo(live.newestCovering(key, 0, key.length, at));
    byte[] lower = live.lowerCovering(padded, 1, key.length, at);
    byte[] upper = live.upperCovering(padded, 1, key.length, at);
    if (newest == HybridTime.MIN) {
      assertThat(lower).isNull();
      assertThat(upper).isNull();
    } else {
      assertThat(Bytes.compare(lower, key)).isNotPositive();
      assertThat(Bytes.compare(key, upper)).isNegative();
      for (int first = 0; first < 256; first += 4) {
        byte[] other = {(byte) first};
        if (Bytes.compare(lower, other) <= 0 && Bytes.compare(other, upper) < 0) {
          assertThat(newest(all, other, at)).isGreaterThanOrEqualTo(newest);
        }
      }
    }
  }

  private static long newest(List<Range> all, byte[] key, long at) {
    return all.stream()
        .filter(range -> range.time <= at && range.covers(key))
        .mapToLong(Range::time)
        .max()
        .orElse(HybridTime.MIN);
  }

  private static void checkUnion(LiveRangeTombstones live, List<Range> all, long floor, long time) {
    FragmentedRangeTombstones union = FragmentedRangeTombstones.union(List.of(live), floor);
    for (int i = 0; i < 256; i++) {
      byte[] key = {(byte) i};
      for (long at = floor; at <= time + 1; at++) {
        assertThat(union.newestCovering(key, 0, 1, at)).isEqualTo(newest(all, key, at));
      }
    }
    for (int i = 0; i < union.size(); i++) {
      long[] times = union.times(i);
      assertThat(Arrays.stream(times).filter(t -> t <= floor).count()).isLessThanOrEqualTo(1);
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
  void queueDeletedFromItsHeadStaysOneRange() {
    LiveRangeTombstones live = new LiveRangeTombstones();
    for (int i = 1; i <= 100_000; i++) {
      live.add(Bytes.EMPTY, number(i), i);
    }
    assertThat(count(live, 100_000)).isEqualTo(1);
    assertThat(live.overlapping()).isEqualTo(99_999);
    assertThat(live.newestCovering(number(9), 0, 4, 100_000)).isEqualTo(100_000);
    assertThat(live.newestCovering(number(9), 0, 4, 50)).isEqualTo(50);
    assertThat(live.newestCovering(number(50), 0, 4, 50)).isEqualTo(HybridTime.MIN);
  }

  @Test
  void sameRangeAgainAndAgainStaysOneRange() {
    LiveRangeTombstones live = new LiveRangeTombstones();
    for (int i = 1; i <= 100_000; i++) {
      live.add(number(3), number(5), i);
    }
    assertThat(count(live, 100_000)).isEqualTo(1);
    assertThat(live.overlapping()).isZero();
    assertThat(live.newestCovering(number(4), 0, 4, 777)).isEqualTo(777);
  }

  @Test
  void nestedDeletesOfOneBatchStayOneRange() {
    LiveRangeTombstones live = new LiveRangeTombstones();
    for (int i = 1; i <= 100_000; i++) {
      live.add(Bytes.EMPTY, number(i), 7);
    }
    assertThat(count(live, 7)).isEqualTo(1);
    assertThat(live.newestCovering(number(4), 0, 4, 6)).isEqualTo(HybridTime.MIN);
  }

  @Test
  void disjointDeletesStayApart() {
    LiveRangeTombstones live = new LiveRangeTombstones();
    for (int i = 0; i < 100_000; i++) {
      live.add(number(2 * i), number(2 * i + 1), 7);
    }
    assertThat(count(live, 7)).isEqualTo(100_000);
    assertThat(live.overlapping()).isZero();
    assertThat(live.bytes()).isBetween(20_000_000L, 30_000_000L);
  }

  @Test
  void readersSeeTheSameWhileDeletesAreAdded() {
    Seeds.forEach(1, 100, seed -> race(seed.random("writer"), seed.random("reader")));
  }

  private static void race(SplittableRandom writing, SplittableRandom reading) throws Exception {
    List<Range> all = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      all.add(range(writing, i + 1));
    }
    LiveRangeTombstones live = new LiveRangeTombstones();
    AtomicLong published = new AtomicLong();
    try (ExecutorService threads = Executors.newFixedThreadPool(1)) {
      Future<?> reader =
          threads.submit(
              () -> {
                while (published.getAcquire() < all.size()) {
                  long known = published.getAcquire();
                  byte[] key = key(reading, 2);
                  long earlier = reading.nextLong(known + 1);
                  assertThat(live.newestCovering(key, 0, 2, known))
                      .isEqualTo(newest(all, key, known));
                  assertThat(live.newestCovering(key, 0, 2, earlier))
                      .isEqualTo(newest(all, key, earlier));
                }
              });
      for (Range range : all) {
        live.add(range.lower, range.upper, range.time);
        published.setRelease(range.time);
        if (reader.isDone()) {
          break;
        }
      }
      reader.get();
    }
  }

  private static int count(LiveRangeTombstones live, long floor) {
    int[] count = {0};
    live.forEach(floor, (_, _, _) -> count[0]++);
    return count[0];
  }

  private static byte[] number(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }
}
