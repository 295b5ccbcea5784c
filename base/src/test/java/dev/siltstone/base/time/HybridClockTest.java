package dev.siltstone.base.time;

// Goal: hybrid times strictly increase, follow a clock that runs forward, and survive one that does
// not; the number is laid out as drawn.
// Method: a clock moved by hand; threads that draw at once.

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class HybridClockTest {
  private static final long START = HybridTime.EPOCH_UNIX_MICROS + 1_000_000;

  private final AtomicLong wall = new AtomicLong(START);
  private final Clock clock =
      new Clock() {
        @Override
        public long wallMicros() {
          return wall.get();
        }

        @Override
        public long nanoTime() {
          throw new AssertionError("hybrid time is of the wall clock");
        }
      };

  @Test
  void timesAreMicrosecondsSince2020TimesSixteen() {
    assertThat(HybridTime.ofUnixMicros(START)).isEqualTo(1_000_000L << 4);
    assertThat(HybridTime.toUnixMicros((1_000_000L << 4) + 15)).isEqualTo(START);
    assertThat(HybridTime.EPOCH_UNIX_MICROS)
        .isEqualTo(Instant.parse("2020-01-01T00:00:00Z").getEpochSecond() * 1_000_000);
  }

  @Test
  void timesOutsideTheRangeAreClamped() {
    assertThat(HybridTime.ofUnixMicros(0)).isEqualTo(HybridTime.MIN);
    assertThat(HybridTime.ofUnixMicros(Long.MIN_VALUE / 2)).isEqualTo(HybridTime.MIN);
    assertThat(HybridTime.ofUnixMicros(HybridTime.EPOCH_UNIX_MICROS + (1L << 52)))
        .isEqualTo(HybridTime.MAX);
    assertThat(HybridTime.ofUnixMicros(Long.MAX_VALUE)).isEqualTo(HybridTime.MAX);
    assertThat(HybridTime.MAX).isEqualTo((1L << 56) - 1);
    assertThat(HybridTime.toUnixMicros(HybridTime.MAX))
        .isEqualTo(HybridTime.EPOCH_UNIX_MICROS + (1L << 52) - 1);
  }

  @Test
  void nextFollowsTheWallClock() {
    HybridClock hybrid = new HybridClock(clock, HybridTime.MIN);
    assertThat(hybrid.next()).isEqualTo(1_000_000L << 4);
    assertThat(hybrid.next()).isEqualTo((1_000_000L << 4) + 1);
    wall.addAndGet(10);
    assertThat(hybrid.next()).isEqualTo(1_000_010L << 4);
    assertThat(hybrid.last()).isEqualTo(1_000_010L << 4);
  }

  @Test
  void clockThatGoesBackOrStandsStillIsOvertaken() {
    HybridClock hybrid = new HybridClock(clock, HybridTime.MIN);
    long last = hybrid.next();
    wall.addAndGet(-500_000_000);
    for (int i = 0; i < 100; i++) {
      long next = hybrid.next();
      assertThat(next).isEqualTo(last + 1);
      last = next;
    }
    assertThat(hybrid.now()).isEqualTo(last);
  }

  @Test
  void persistedTimesAreNeverHandedOutAgain() {
    long persisted = HybridTime.ofUnixMicros(START + 77_000_000);
    assertThat(new HybridClock(clock, persisted).next()).isEqualTo(persisted + 1);
    HybridClock hybrid = new HybridClock(clock, HybridTime.MIN);
    hybrid.observe(persisted);
    hybrid.observe(5);
    assertThat(hybrid.next()).isEqualTo(persisted + 1);
  }

  @Test
  void nowIsNotHandedOut() {
    HybridClock hybrid = new HybridClock(clock, HybridTime.MIN);
    long now = hybrid.now();
    assertThat(hybrid.now()).isEqualTo(now);
    assertThat(hybrid.last()).isEqualTo(HybridTime.MIN);
    assertThat(hybrid.next()).isEqualTo(now);
  }

  @Test
  void threadsNeverDrawTheSameTime() throws Exception {
    HybridClock hybrid = new HybridClock(clock, HybridTime.MIN);
    List<List<Long>> drawn = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      List<Long> mine = new ArrayList<>();
      drawn.add(mine);
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int n = 0; n < 20_000; n++) {
                      mine.add(hybrid.next());
                      if (n % 100 == 0) {
                        wall.incrementAndGet();
                      }
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Set<Long> all = new HashSet<>();
    for (List<Long> mine : drawn) {
      assertThat(mine).isSorted();
      all.addAll(mine);
    }
    assertThat(all).hasSize(80_000);
  }

  @Test
  void systemClockTellsThePresent() {
    Clock system = new SystemClock();
    long before = System.currentTimeMillis() * 1000;
    assertThat(system.wallMicros()).isBetween(before, before + 600_000_000);
    long nanos = system.nanoTime();
    assertThat(system.nanoTime()).isGreaterThanOrEqualTo(nanos);
  }
}
