package dev.siltstone.base.run;

// Goal: the promises of the real scheduler that the engine's background work stands on.
// Method: latches and queues between tasks; no sleeping.

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.time.SystemClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ThreadSchedulerTest {
  private static final long MILLI = 1_000_000;

  private final ThreadScheduler scheduler = new ThreadScheduler("test", 2, new SystemClock());
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    scheduler.close();
  }

  @Test
  void tasksRunOnNamedDaemonThreads() throws Exception {
    scheduler.execute(
        () ->
            events.add(Thread.currentThread().getName() + " " + Thread.currentThread().isDaemon()));

    assertThat(events.take()).matches("siltstone-test-[12] true");
  }

  @Test
  void asManyTasksRunAtOnceAsThereAreThreads() throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    for (int i = 0; i < 2; i++) {
      scheduler.execute(
          () -> {
            both.countDown();
            awaitLatch(both);
            events.add("met");
          });
    }

    assertThat(events.take()).isEqualTo("met");
    assertThat(events.take()).isEqualTo("met");
  }

  @Test
  void tasksBeginInOrder() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    scheduler.execute(
        () -> {
          blocked.countDown();
          awaitLatch(release);
        });
    blocked.await();
    for (int i = 0; i < 100; i++) {
      String name = String.valueOf(i);
      scheduler.execute(() -> events.add(name));
    }
    for (int i = 0; i < 100; i++) {
      assertThat(events.take()).isEqualTo(String.valueOf(i));
    }
    release.countDown();
  }

  @Test
  void timedTasksRunWhenDueAndInTheOrderOfTheirTimes() throws Exception {
    long start = System.nanoTime();
    scheduler.schedule(() -> events.add("second"), 40 * MILLI);
    scheduler.schedule(() -> events.add("first"), 10 * MILLI);
    scheduler.schedule(() -> events.add("never"), Long.MAX_VALUE / 2);

    assertThat(events.take()).isEqualTo("first");
    assertThat(events.take()).isEqualTo("second");
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(40 * MILLI);
  }

  @Test
  void taskThatThrowsCostsNoThread() throws Exception {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
    Thread.setDefaultUncaughtExceptionHandler((_, e) -> thrown.add(e));
    try {
      for (int i = 0; i < 10; i++) {
        scheduler.execute(
            () -> {
              throw new IllegalStateException("planned");
            });
        assertThat(thrown.take()).hasMessage("planned");
      }
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    asManyTasksRunAtOnceAsThereAreThreads();
  }

  @Test
  void closeWaitsForRunningTasksAndDropsTheRest() throws Exception {
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch release = new CountDownLatch(1);
    for (int i = 0; i < 2; i++) {
      scheduler.execute(
          () -> {
            begun.countDown();
            awaitLatch(release);
            events.add("ended");
          });
    }
    scheduler.execute(() -> events.add("dropped"));
    scheduler.schedule(() -> events.add("dropped"), 0);
    begun.await();
    Thread closer = Thread.ofPlatform().start(scheduler::close);
    release.countDown();
    closer.join();
    scheduler.execute(() -> events.add("late"));
    scheduler.close();

    // Unless a task got in before the closer: then it was begun, which is as good.
    assertThat(events).filteredOn("ended"::equals).hasSize(2);
    assertThat(events).doesNotContain("late");
  }

  @Test
  void taskMayCloseItsOwnScheduler() throws Exception {
    scheduler.execute(
        () -> {
          scheduler.close();
          events.add("closed");
        });

    assertThat(events.take()).isEqualTo("closed");
  }

  @Test
  void awaitWakesBySignalAndDefersInterrupts() throws Exception {
    ReentrantLock lock = new ReentrantLock();
    Condition condition = lock.newCondition();
    for (long nanos : new long[] {-1, 60_000 * MILLI}) {
      AtomicBoolean ready = new AtomicBoolean();
      AtomicBoolean interrupted = new AtomicBoolean();
      Thread waiter =
          Thread.ofPlatform()
              .start(
                  () -> {
                    lock.lock();
                    try {
                      Thread.currentThread().interrupt();
                      while (!ready.get()) {
                        scheduler.await(condition, nanos);
                      }
                      interrupted.set(Thread.currentThread().isInterrupted());
                    } finally {
                      lock.unlock();
                    }
                  });
      boolean waiting = false;
      while (!waiting) {
        lock.lock();
        waiting = lock.hasWaiters(condition);
        lock.unlock();
      }
      waiter.interrupt();
      lock.lock();
      ready.set(true);
      condition.signalAll();
      lock.unlock();
      waiter.join();

      assertThat(interrupted).isTrue();
    }
  }

  @Test
  void awaitEndsByTime() {
    ReentrantLock lock = new ReentrantLock();
    Condition condition = lock.newCondition();
    lock.lock();
    try {
      scheduler.await(condition, MILLI);
    } finally {
      lock.unlock();
    }
  }

  @Test
  void pauseLastsInSpiteOfInterrupts() {
    long start = System.nanoTime();
    Thread.currentThread().interrupt();
    scheduler.pause(5 * MILLI);

    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(5 * MILLI);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void manySubmittersLoseNothing() throws Exception {
    List<Thread> submitters = new ArrayList<>();
    CountDownLatch all = new CountDownLatch(4 * 1000);
    for (int i = 0; i < 4; i++) {
      submitters.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int task = 0; task < 500; task++) {
                      scheduler.execute(all::countDown);
                      scheduler.schedule(all::countDown, task * 1000L);
                    }
                  }));
    }
    for (Thread submitter : submitters) {
      submitter.join();
    }
    all.await();
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
