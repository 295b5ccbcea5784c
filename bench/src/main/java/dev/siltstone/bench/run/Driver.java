package dev.siltstone.bench.run;

import dev.siltstone.base.time.Clock;
import dev.siltstone.bench.work.Budget;
import dev.siltstone.bench.work.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleConsumer;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of a task on one or more threads, times each, and stops at a cap.
 *
 * <p>Thread t of T does steps t, t + T, t + 2 T and so on. The thread that calls only waits and
 * tells how far things are.
 */
public final class Driver {
  private static final long POLL_MILLIS = 100;
  private static final long LATENCY_MAX_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final int LATENCY_DIGITS = 3;

  private final Clock clock;
  private final DoubleConsumer progress;

  /**
   * A driver.
   *
   * @param progress told several times a second which share is done, 0 to 1, by the calling thread
   */
  public Driver(Clock clock, DoubleConsumer progress) {
    this.clock = clock;
    this.progress = progress;
  }

  /**
   * Runs.
   *
   * @param steps number of steps of all threads together
   * @param threads number of threads
   * @param capSeconds no step begins after this many seconds
   * @param tasks makes the task of a thread, in that thread
   * @throws RuntimeException what a task threw
   * @throws InterruptedException if the calling thread was interrupted; all threads have ended
   */
  public Measured run(
      long steps, int threads, double capSeconds, Function<Budget, ? extends Task> tasks)
      throws InterruptedException {
    long begin = clock.nanoTime();
    long deadline = begin + (long) (capSeconds * 1e9);
    List<Worker> workers = new ArrayList<>();
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Worker worker = new Worker(clock, tasks, i, threads, steps, deadline);
      workers.add(worker);
      running.add(Thread.ofPlatform().name("bench-" + i).start(worker));
    }
    try {
      for (Thread thread : running) {
        while (!thread.join(java.time.Duration.ofMillis(POLL_MILLIS))) {
          progress.accept(share(workers, steps, begin, deadline));
        }
      }
    } finally {
      for (Worker worker : workers) {
        worker.stopped = true;
      }
    }
    return sum(workers);
  }

  private double share(List<Worker> workers, long steps, long begin, long deadline) {
    long done = 0;
    for (Worker worker : workers) {
      done += worker.done;
    }
    double ofTime = (double) (clock.nanoTime() - begin) / (deadline - begin);
    return Math.min(1, Math.max((double) done / steps, ofTime));
  }

  private static Measured sum(List<Worker> workers) {
    Histogram all = histogram();
    long ops = 0;
    long begin = Long.MAX_VALUE;
    long end = Long.MIN_VALUE;
    boolean cut = false;
    for (Worker worker : workers) {
      if (worker.failure != null) {
        throw worker.failure;
      }
      all.add(worker.latencies);
      ops += worker.ops;
      cut |= worker.cut;
      begin = Math.min(begin, worker.begin);
      end = Math.max(end, worker.end);
    }
    double seconds = Math.max(1, end - begin) / 1e9;
    return new Measured(
        ops,
        seconds,
        cut,
        all.getTotalCount() == 1
            ? Measured.Latency.NONE
            : new Measured.Latency(
                all.getValueAtPercentile(50) / 1e3,
                all.getValueAtPercentile(99) / 1e3,
                all.getValueAtPercentile(99.9) / 1e3,
                all.getMaxValue() / 1e3));
  }

  private static Histogram histogram() {
    return new Histogram(LATENCY_MAX_NANOS, LATENCY_DIGITS);
  }

  /** One thread's part. */
  private static final class Worker implements Runnable, Budget {
    private final Clock clock;
    private final Function<Budget, ? extends Task> tasks;
    private final int first;
    private final int stride;
    private final long steps;
    private final long deadline;
    private final Histogram latencies = histogram();

    private volatile long done;
    private volatile boolean stopped;
    // Read by others after the thread has ended.
    private long ops;
    private long begin;
    private long end;
    private boolean cut;
    private @Nullable RuntimeException failure;

    Worker(
        Clock clock,
        Function<Budget, ? extends Task> tasks,
        int first,
        int stride,
        long steps,
        long deadline) {
      this.clock = clock;
      this.tasks = tasks;
      this.first = first;
      this.stride = stride;
      this.steps = steps;
      this.deadline = deadline;
    }

    @Override
    public void run() {
      try {
        Task task = tasks.apply(this);
        begin = clock.nanoTime();
        end = begin;
        loop(task);
      } catch (RuntimeException e) {
        failure = e;
      } catch (Error e) {
        failure = new IllegalStateException(e.toString(), e);
      }
    }

    private void loop(Task task) {
      long before = begin;
      for (long index = first; index < steps; index += stride) {
        if (before > deadline || stopped) {
          cut = true;
          break;
        }
        ops += task.step(index);
        long after = clock.nanoTime();
        latencies.recordValue(Math.min(after - before, LATENCY_MAX_NANOS));
        before = after;
        if ((index / stride & 0xFF) == 0) {
          done = index / stride + 1;
        }
      }
      end = before;
    }

    @Override
    public boolean spent() {
      boolean spent = stopped || clock.nanoTime() > deadline;
      cut |= spent;
      return spent;
    }
  }
}
