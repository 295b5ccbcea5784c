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
     */
    void commit(List<Writer> group);
  }

  /** Commits a batch; returns when it is acknowledged. */
  void commit(WriteBatch batch, boolean sync) {
    Writer writer = new Writer(batch, sync, null);
    run(writer);
    writer.rethrow();
  }

  /** Runs a task with no writer beside it. */
  void exclusively(Runnable task) {
    Writer writer = new Writer(null, false, task);
    run(writer);
    writer.rethrow();
  }

  private void run(Writer writer) {
    List<Writer> group;
    lock.lock();
    try {
      queue.addLast(writer);
      while (!writer.done && queue.peekFirst() != writer) {
        scheduler.await(writer.turn(lock), -1);
      }
      if (writer.done) {
        return;
      }
      group = takeGroup();
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
      finish(group);
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
  private List<Writer> takeGroup() {
    Writer leader = queue.getFirst();
    if (queue.size() == 1 || leader.batch == null) {
      return List.of(leader);
    }
    List<Writer> group = new ArrayList<>(queue.size());
    long bytes = 0;
    for (Writer writer : queue) {
      if (writer.batch == null || (bytes > 0 && bytes + writer.batch.bytes() > GROUP_BYTES_MAX)) {
        break;
      }
      bytes += writer.batch.bytes();
      group.add(writer);
    }
    return group;
  }

  private void finish(List<Writer> group) {
    lock.lock();
    try {
      for (int i = 0; i < group.size(); i++) {
        Writer done = queue.removeFirst();
        assert done == group.get(i) : "the queue changed at its head";
        done.done = true;
        done.wake();
      }
      Writer next = queue.peekFirst();
      if (next != null) {
        next.wake();
      }
    } finally {
      lock.unlock();
    }
  }

  /** One who waits for its write. Guarded by the queue's lock, but for what the leader sets. */
  static final class Writer {
    final @Nullable WriteBatch batch;
    final boolean sync;
    private final @Nullable Runnable task;
    private @Nullable Condition turn;
    private boolean done;
    private @Nullable Throwable failure;

    private Writer(@Nullable WriteBatch batch, boolean sync, @Nullable Runnable task) {
      this.batch = batch;
      this.sync = sync;
      this.task = task;
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
