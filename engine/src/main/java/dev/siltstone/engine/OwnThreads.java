package dev.siltstone.engine;

import dev.siltstone.base.run.Scheduler;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;

/**
 * Which threads are at work for a store: those of its background, and callers while a listener is
 * told something on them. Code of the application that runs there, a listener or a compaction
 * filter, must not wait for the background or for the writers, since it may be what they wait for.
 *
 * <p>Safe for concurrent use.
 */
final class OwnThreads {
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  /** Runs something as work of the store. */
  void run(Runnable work) {
    Thread thread = Thread.currentThread();
    boolean outermost = threads.add(thread);
    try {
      work.run();
    } finally {
      if (outermost) {
        threads.remove(thread);
      }
    }
  }

  /**
   * Refuses a call that would wait for its own thread.
   *
   * @throws IllegalStateException if the calling thread is at work for the store
   */
  void refuse(String call) {
    Thread thread = Thread.currentThread();
    if (threads.contains(thread)) {
      throw new IllegalStateException(
          call
              + " was called by a listener or a compaction filter, on thread '"
              + thread.getName()
              + "', and would wait for that thread itself; call it on a thread of your own");
    }
  }

  /** A scheduler whose tasks run as work of the store. */
  Scheduler over(Scheduler scheduler) {
    return new Scheduler() {
      @Override
      public void execute(Runnable task) {
        scheduler.execute(() -> run(task));
      }

      @Override
      public void schedule(Runnable task, long delayNanos) {
        scheduler.schedule(() -> run(task), delayNanos);
      }

      @Override
      public void await(Condition condition, long nanos) {
        scheduler.await(condition, nanos);
      }

      @Override
      public void pause(long nanos) {
        scheduler.pause(nanos);
      }

      @Override
      public void close() {
        scheduler.close();
      }
    };
  }
}
