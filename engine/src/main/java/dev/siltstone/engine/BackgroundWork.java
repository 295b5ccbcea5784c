package dev.siltstone.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.base.run.Scheduler;
import dev.siltstone.engine.compaction.Compaction;
import dev.siltstone.engine.compaction.FilterFailedException;
import dev.siltstone.engine.compaction.ManualCompaction;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.wal.Log;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Decides what runs in the background, and when: flushes first, one a tree at a time and in order;
 * compactions of all trees, the most urgent first, a bounded number at once.
 *
 * <p><b>Failures.</b> A job that fails for want of space or with an I/O error is tried again, after
 * 100 ms at first and 5 s at last. Until then no job begins, since the next one would most likely
 * fail the same way, and writers that would have to wait are told the cause instead. A tree in
 * which a compaction meets damage, or whose compaction filter fails, is not compacted any more,
 * since every try would end the same; reads that miss the damage go on, and writers are not held
 * back for its files. A sweep that fails leaves files behind for the next one. What is no I/O
 * error, and a failure of log or manifest, makes the store refuse writes.
 */
final class BackgroundWork implements Throttle.Background {
  private final Store.Core core;
  private final Scheduler scheduler;
  private final Jobs jobs;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private final Set<OpenTree> flushing = new HashSet<>();

  @GuardedBy("lock")
  private final CompactionQueue queue;

  @GuardedBy("lock")
  private int running;

  @GuardedBy("lock")
  private int compactions;

  @GuardedBy("lock")
  private final Retries retries = new Retries();

  @GuardedBy("lock")
  private boolean sweepDue;

  @GuardedBy("lock")
  private boolean preparing;

  @GuardedBy("lock")
  private boolean reading;

  @GuardedBy("lock")
  private boolean closing;

  BackgroundWork(Store.Core core, Scheduler scheduler, Jobs jobs) {
    this.core = core;
    this.scheduler = scheduler;
    this.jobs = jobs;
    this.queue = new CompactionQueue(core.trees(), jobs, e -> core.failure().fail(unexpected(e)));
  }

  /** For all compactions. */
  private final Helpers helpers =
      new Helpers() {
        @Override
        public int free() {
          lock.lock();
          try {
            return freeThreads();
          } finally {
            lock.unlock();
          }
        }

        @Override
        public void call(Runnable task) {
          help(task);
        }

        @Override
        public Scheduler scheduler() {
          return scheduler;
        }
      };

  /** More threads for a compaction. */
  interface Helpers {
    /** How many could come now. */
    int free();

    /** Runs a task on another thread, soon or, if none is free, never. It throws nothing. */
    void call(Runnable task);

    /** Where they come from. */
    Scheduler scheduler();
  }

  /** Does the work. All methods but the first three touch files and run in the background. */
  interface Jobs {
    /** The most urgent compaction of a tree beside those that run, or {@code null}. */
    @Nullable Compaction pick(OpenTree tree, List<Compaction> running);

    /** The next step of a manual compaction beside those that run, or {@code null}. */
    @Nullable Compaction pick(OpenTree tree, ManualCompaction manual, List<Compaction> running);

    /** Whether picking missed range deletes that {@link #readRangeDeletes} would read. */
    boolean needsRangeDeletes();

    /** Writes all sealed memtables of a tree to files. */
    void flush(OpenTree tree) throws IOException;

    /** Does a compaction, with helpers if that pays. */
    void compact(OpenTree tree, Compaction compaction, Helpers helpers) throws IOException;

    /** Reads the range deletes that picking missed. */
    void readRangeDeletes();

    /** Removes files that nobody needs. */
    void sweep() throws IOException;

    /** Whether, looked at anew, commits have to wait for a flush or a compaction. */
    boolean mustWritersStop();

    /** Makes jobs under way fail soon. */
    void cancel();
  }

  Scheduler scheduler() {
    return scheduler;
  }

