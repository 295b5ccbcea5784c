package dev.siltstone.bench.measure;

import dev.siltstone.base.time.Clock;
import dev.siltstone.bench.work.Budget;
import dev.siltstone.bench.work.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  /** Steps of a background task in a second. */
  public static final String BACKGROUND = "background_per_s";

  /** Rate of the last tenth of the steps over that of the first tenth: 1 is steady. */
  public static final String STEADINESS = "last_over_first_tenth";

  private static final Duration POLL = Duration.ofMillis(100);

  /** A tenth of fewer says nothing. */
  private static final long STEADINESS_STEPS_MIN = 1000;

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
    return run(steps, threads, capSeconds, tasks, null);
  }

  /**
   * Runs, with a further thread beside the others that goes on until they are done.
   *
   * @param background makes the task of the further thread, in that thread; null for none
   */
  public Measured run(
      long steps,
      int threads,
      double capSeconds,
      Function<Budget, ? extends Task> tasks,
      @Nullable Function<Budget, ? extends Task> background)
      throws InterruptedException {
    long begin = clock.nanoTime();
    long deadline = begin + (long) (capSeconds * 1e9);
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      workers.add(new Worker(clock, tasks, i, threads, steps, deadline));
    }
    Worker beside =
        background == null
            ? null
            : new Worker(clock, background, 0, 1, Long.MAX_VALUE, Long.MAX_VALUE);
    Thread besideThread = beside == null ? null : start("bench-background", beside);
    List<Thread> running = new ArrayList<>();
    for (Worker worker : workers) {
      running.add(start("bench-" + worker.first, worker));
    }
    try {
      for (Thread thread : running) {
        while (!thread.join(POLL)) {
          progress.accept(share(workers, steps, begin, deadline));
          if (beside != null && beside.failure != null) {
            workers.forEach(Worker::stop);
          }
        }
      }
    } finally {
      workers.forEach(Worker::stop);
      if (beside != null && besideThread != null) {
        beside.stop();
        besideThread.join();
      }
    }
    return sum(workers, beside);
  }

  private static Thread start(String name, Worker worker) {
    return Thread.ofPlatform().name(name).start(worker);
  }

  private double share(List<Worker> workers, long steps, long begin, long deadline) {
    long done = 0;
    for (Worker worker : workers) {
      done += worker.done;
    }
    double ofTime = (double) (clock.nanoTime() - begin) / (deadline - begin);
    return Math.min(1, Math.max((double) done / steps, ofTime));
  }

  private static Measured sum(List<Worker> workers, @Nullable Worker beside) {
    Histogram all = Latencies.histogram();
    long ops = 0;
    long begin = Long.MAX_VALUE;
    long end = Long.MIN_VALUE;
    boolean cut = false;
    for (Worker worker : workers) {
      require(worker);
      all.add(worker.latencies);
      ops += worker.ops;
      cut |= worker.cut;
      begin = Math.min(begin, worker.begin);
      end = Math.max(end, worker.end);
    }
    Map<String, Double> figures = new LinkedHashMap<>();
    double steadiness = workers.size() == 1 ? workers.getFirst().steadiness() : Double.NaN;
    if (Double.isFinite(steadiness)) {
      figures.put(STEADINESS, steadiness);
    }
    if (beside != null) {
      require(beside);
      figures.put(BACKGROUND, beside.ops * 1e9 / Math.max(1, beside.end - beside.begin));
    }
    double seconds = Math.max(1, end - begin) / 1e9;
    return new Measured(ops, seconds, cut, Latencies.of(all), figures);
  }

  private static void require(Worker worker) {
    if (worker.failure != null) {
      throw worker.failure;
    }
  }

  /** One thread's part. */
  private static final class Worker implements Runnable, Budget {
    private final Clock clock;
    private final Function<Budget, ? extends Task> tasks;
    private final int first;
    private final int stride;
    private final long steps;
    private final long deadline;
    private final Histogram latencies = Latencies.histogram();

    private volatile long done;
    private volatile boolean stopped;
    // Read by others after the thread has ended.
    private long ops;
    private long begin;
    private long end;
    private boolean cut;
    private long firstTenthNanos;
    private long lastTenthBegin;
    private volatile @Nullable RuntimeException failure;

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
      long tenth = steps / 10;
      for (long index = first; index < steps; index += stride) {
        if (before > deadline || stopped) {
          cut = true;
          break;
        }
        ops += task.step(index);
        long after = clock.nanoTime();
        Latencies.record(latencies, after - before);
        before = after;
        if (index == tenth - 1) {
          firstTenthNanos = after - begin;
        } else if (index == steps - tenth - 1) {
          lastTenthBegin = after;
        }
        if ((index / stride & 0xFF) == 0) {
          done = index / stride + 1;
        }
      }
      end = before;
    }

    void stop() {
      stopped = true;
    }

    /** NaN if it is not known. */
    double steadiness() {
      return cut || stride > 1 || steps < STEADINESS_STEPS_MIN
          ? Double.NaN
          : (double) firstTenthNanos / Math.max(1, end - lastTenthBegin);
    }

    @Override
    public boolean spent() {
      boolean spent = stopped || clock.nanoTime() > deadline;
      cut |= spent;
      return spent;
    }
  }
}
