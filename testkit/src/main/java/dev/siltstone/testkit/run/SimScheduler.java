package dev.siltstone.testkit.run;

import dev.siltstone.base.run.Scheduler;
import dev.siltstone.testkit.time.SimClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.random.RandomGenerator;

/**
 * Runs background work on the calling thread, in an order drawn from a seed, at times of a {@link
 * SimClock}. So a program whose threads only meet through {@link Scheduler} runs the same way each
 * time.
 *
 * <p>A task runs when the test asks ({@link #runOne}, {@link #runAll}, {@link #advance}) or inside
 * an {@link #await}, on top of whoever waits. Reentrant locks let it pass there, as they would
 * after the waiting thread has released them. A task that waits itself runs others on top of
 * itself; if these wait for something that only a task further down can do, that is reported as a
 * deadlock although threads would go on.
 *
 * <p>One thread only.
 */
public final class SimScheduler implements Scheduler {
  private static final int TASKS_MAX = 10_000_000;
  private static final int DEPTH_MAX = 200;

  private final SimClock clock;
  private final RandomGenerator random;
  private final Thread thread = Thread.currentThread();
  private final List<Runnable> ready = new ArrayList<>();
  private final List<Timed> timed = new ArrayList<>();
  private int depth;
  private boolean closed;

  /** A scheduler for the calling thread that draws its order from {@code random}. */
  public SimScheduler(SimClock clock, RandomGenerator random) {
    this.clock = clock;
    this.random = random;
  }

  @Override
  public void execute(Runnable task) {
    checkThread();
    if (!closed) {
      ready.add(task);
    }
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    checkThread();
    if (!closed) {
      timed.add(new Timed(clock.nanoTime() + Math.max(0, delayNanos), task));
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>Runs one task that could run now. If there is none, moves the clock to the first timed task
   * or the end of the wait, whichever comes first.
   *
   * @throws IllegalStateException if the wait has no limit and there is nothing to run: a deadlock
   */
  @Override
  public void await(Condition condition, long nanos) {
    checkThread();
    if (runReady()) {
      return;
    }
    long first = firstDue();
    long end = nanos < 0 ? Long.MAX_VALUE : clock.nanoTime() + nanos;
    if (first == Long.MAX_VALUE && nanos < 0) {
      throw new IllegalStateException("deadlock: waits without limit, and nothing to run");
    }
    moveTo(Math.min(first, end));
    runReady();
  }

  @Override
  public void pause(long nanos) {
    checkThread();
    clock.advance(Math.max(0, nanos));
  }

  @Override
  public void close() {
    checkThread();
    closed = true;
    ready.clear();
    timed.clear();
  }

  /** Tasks that could run now. */
  public int readyTasks() {
    moveDue();
    return ready.size();
  }

  /** Tasks that wait for their time. */
  public int timedTasks() {
    moveDue();
    return timed.size();
  }

  /** Runs one task that can run now; returns whether there was one. Does not move the clock. */
  public boolean runOne() {
    checkThread();
    return runReady();
  }

  /** Runs tasks until none can run now. Does not move the clock. */
  public void runAll() {
    checkThread();
    for (int i = 0; runReady(); i++) {
      if (i == TASKS_MAX) {
        throw new IllegalStateException("tasks beget tasks without end");
      }
    }
  }

  /** Lets time pass and runs what becomes due, at its time, and what that leads to. */
  public void advance(long nanos) {
    checkThread();
    long end = clock.nanoTime() + nanos;
    runAll();
    for (long due = firstDue(); due <= end; due = firstDue()) {
      moveTo(due);
      runAll();
    }
    moveTo(end);
  }

  private boolean runReady() {
    moveDue();
    if (ready.isEmpty()) {
      return false;
    }
    if (depth == DEPTH_MAX) {
      throw new IllegalStateException("deadlock: " + DEPTH_MAX + " tasks wait for each other");
    }
    Runnable task = ready.remove(random.nextInt(ready.size()));
    depth++;
    try {
      task.run();
    } finally {
      depth--;
    }
    return true;
  }

  private void moveDue() {
    long now = clock.nanoTime();
    // In order of time only by chance: threads would not start them in order either.
    timed.removeIf(
        task -> {
          if (task.nanos <= now) {
            ready.add(task.task);
            return true;
          }
          return false;
        });
  }

  private long firstDue() {
    long first = Long.MAX_VALUE;
    for (Timed task : timed) {
      first = Math.min(first, task.nanos);
    }
    return first;
  }

  private void moveTo(long nanos) {
    clock.advance(Math.max(0, nanos - clock.nanoTime()));
  }

  private void checkThread() {
    if (Thread.currentThread() != thread) {
      throw new IllegalStateException("used by two threads: " + thread.getName());
    }
  }

  private record Timed(long nanos, Runnable task) {}
}
