package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.run.Scheduler;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.BatchWriter;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.time.SimClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

// Goal: commits pause for what was written at the rate of the policy, in small steps, no longer
// than needed and never for long; whatever holds them back is told with its cause. Method: a
// simulated clock, memtables grown by hand, and files of level 0 as the debt, since their number
// fixes the rate: 38 files are half of what is free.
final class ThrottleTest {
  private static final int HALF = 38;
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1_000 * MILLI;
  private static final long MEMORY = 1L << 30;

  /** What the background takes, in bytes a second. */
  private static final int RATE = 10_000_000;

  private final SimClock clock = new SimClock();
  private final Scheduler scheduler = new SimScheduler(clock, new SplittableRandom(1));
  private final MemoryBudget memory = new MemoryBudget(MEMORY, new BlockCache(MEMORY));
  private final Backlog backlog =
      new Backlog(memory, Options.builder().memoryBytes(MEMORY).build());
  private final MemTable memtable = new MemTable(1, 1 << 20);
  private final List<String> told = new ArrayList<>();
  private final Throttle throttle =
      new Throttle(
          clock,
          scheduler,
          backlog,
          new Throttle.Background() {
            @Override
            public void awaitRoom() {
              ThrottleTest.this.awaitRoom();
            }

            @Override
            public void stalled(String cause, long nanos) {
              told.add(cause + " " + nanos / MILLI);
            }
          });

  private int stops;
  private long time;

  private void awaitRoom() {
    if (stops++ > 0) {
      throw new DbException.Unavailable("no room", new IOException());
    }
    clock.advance(SECOND);
    backlog.set(0, 0, 0);
  }

  /** As many commits as there are steps of growth, each by so many bytes; pauses of all. */
  private long paused(int commits, int bytes) throws IOException {
    long before = clock.nanoTime();
    for (int i = 0; i < commits; i++) {
      grow(bytes);
      throttle.admit();
    }
    return clock.nanoTime() - before;
  }

  private void grow(int bytes) throws IOException {
    long before = memory.grownBytes();
    while (memory.grownBytes() < before + bytes) {
      BatchWriter writer = new BatchWriter();
      writer.add(1, KeyKind.PUT, Long.toString(++time).getBytes(), new byte[900]);
      writer.seal(time);
      BatchReader reader = new BatchReader();
      reader.open(writer.array(), 0, writer.bytes());
      while (reader.next()) {
        memtable.add(reader);
      }
      memory.note(memtable);
    }
  }

  private void begin() {
    memory.note(memtable);
    throttle.admit();
    backlog.tookFromLevel0(RATE, SECOND);
    backlog.set(0, HALF, 0);
  }

  @Test
  void writersGetTheRateOfTheBackground() throws IOException {
    begin();
    long before = memory.grownBytes();
    long nanos = paused(100, 50_000);
    // Memory grows in chunks, one of which may be owed still.
    long due = (memory.grownBytes() - before) * SECOND / RATE;
    assertThat(nanos).isBetween(due * 9 / 10, due);
    assertThat(told).allMatch(each -> each.matches("level0-files [0-5]"));
  }

  @Test
  void writersSlowerThanTheRateAreNotHeldBack() throws IOException {
    begin();
    for (int i = 0; i < 20; i++) {
      clock.advance(SECOND);
      assertThat(paused(1, 1_000_000)).isZero();
    }
    assertThat(told).isEmpty();
  }

  @Test
  void smallCommitsPauseTogether() throws IOException {
    begin();
    assertThat(paused(1, 1_000)).as("less than is worth a pause").isZero();
    assertThat(paused(1, 1_000)).isZero();
    assertThat(paused(20, 1_000)).isPositive();
  }

  @Test
  void aHugeBatchIsPaidForInParts() throws IOException {
    begin();
    assertThat(paused(1, 20_000_000)).isEqualTo(Throttle.PACED_NANOS_MAX);
    assertThat(paused(1, 1)).isEqualTo(Throttle.PACED_NANOS_MAX);
    assertThat(paused(20, 1)).as("not all of it").isLessThan(SECOND / 2);
  }

  @Test
  void aPauseEndsWithItsCause() throws IOException {
    begin();
    grow(1_000_000);
    assertThat(backlog.isCalm()).isFalse();
    backlog.set(0, StallPolicy.LEVEL0_SOFT, 0);
    long before = clock.nanoTime();
    throttle.admit();
    backlog.set(0, HALF, 0);
    throttle.admit();
    assertThat(clock.nanoTime()).as("what was written in calm is not owed").isEqualTo(before);
  }

  @Test
  void aStopIsToldAndEndsWithRoom() throws IOException {
    begin();
    backlog.set(0, StallPolicy.LEVEL0_HARD, 0);
    assertThat(paused(1, 1)).isEqualTo(SECOND);
    assertThat(told).containsExactly("level0-files 1000");
    backlog.set(StallPolicy.SEALED_MAX, 0, 0);
    assertThatThrownBy(throttle::admit).isInstanceOf(DbException.Unavailable.class);
    assertThat(told).containsExactly("level0-files 1000", "memtables 0");
  }
}
