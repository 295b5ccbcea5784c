package dev.siltstone.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.siltstone.base.run.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Brings concurrent writers into one order and lets one of them work for all.
 *
 * <ol>
 *   <li>A writer queues up. If it is first it becomes the leader, else it waits.
 *   <li>The leader takes the writers behind it as one group, up to {@link #GROUP_BYTES_MAX}, and
 *       works without the lock: log, sync if one of the group asks, memtables, publication.
 *   <li>It hands results to the group and leadership to the next in the queue, by name: nobody
 *       polls.
 * </ol>
 *
 * <p>Whatever needs to exclude writers (sealing a memtable, syncing, closing) queues up as a task
 * of its own and runs as leader, alone.
 */
final class WriteQueue {
  /** A group is closed when it holds so many bytes. */
  private static final int GROUP_BYTES_MAX = 1 << 20;

  private final Scheduler scheduler;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final ArrayDeque<Writer> queue = new ArrayDeque<>();

  private final GroupCommit groupCommit;

  /** Whom the leader works for; touched by it alone, from one group to the next. */
  private final List<Writer> group = new ArrayList<>();

  WriteQueue(Scheduler scheduler, GroupCommit groupCommit) {
    this.scheduler = scheduler;
    this.groupCommit = groupCommit;
  }

  /** Does the work of a group. */
  @FunctionalInterface
  interface GroupCommit {
    /**
     * Commits all, in order, or sets the failure of those that could not be. What it throws besides
     * goes to the leader alone.
     *
     * @param group borrowed for the call; a list for access by index
     */
    void commit(List<Writer> group);
  }

  /** Commits a batch; returns when it is acknowledged. */
  void commit(WriteBatch batch, boolean sync) {
    Writer writer = batch.queued();
    run(writer, sync);
    writer.rethrow();
  }

  /** Runs a task with no writer beside it. */
  void exclusively(Runnable task) {
    Writer writer = new Writer(null, task);
    run(writer, false);
    writer.rethrow();
  }

  private void run(Writer writer, boolean sync) {
    lock.lock();
    try {
      writer.begin(sync);
      queue.addLast(writer);
      while (!writer.done && queue.peekFirst() != writer) {
        scheduler.await(writer.turn(lock), -1);
      }
      if (writer.done) {
        return;
      }
      takeGroup();
    } finally {
      lock.unlock();
    }
    try {
      if (writer.task != null) {
        runTask(writer, writer.task);
      } else {
        groupCommit.commit(group);
      }
    } finally {
      finish();
    }
  }

  private static void runTask(Writer writer, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      writer.failure = e;
    }
  }

  @GuardedBy("lock")
  private void takeGroup() {
    Writer leader = queue.getFirst();
    if (queue.size() == 1 || leader.batch == null) {
      group.add(leader);
      return;
    }
    long bytes = 0;
    for (Writer writer : queue) {
      if (writer.batch == null || (bytes > 0 && bytes + writer.batch.bytes() > GROUP_BYTES_MAX)) {
        break;
      }
      bytes += writer.batch.bytes();
      group.add(writer);
    }
  }

  private void finish() {
    lock.lock();
    try {
      for (int i = 0; i < group.size(); i++) {
        Writer done = queue.removeFirst();
        assert done == group.get(i) : "the queue changed at its head";
        done.end();
      }
      group.clear();
      Writer next = queue.peekFirst();
      if (next != null) {
        next.wake();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * One who waits for its write; that of a batch is used for all its writes. Guarded by the queue's
   * lock, but for what the leader sets.
   */
  static final class Writer {
    final @Nullable WriteBatch batch;
    private final @Nullable Runnable task;
    private @Nullable Condition turn;
    private boolean sync;
    private boolean waiting;
    private boolean done;
    private @Nullable Throwable failure;

    private Writer(@Nullable WriteBatch batch, @Nullable Runnable task) {
      this.batch = batch;
      this.task = task;
    }

    static Writer of(WriteBatch batch) {
      return new Writer(batch, null);
    }

    private void begin(boolean durably) {
      if (waiting) {
        throw new IllegalStateException("the batch is being written by another thread");
      }
      waiting = true;
      sync = durably;
      done = false;
      failure = null;
    }

    private void end() {
      waiting = false;
      done = true;
      wake();
    }

    boolean isSync() {
      return sync;
    }

    /** Called by the leader. */
    void fail(RuntimeException failure) {
      this.failure = failure;
    }

    boolean hasFailed() {
      return failure != null;
    }

    private Condition turn(ReentrantLock lock) {
      if (turn == null) {
        turn = lock.newCondition();
      }
      return turn;
    }

    private void wake() {
      if (turn != null) {
        turn.signal();
      }
    }

    private void rethrow() {
      switch (failure) {
        case null -> {}
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        default -> throw new IllegalStateException(failure);
      }
    }
  }
}
