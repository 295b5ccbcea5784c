package dev.siltstone.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.testkit.run.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

// Goal: the cache returns what was put in at that place or nothing, keeps to its budget, keeps what
// is used often through a scan, and forgets files.
// Method: random operations against a map of what was ever put; a scan over a working set; threads.
final class BlockCacheTest {
  private static final long KIB = 1 << 10;

  @Test
  void agreesWithAMapAndKeepsToTheBudget() {
    Seeds.forEach(1, 200, seed -> run(seed.random("cache")));
  }

  private record Place(long file, long offset) {}

  private static void run(RandomGenerator random) {
    int shards = 1 << random.nextInt(4);
    long budget = shards * (20 + random.nextInt(200)) * KIB;
    BlockCache cache = new BlockCache(budget, shards);
    Map<Place, Object> model = new HashMap<>();
    long pinned = 0;
    for (int i = 0; i < 5_000; i++) {
      Place place = new Place(random.nextInt(6), random.nextInt(200) * 4096L);
      switch (random.nextInt(40)) {
        case 0 -> {
          cache.remove(place.file);
          model.keySet().removeIf(p -> p.file == place.file);
          for (long offset = 0; offset < 200 * 4096L; offset += 4096) {
            assertThat(cache.get(place.file, offset)).isNull();
          }
        }
        case 1 -> {
          budget = shards * (10 + random.nextInt(200)) * KIB;
          cache.setCapacity(budget);
        }
        case 2 -> {
          long change = random.nextInt(1000) * KIB - pinned;
          cache.pin(change);
          pinned += change;
        }
        default -> {
          Object found = cache.get(place.file, place.offset);
          if (found != null) {
            assertThat(found).isSameAs(model.get(place));
          } else {
            Object value = new Object();
            model.put(place, value);
            cache.put(place.file, place.offset, value, 100 + random.nextInt(4000));
          }
        }
      }
      BlockCache.Stats stats = cache.stats();
      assertThat(stats.bytes()).isLessThanOrEqualTo(Math.max(budget - pinned, budget / 8));
      assertThat(stats.pinnedBytes()).isEqualTo(pinned);
    }
  }

  @Test
  void whatIsUsedOftenSurvivesAScan() {
    BlockCache cache = new BlockCache(1_000 * KIB, 1);
    for (int round = 0; round < 4; round++) {
      for (int i = 0; i < 500; i++) {
        if (cache.get(1, i) == null) {
          cache.put(1, i, "hot " + i, KIB);
        }
      }
    }
    for (int i = 0; i < 20_000; i++) {
      assertThat(cache.get(2, i)).isNull();
      cache.put(2, i, "cold " + i, KIB);
    }
    int survivors = 0;
    for (int i = 0; i < 500; i++) {
      survivors += cache.get(1, i) == null ? 0 : 1;
    }
    assertThat(survivors).isGreaterThanOrEqualTo(490);
  }

  @Test
  void anObjectThatComesBackSoonAfterItLeftIsKept() {
    BlockCache cache = new BlockCache(100 * KIB, 1);
    for (int i = 0; i < 60; i++) {
      cache.put(1, i, i, KIB);
    }
    for (int i = 0; i < 60; i++) {
      cache.put(2, i, i, KIB);
    }
    int missing = 0;
    while (cache.get(1, missing) != null) {
      missing++;
    }
    assertThat(missing).isLessThan(60);
    cache.put(1, missing, "again", KIB);
    for (int i = 0; i < 500; i++) {
      cache.put(3, i, i, KIB);
    }
    assertThat(cache.get(1, missing)).isEqualTo("again");
  }

  @Test
  void anObjectOfMoreThanAQuarterOfAShardIsRefused() {
    BlockCache cache = new BlockCache(400 * KIB, 1);
    cache.put(1, 1, "large", 101 * KIB);
    cache.put(1, 2, "small", 99 * KIB);
    assertThat(cache.get(1, 1)).isNull();
    assertThat(cache.get(1, 2)).isEqualTo("small");
    assertThat(cache.stats().refusals()).isEqualTo(1);
  }

