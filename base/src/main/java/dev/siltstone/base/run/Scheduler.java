package dev.siltstone.base.run;

import java.util.concurrent.locks.Condition;

/**
 * Who runs background work. The real one owns threads; the simulated one runs tasks in a seeded
 * order on the calling thread, so that whole stores run deterministically in tests.
 */
public interface Scheduler {

  /** Runs {@code task} soon, after this call returns or beside it. Tasks may block. */
  void execute(Runnable task);

  /**
   * Runs {@code task} once, about {@code delayNanos} from now, unless the scheduler closes first.
   */
  void schedule(Runnable task, long delayNanos);

  /**
   * Waits on a condition whose lock the caller holds, until signalled, timed out or for no reason;
   * the caller re-checks in a loop. A simulated scheduler runs a pending task instead. Interrupts
   * are deferred: the interrupt status is set again on return.
   *
   * @param nanos longest wait, or a negative number for no limit
   */
  void await(Condition condition, long nanos);

  /** Pauses the calling thread. A simulated scheduler moves its clock instead. */
  void pause(long nanos);

  /** Ends all threads after the tasks that run now. Tasks not begun are dropped. Idempotent. */
  void close();
}