  /** Starts whatever is due and can run. */
  void schedule() {
    lock.lock();
    try {
      startDue();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void startDue() {
    if (!mayStart()) {
      return;
    }
    for (OpenTree tree : core.trees().all()) {
      if (!tree.isDropped() && !tree.view().sealed().isEmpty() && flushing.add(tree)) {
        if (!started(() -> runFlush(tree))) {
          flushing.remove(tree);
        }
      }
    }
    if (sweepDue) {
      sweepDue = !started(this::runSweep);
    }
    startCompactions();
  }

  /** Makes the next segment of the log ready, beside the writers. */
  void prepareLog(Log log) {
    lock.lock();
    try {
      if (preparing || !mayStart()) {
        return;
      }
      preparing = started(() -> runPrepare(log));
    } finally {
      lock.unlock();
    }
  }

  /** A replaced view was released: its files may be removable. */
  void sweepSoon() {
    lock.lock();
    try {
      sweepDue = true;
    } finally {
      lock.unlock();
    }
    schedule();
  }

  /**
   * Finds the levels for files that are newer than all of a tree, and keeps compactions away from
   * there until {@link #placed}.
   */
  List<Compaction> place(OpenTree tree, List<FileMeta> files) {
    lock.lock();
    try {
      return queue.place(tree, files);
    } finally {
      lock.unlock();
    }
  }

  /** The files of {@link #place} are in their levels, or will never be. */
  void placed(OpenTree tree, List<Compaction> places) {
    lock.lock();
    try {
      queue.end(tree, places);
    } finally {
      lock.unlock();
    }
    schedule();
  }

  /** Returns when all memtables of a tree that are sealed now are in files. */
  void awaitFlush(OpenTree tree) {
    lock.lock();
    try {
      List<MemTable> sealed = tree.view().sealed();
      while (!tree.isDropped()) {
        boolean left = tree.view().sealed().stream().anyMatch(sealed::contains);
        if (!left) {
          return;
        }
        throwIfStuck();
        scheduler.await(changed, -1);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns when no job of a tree that is marked as dropped is under way; none begins any more. */
  void awaitEnd(OpenTree dropped) {
    assert dropped.isDropped() : "jobs of a tree in use go on for ever";
    lock.lock();
    try {
      // Whoever waits for a flush or a compaction of the tree is told that there will be none.
      changed.signalAll();
      while (flushing.contains(dropped) || queue.isRunning(dropped)) {
        scheduler.await(changed, -1);
      }
      queue.forget(dropped);
    } finally {
      lock.unlock();
    }
  }

  /** Compacts a range of a tree down to its last level; returns when that is done. */
  void compactRange(OpenTree tree, ManualCompaction compaction) {
    CompactionQueue.Manual manual = new CompactionQueue.Manual(tree, compaction);
    lock.lock();
    try {
      queue.add(manual);
      startCompactions();
      awaitDone(tree, manual);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void awaitDone(OpenTree tree, CompactionQueue.Manual manual) {
    try {
      while (queue.contains(manual)) {
        IOException damage = queue.suspension(tree);
        if (damage != null || tree.isDropped() || closing) {
          tree.checkUsable();
          core.failure().checkOpen();
          throw core.failure()
              .translate(damage == null ? new IOException("closing") : damage, "compacting");
        }
        throwIfStuck();
        scheduler.await(changed, -1);
      }
    } finally {
      // Whoever is told of a failure does not want it any more.
      queue.remove(manual);
    }
  }

  /** Returns when nothing runs and nothing is due. */
  void awaitQuiet() {
    schedule();
    lock.lock();
    try {
      while (running > 0 || retries.trouble() != null) {
        throwIfStuck();
        scheduler.await(changed, -1);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets no new job begin and waits for those that run. */
  void close() {
    lock.lock();
    try {
      closing = true;
      jobs.cancel();
      changed.signalAll();
      while (running > 0) {
        scheduler.await(changed, -1);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void stalled(String cause, long nanos) {
    core.counters().stalled(cause, nanos);
    core.components().listener().stalled(cause, nanos);
    Events.Stall event = new Events.Stall();
    event.cause = cause;
    event.nanos = nanos;
    event.commit();
  }

  @Override
  public void awaitRoom() {
    schedule();
    lock.lock();
    try {
      while (jobs.mustWritersStop()) {
        throwIfStuck();
        scheduler.await(changed, -1);
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void throwIfStuck() {
    core.failure().checkWritable();
    IOException trouble = retries.trouble();
    if (trouble != null) {
      throw core.failure().translate(trouble, "flushing or compacting");
    }
  }

  /** Whether jobs may begin: not after a failure, until it is time to try again. */
  @GuardedBy("lock")
  private boolean mayStart() {
    return !closing && core.failure().cause() == null && retries.trouble() == null;
  }

  @GuardedBy("lock")
  private void startCompactions() {
    if (!mayStart()) {
      return;
    }
    startManual();
    if (!core.options().automaticCompaction()) {
      return;
    }
    while (compactions < core.options().compactionThreads() && startMostUrgent()) {
      assert compactions > 0 : "nothing was started";
    }
    if (!reading && jobs.needsRangeDeletes()) {
      reading = started(this::runReading);
    }
  }

  @GuardedBy("lock")
  private void startManual() {
    for (CompactionQueue.Manual manual : queue.manuals()) {
      if (compactions >= core.options().compactionThreads()) {
        return;
      }
      if (queue.isClosedTo(manual.tree())) {
        continue;
      }
      CompactionQueue.Due next = queue.next(manual);
      if (next != null) {
        begin(next);
      } else if (manual.state().isDone()) {
        queue.remove(manual);
        changed.signalAll();
      }
    }
  }

  @GuardedBy("lock")
  private boolean startMostUrgent() {
    CompactionQueue.Due next = queue.mostUrgent();
    if (next == null || jobs.needsRangeDeletes()) {
      // With the range deletes that were missed, files may be dropped instead of merged.
      return false;
    }
    begin(next);
    return true;
  }

  @GuardedBy("lock")
  private void begin(CompactionQueue.Due due) {
    queue.begin(due);
    compactions++;
    if (!started(() -> runCompaction(due.tree(), due.compaction()))) {
      forget(due.tree(), due.compaction());
    }
  }

  @GuardedBy("lock")
  private void forget(OpenTree tree, Compaction compaction) {
    compactions--;
    queue.end(tree, List.of(compaction));
  }

  /** Gives a job to the scheduler; returns whether that took it. */
  @GuardedBy("lock")
  @SuppressWarnings("CatchingUnchecked") // A writer happens to come by; it is not its failure.
  private boolean started(Runnable task) {
    running++;
    try {
      scheduler.execute(task);
      return true;
    } catch (RuntimeException | Error e) {
      running--;
      core.failure().fail(unexpected(e));
      changed.signalAll();
      return false;
    }
  }

  private void runFlush(OpenTree tree) {
    IOException failure = run(() -> jobs.flush(tree));
    lock.lock();
    try {
      flushing.remove(tree);
      sweepDue |= failure == null;
      ended(failure);
    } finally {
      lock.unlock();
    }
    tell(failure);
  }

  private void runCompaction(OpenTree tree, Compaction compaction) {
    IOException failure = run(() -> jobs.compact(tree, compaction, helpers));
    boolean lasts = failure != null && lasts(failure);
    if (failure != null && lasts) {
      // Before anybody can see that nothing runs.
      core.components().listener().suspended(tree.name(), failure);
    }
    lock.lock();
    try {
      forget(tree, compaction);
      sweepDue |= failure == null;
      if (failure != null && lasts) {
        queue.suspend(tree, failure);
      }
      ended(lasts ? null : failure);
    } finally {
      lock.unlock();
    }
    tell(lasts ? null : failure);
  }

  /**
   * Threads that compactions do not take now. Somebody waits for a manual one, so it gets one
   * thread beyond the bound, of those that flush and sweep.
   */
  @GuardedBy("lock")
  private int freeThreads() {
    int threads = core.options().compactionThreads() + (queue.manuals().isEmpty() ? 0 : 1);
    return mayStart() ? Math.max(0, threads - compactions) : 0;
  }

  private void help(Runnable task) {
    lock.lock();
    try {
      if (freeThreads() > 0) {
        compactions++;
        if (!started(() -> runHelp(task))) {
          compactions--;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void runHelp(Runnable task) {
    try {
      task.run();
    } finally {
      lock.lock();
      try {
        // Whether the compaction has failed, and is to be tried again, its own thread tells.
        compactions--;
        running--;
        changed.signalAll();
        startDue();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Whether the next try would end the same. */
  private static boolean lasts(IOException failure) {
    return failure instanceof CorruptFileException
        || failure instanceof UnsupportedFileException
        || failure instanceof FilterFailedException;
  }

  private void runPrepare(Log log) {
    IOException failure = run(log::prepare);
    lock.lock();
    try {
      preparing = false;
      ended(failure);
    } finally {
      lock.unlock();
    }
    tell(failure);
  }

  private void runReading() {
    IOException failure = run(jobs::readRangeDeletes);
    lock.lock();
    try {
      reading = false;
      ended(failure);
    } finally {
      lock.unlock();
    }
    tell(failure);
  }

  private void runSweep() {
    IOException failure = run(jobs::sweep);
    lock.lock();
    try {
      endedWith(null);
      // Not started at once, or a file that nobody can remove would be tried without a pause.
      sweepDue |= failure != null;
    } finally {
      lock.unlock();
    }
    tell(failure);
  }

  /** Runs a job; what is neither success nor an I/O failure makes the store refuse writes. */
  @SuppressWarnings("CatchingUnchecked") // The last frame of a background job.
  private @Nullable IOException run(Job job) {
    try {
      job.run();
      return null;
    } catch (IOException e) {
      return e;
    } catch (RuntimeException | Error e) {
      core.failure().fail(unexpected(e));
      return null;
    }
  }

  private static DbException unexpected(Throwable e) {
    return e instanceof DbException known
        ? known
        : new DbException.Unavailable("a background job failed: " + e, e);
  }

  /** Starts what is due now before anybody can see that nothing runs. */
  @GuardedBy("lock")
  private void ended(@Nullable IOException failure) {
    endedWith(failure);
    startDue();
  }

  @GuardedBy("lock")
  private void endedWith(@Nullable IOException failure) {
    running--;
    if (failure == null) {
      retries.succeeded();
    } else if (!closing) {
      long pause = retries.failed(failure);
      if (pause > 0) {
        scheduler.schedule(this::retry, pause);
      }
    }
    changed.signalAll();
  }

  private void tell(@Nullable IOException failure) {
    if (failure != null) {
      core.components().listener().retrying("background work", failure);
    }
  }

  private void retry() {
    lock.lock();
    try {
      retries.over();
    } finally {
      lock.unlock();
    }
    schedule();
  }

  @FunctionalInterface
  private interface Job {
    void run() throws IOException;
  }
}