  @Test
  void anEntryThatIsKeptCountsAsUseAndIsEmptyOnceItHasLeft() {
    BlockCache cache = new BlockCache(100 * KIB, 1);
    cache.put(1, 1, "kept", KIB);
    cache.put(1, 2, "removed", KIB);
    CacheEntry kept = cache.entry(1, 1);
    CacheEntry removed = cache.entry(1, 2);
    assertThat(cache.entry(1, 3)).isNull();
    assertThat(kept).isNotNull();
    assertThat(removed).isNotNull();
    cache.put(2, 1, "other", KIB);
    for (int i = 0; i < 500; i++) {
      assertThat(kept.value()).isEqualTo("kept");
      cache.put(3, i, i, KIB);
    }
    assertThat(cache.get(1, 1)).isEqualTo("kept");
    assertThat(removed.value()).as("pushed out").isNull();
    cache.remove(1);
    assertThat(kept.value()).as("of a file that was removed").isNull();
    assertThat(cache.entry(1, 1)).isNull();
  }

  @Test
  void statisticsCount() {
    BlockCache cache = new BlockCache(100 * KIB, 1);
    cache.put(1, 1, "a", KIB);
    cache.put(1, 1, "another", KIB);
    assertThat(cache.get(1, 1)).isEqualTo("a");
    assertThat(cache.get(1, 2)).isNull();
    BlockCache.Stats stats = cache.stats();
    assertThat(stats.hits()).isEqualTo(1);
    assertThat(stats.misses()).isEqualTo(1);
    assertThat(stats.entries()).isEqualTo(1);
    assertThat(stats.bytes()).isBetween(KIB, KIB + 200);
    cache.setCapacity(0);
    stats = cache.stats();
    assertThat(stats.entries()).isZero();
    assertThat(stats.bytes()).isZero();
    assertThat(stats.evictions()).isEqualTo(1);
    cache.put(1, 1, "a", 0);
    assertThat(cache.get(1, 1)).isNull();
  }

  @Test
  void wrongBudgetsAreRefused() {
    assertThatThrownBy(() -> new BlockCache(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new BlockCache(1).setCapacity(-1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aHitAllocatesNothing() {
    BlockCache cache = new BlockCache(1 << 20);
    cache.put(1, 1, "a", KIB);
    var threads =
        (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 100_000; i++) {
        if (cache.get(1, 1) == null) {
          throw new AssertionError("missing");
        }
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(least).isLessThan(1_000);
  }

  @Test
  void threadsNeverSeeAnObjectOfAnotherPlace() throws InterruptedException {
    BlockCache cache = new BlockCache(200 * KIB, 2);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      RandomGenerator random = new java.util.SplittableRandom(t);
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      start.await();
                      work(cache, random);
                    } catch (Throwable e) {
                      failure.compareAndSet(null, e);
                    }
                  }));
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failure.get()).isNull();
    BlockCache.Stats stats = cache.stats();
    assertThat(stats.bytes()).isLessThanOrEqualTo(200 * KIB);
    cache.setCapacity(0);
    assertThat(cache.stats().entries()).isZero();
  }

  private static void work(BlockCache cache, RandomGenerator random) {
    for (int i = 0; i < 100_000; i++) {
      long file = random.nextInt(4);
      long offset = random.nextInt(300);
      Object found = cache.get(file, offset);
      if (found == null) {
        cache.put(file, offset, new Place(file, offset), random.nextInt(2000));
      } else if (!found.equals(new Place(file, offset))) {
        throw new AssertionError(found + " at " + file + ", " + offset);
      }
      if (random.nextInt(5_000) == 0) {
        cache.remove(file);
      }
      if (random.nextInt(5_000) == 0) {
        cache.setCapacity((50 + random.nextInt(150)) * KIB);
      }
    }
  }
}
