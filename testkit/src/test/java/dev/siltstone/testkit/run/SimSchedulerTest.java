package dev.siltstone.testkit.run;

// Goal: the simulated scheduler runs what threads would run, in any order, the same one for the
// same seed, and tells a deadlock.
// Method: examples; a bounded queue as a program that really waits.

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.testkit.time.SimClock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

final class SimSchedulerTest {
  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock, new SplittableRandom(1));
  private final List<String> events = new ArrayList<>();

  @Test
  void tasksRunOnlyWhenAsked() {
    scheduler.execute(() -> events.add("a"));
    assertThat(events).isEmpty();
    assertThat(scheduler.readyTasks()).isEqualTo(1);
    assertThat(scheduler.runOne()).isTrue();
    assertThat(events).containsExactly("a");
    assertThat(scheduler.runOne()).isFalse();
  }

  @Test
  void orderFollowsTheSeedAndAllOrdersOccur() {
    Set<List<String>> orders = new HashSet<>();
    for (long seed = 0; seed < 100; seed++) {
      List<String> first = orderOf(seed);
      assertThat(orderOf(seed)).isEqualTo(first);
      orders.add(first);
    }
    assertThat(orders).hasSize(6);
  }

  private List<String> orderOf(long seed) {
    SimScheduler seeded = new SimScheduler(clock, new SplittableRandom(seed));
    List<String> order = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      seeded.execute(() -> order.add(name));
    }
    seeded.runAll();
    return order;
  }

  @Test
  void timedTasksRunAtTheirTimes() {
    scheduler.schedule(() -> events.add("late " + clock.nanoTime()), 300);
    scheduler.schedule(
        () -> {
          events.add("early " + clock.nanoTime());
          scheduler.schedule(() -> events.add("next " + clock.nanoTime()), 50);
        },
        100);
    scheduler.runAll();
    assertThat(events).isEmpty();
    scheduler.advance(200);
    assertThat(events).containsExactly("early 100", "next 150");
    assertThat(clock.nanoTime()).isEqualTo(200);
    assertThat(scheduler.timedTasks()).isEqualTo(1);
    scheduler.pause(100);
    assertThat(events).hasSize(2);
    scheduler.runAll();
    assertThat(events).containsExactly("early 100", "next 150", "late 300");
  }

  @Test
  void waitingRunsTheTaskThatEndsTheWait() {
    ReentrantLock lock = new ReentrantLock();
    Condition changed = lock.newCondition();
    int[] queued = new int[1];
    int[] taken = new int[1];
    Runnable take =
        () -> {
          lock.lock();
          try {
            while (queued[0] == 0) {
              scheduler.await(changed, -1);
            }
            queued[0]--;
            taken[0]++;
            changed.signalAll();
          } finally {
            lock.unlock();
          }
        };
    lock.lock();
    try {
      for (int i = 0; i < 100; i++) {
        scheduler.execute(take);
        while (queued[0] == 3) {
          scheduler.await(changed, -1);
        }
        queued[0]++;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
    scheduler.runAll();
    assertThat(taken[0]).isEqualTo(100);
  }

  @Test
  void waitWithoutLimitAndWorkIsADeadlock() {
    ReentrantLock lock = new ReentrantLock();
    lock.lock();
    assertThatThrownBy(() -> scheduler.await(lock.newCondition(), -1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("deadlock");
    lock.unlock();
  }

  @Test
  void waitEndsAtItsLimitOrWithTheFirstTimedTask() {
    ReentrantLock lock = new ReentrantLock();
    Condition condition = lock.newCondition();
    lock.lock();
    scheduler.await(condition, 1_000);
    assertThat(clock.nanoTime()).isEqualTo(1_000);
    scheduler.schedule(() -> events.add("timed"), 500);
    scheduler.await(condition, 1_000);
    assertThat(clock.nanoTime()).isEqualTo(1_500);
    assertThat(events).containsExactly("timed");
    scheduler.schedule(() -> events.add("far"), 50_000);
    scheduler.await(condition, -1);
    assertThat(events).containsExactly("timed", "far");
    lock.unlock();
  }

  @Test
  void closeDropsAll() {
    scheduler.execute(() -> events.add("a"));
    scheduler.schedule(() -> events.add("b"), 0);
    scheduler.close();
    scheduler.close();
    scheduler.execute(() -> events.add("c"));
    scheduler.advance(10);
    assertThat(events).isEmpty();
  }

  @Test
  void otherThreadsAreRefused() throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread.ofPlatform()
        .uncaughtExceptionHandler((_, e) -> thrown.set(e))
        .start(() -> scheduler.execute(() -> {}))
        .join();
    assertThat(thrown.get()).isInstanceOf(IllegalStateException.class);
  }
}
