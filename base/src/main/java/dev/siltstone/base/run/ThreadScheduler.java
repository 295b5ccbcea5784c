package dev.siltstone.base.run;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.siltstone.base.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The real scheduler: a fixed number of daemon threads, named {@code siltstone-<name>-<number>},
 * which share one queue and one list of timed tasks. The only place where the engine makes threads.
 *
 * <p>Tasks start in the order of {@link #execute}; a timed task joins the end of the queue when it
 * is due. A task that throws ends its thread through the thread's uncaught-exception handler;
 * another thread takes its place. A closed scheduler drops every task it is given.
 *
 * <p>Safe for concurrent use.
 */
public final class ThreadScheduler implements Scheduler {
  private final Clock clock;
  private final String name;
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled when there may be something to do for an idle thread. */
  private final Condition work = lock.newCondition();

  @GuardedBy("lock")
  private final ArrayDeque<Runnable> queue = new ArrayDeque<>();

  @GuardedBy("lock")
  private final PriorityQueue<Timed> timed =
      new PriorityQueue<>(Comparator.comparingLong(Timed::sinceOrigin));

  @GuardedBy("lock")
  private final List<Thread> threads = new ArrayList<>();

  /** Clock times may be negative; relative to this one they order as plain numbers. */
  private final long originNanos;

  @GuardedBy("lock")
  private int threadsStarted;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * Starts the threads.
   *
   * @param name what the threads are called after, for example the store
   * @param threadCount number of threads, at least 1; tasks that block occupy one each
   * @param clock used for its {@link Clock#nanoTime} only
   */
  public ThreadScheduler(String name, int threadCount, Clock clock) {
    if (threadCount < 1) {
      throw new IllegalArgumentException("threadCount: " + threadCount);
    }
    this.name = name;
    this.clock = clock;
    this.originNanos = clock.nanoTime();
    lock.lock();
    try {
      for (int i = 0; i < threadCount; i++) {
        startThread();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void execute(Runnable task) {
    lock.lock();
    try {
      if (!closed) {
        queue.addLast(task);
        work.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    lock.lock();
    try {
      if (!closed) {
        timed.add(new Timed(nowSinceOrigin() + Math.max(0, delayNanos), task));
        // Wakes a thread even if an earlier task is first: simpler than knowing who waits for what.
        work.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  @SuppressWarnings("WaitNotInLoop") // The caller loops.
  public void await(Condition condition, long nanos) {
    if (nanos < 0) {
      condition.awaitUninterruptibly();
      return;
    }
    // A wait may end for no reason, so an interrupt just ends this one. It is not found again by
    // the next wait, whose status is cleared first.
    boolean interrupted = Thread.interrupted();
    try {
      condition.awaitNanos(nanos);
    } catch (InterruptedException _) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void pause(long nanos) {
    long start = clock.nanoTime();
    boolean interrupted = Thread.interrupted();
    try {
      for (long left = nanos; left > 0; left = nanos - (clock.nanoTime() - start)) {
        try {
          TimeUnit.NANOSECONDS.sleep(left);
        } catch (InterruptedException _) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>Returns when all threads have ended, the calling one excepted if it is one of them. So the
   * caller may hold no lock that a running task waits for.
   */
  @Override
  public void close() {
    List<Thread> ending;
    lock.lock();
    try {
      closed = true;
      queue.clear();
      timed.clear();
      work.signalAll();
      ending = List.copyOf(threads);
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    for (Thread thread : ending) {
      while (thread != Thread.currentThread() && thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException _) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @GuardedBy("lock")
  private void startThread() {
    threadsStarted++;
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("siltstone-" + name + "-" + threadsStarted)
            .unstarted(this::work);
    threads.add(thread);
    thread.start();
  }

  private void work() {
    try {
      for (Runnable task = take(); task != null; task = take()) {
        task.run();
        // Whatever interrupted the task was not meant for the next one.
        Thread.interrupted();
      }
    } finally {
      replaceCurrentThread();
    }
  }

  private void replaceCurrentThread() {
    lock.lock();
    try {
      threads.remove(Thread.currentThread());
      if (!closed) {
        startThread();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The next task, or null when the scheduler is closed. */
  private @Nullable Runnable take() {
    lock.lock();
    try {
      while (!closed) {
        long untilDue = moveDue();
        Runnable task = queue.pollFirst();
        if (task != null) {
          if (!queue.isEmpty() || !timed.isEmpty()) {
            // Somebody else must go on watching.
            work.signal();
          }
          return task;
        }
        await(work, untilDue);
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** Queues the timed tasks that are due; returns the wait for the next, or -1 if none is left. */
  @GuardedBy("lock")
  private long moveDue() {
    long now = nowSinceOrigin();
    for (Timed first = timed.peek(); first != null; first = timed.peek()) {
      if (first.sinceOrigin > now) {
        return first.sinceOrigin - now;
      }
      queue.addLast(timed.remove().task);
    }
    return -1;
  }

  private long nowSinceOrigin() {
    return clock.nanoTime() - originNanos;
  }

  /** A task and when it is due, in nanoseconds since the scheduler's origin. */
  private record Timed(long sinceOrigin, Runnable task) {}
}
