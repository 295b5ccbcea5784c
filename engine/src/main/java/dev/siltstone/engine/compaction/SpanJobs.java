package dev.siltstone.engine.compaction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.siltstone.base.run.Scheduler;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One compaction as several jobs, one for each span of keys. Whoever comes takes the next one: the
 * thread that runs the compaction, and helpers if there are any. So it is done whether helpers come
 * or not, and nobody waits for one that has not begun.
 *
 * <p>The outputs count together. If a job fails, the others stop as if they were cancelled, the
 * outputs of those that had ended are abandoned too, and the first failure is thrown.
 *
 * <p>Run once. Safe for use by the threads that help.
 */
public final class SpanJobs {
  private final List<KeySpan> spans;
  private final Opener opener;
  private final JobControl control;
  private final Scheduler scheduler;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();

  @GuardedBy("lock")
  private int next;

  @GuardedBy("lock")
  private int working;

  /** By span: what has come out of it. */
  @GuardedBy("lock")
  private final @Nullable Done[] done;

  private volatile @Nullable Throwable failure;

  /** Makes the job of a span, on the thread that will run it. */
  @FunctionalInterface
  public interface Opener {
    /** A job; if it cannot be made, nothing stays open. */
    CompactionJob open(KeySpan span, JobControl control) throws IOException;
  }

  /** Brings helpers. */
  @FunctionalInterface
  public interface Helpers {
    /** Runs a task on another thread, soon, late or never. The task throws nothing. */
    void call(Runnable task);
  }

  private record Done(CompactionJob job, CompactionJob.Result result) {}

  /**
   * The jobs of some spans.
   *
   * @param spans in key order, disjoint
   * @param control watches over each job, on that job's thread
   * @param scheduler waits for helpers
   */
  public SpanJobs(List<KeySpan> spans, Opener opener, JobControl control, Scheduler scheduler) {
    this.spans = List.copyOf(spans);
    this.opener = opener;
    this.control = control;
    this.scheduler = scheduler;
    this.done = new @Nullable Done[this.spans.size()];
  }

  /**
   * Does them all.
   *
   * @throws JobCancelledException if the control said so
   * @throws FilterFailedException if the filter of a job has failed
   */
  public CompactionJob.Result run(Helpers helpers) throws IOException {
    for (int i = 1; i < spans.size(); i++) {
      helpers.call(this::work);
    }
    work();
    List<Done> all = awaitHelpers();
    Throwable cause = failure;
    if (cause != null) {
      all.forEach(each -> each.job.abandon());
      rethrow(cause);
    }
    return together(all);
  }

  /** What has come out of all spans, in key order; after a failure, of those that have ended. */
  private List<Done> awaitHelpers() {
    lock.lock();
    try {
      while (working > 0) {
        scheduler.await(ended, -1);
      }
      List<Done> all = new ArrayList<>();
      for (Done each : done) {
        if (each != null) {
          all.add(each);
        }
      }
      return all;
    } finally {
      lock.unlock();
    }
  }

  private void work() {
    for (int taken = take(); taken >= 0; taken = take()) {
      work(taken);
    }
  }

  /** The next span that nobody has taken; -1 if there is none, or no point in it. */
  private int take() {
    lock.lock();
    try {
      if (failure != null || next == spans.size()) {
        return -1;
      }
      working++;
      return next++;
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("CatchingUnchecked") // Thrown again on the thread that runs the compaction.
  private void work(int taken) {
    Done result = null;
    Throwable thrown = null;
    try {
      CompactionJob job =
          opener.open(spans.get(taken), stats -> failure == null && control.proceed(stats));
      result = new Done(job, job.run());
    } catch (IOException | RuntimeException | Error e) {
      thrown = e;
    }
    lock.lock();
    try {
      done[taken] = result;
      failure = failure == null ? thrown : failure;
      working--;
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private CompactionJob.Result together(List<Done> all) {
    assert all.size() == spans.size() : "a span that nobody has taken";
    List<FileMeta> outputs = new ArrayList<>();
    JobStats stats = JobStats.NONE;
    for (Done each : all) {
      outputs.addAll(each.result.outputs());
      stats = stats.plus(each.result.stats());
    }
    return new CompactionJob.Result(outputs, stats);
  }

  private static void rethrow(Throwable cause) throws IOException {
    switch (cause) {
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(cause);
    }
  }
}
