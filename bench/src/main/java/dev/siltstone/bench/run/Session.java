package dev.siltstone.bench.run;

import dev.siltstone.base.time.Clock;
import dev.siltstone.bench.experiment.Experiment;
import dev.siltstone.bench.measure.Driver;
import dev.siltstone.bench.measure.Footprint;
import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.measure.Outcome;
import dev.siltstone.bench.report.Stages;
import dev.siltstone.bench.store.Store;
import dev.siltstone.bench.work.Budget;
import dev.siltstone.bench.work.Plan;
import dev.siltstone.bench.work.Task;
import dev.siltstone.bench.work.Work;
import dev.siltstone.bench.work.Work.Shape;
import dev.siltstone.bench.work.Work.Spec;
import dev.siltstone.bench.work.Workload;
import dev.siltstone.bench.work.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One engine's store over several workloads. A workload that needs another shape than the last one
 * left gets it first, unmeasured. Not for concurrent use.
 */
public final class Session implements AutoCloseable {
  /** Files that a store of shape {@link Shape#LAYERED} has at least. */
  private static final int LAYERS = 10;

  private static final long SETTLE_POLL_MILLIS = 100;
  private static final int SETTLE_QUIET_POLLS = 4;
  private static final long SETTLE_MAX_NANOS = TimeUnit.SECONDS.toNanos(120);

  private final Opener opener;
  private final Path directory;
  private final Clock clock;
  private @Nullable Store store;
  private Shape shape = Shape.OTHER;
  private @Nullable Plan filledBy;

  /** Whether the engine may have background work left from writes. */
  private boolean restless;

  /**
   * A session on a folder that belongs to it: whatever is in there goes.
   *
   * @param opener opens the engine's store in the folder
   */
  public Session(Opener opener, Path directory, Clock clock) {
    this.opener = opener;
    this.directory = directory;
    this.clock = clock;
  }

  /**
   * Prepares, measures, and checks what the work left.
   *
   * @param capSeconds the measured part is cut after so long
   * @param progress told which share of the measured part is done
   * @throws dev.siltstone.bench.work.WrongAnswerException if the store answers wrongly
   * @throws IOException if the folder cannot be renewed
   */
  public Outcome run(Work work, Plan plan, double capSeconds, DoubleConsumer progress)
      throws IOException, InterruptedException {
    return switch (work) {
      case Workload workload -> run(workload, plan, capSeconds, progress);
      case Experiment experiment -> run(experiment, plan, capSeconds, progress);
      default -> throw new IllegalArgumentException("cannot run " + work.spec().name());
    };
  }

  private Outcome run(Workload workload, Plan plan, double capSeconds, DoubleConsumer progress)
      throws IOException, InterruptedException {
    Spec spec = workload.spec();
    Store ready = bring(spec.before(), plan);
    workload.prepare(ready, plan);
    shape = Shape.OTHER;
    restless |= workload.writes();
    Footprint.resetResidentPeak();
    Task beside = workload.background(ready, plan);
    Measured measured =
        new Driver(clock, progress)
            .run(
                workload.steps(plan),
                spec.threads(),
                capSeconds,
                budget -> workload.task(ready, plan, budget),
                beside == null ? null : _ -> beside);
    Outcome outcome = outcome(measured);
    if (!measured.cut()) {
      workload.verify(ready, plan);
    }
    boolean kept = !measured.cut() || spec.before() == Shape.FILLED;
    if (kept && spec.after() == Shape.FILLED) {
      shape = Shape.FILLED;
      filledBy = plan;
    }
    return outcome;
  }

  private Outcome run(Experiment experiment, Plan plan, double capSeconds, DoubleConsumer progress)
      throws IOException, InterruptedException {
    shape = Shape.OTHER;
    Footprint.resetResidentPeak();
    return outcome(experiment.run(new Bench(experiment, plan, capSeconds, progress)));
  }

  private Outcome outcome(Measured measured) {
    return new Outcome(measured, Footprint.diskBytes(directory), Outcome.Resident.now());
  }

  private Store bring(Shape wanted, Plan plan) throws IOException, InterruptedException {
    boolean fits = wanted == Shape.FILLED && shape == Shape.FILLED && sameFill(plan);
    Store now = store;
    if (fits && now != null) {
      settle(now);
      return now;
    }
    Store fresh = renew(wanted != Shape.LAYERED);
    if (wanted == Shape.FILLED || wanted == Shape.LAYERED) {
      Workload filler = Workloads.filler();
      Task task = filler.task(fresh, plan, Budget.UNLIMITED);
      long steps = filler.steps(plan);
      for (long i = 0; i < steps; i++) {
        task.step(i);
        if (wanted == Shape.LAYERED && (i + 1) % Math.max(1, steps / LAYERS) == 0) {
          fresh.flush();
        }
      }
      restless = true;
      settle(fresh);
    }
    return fresh;
  }

  private boolean sameFill(Plan plan) {
    Plan filled = filledBy;
    return filled != null
        && filled.entries() == plan.entries()
        && filled.valueBytes() == plan.valueBytes();
  }

  private Store renew(boolean compacts) throws IOException {
    close();
    Directories.renew(directory);
    shape = Shape.EMPTY;
    restless = false;
    Store opened = opener.open(directory, compacts);
    store = opened;
    return opened;
  }

  /**
   * After writes: flushes, then waits until the files stop changing, so that no debt goes into what
   * follows.
   */
  private void settle(Store settling) throws InterruptedException {
    if (!restless) {
      return;
    }
    restless = false;
    settling.flush();
    long end = clock.nanoTime() + SETTLE_MAX_NANOS;
    long last = Footprint.lengthBytes(directory);
    for (int quiet = 0; quiet < SETTLE_QUIET_POLLS && clock.nanoTime() < end; ) {
      Thread.sleep(SETTLE_POLL_MILLIS);
      long now = Footprint.lengthBytes(directory);
      quiet = now == last ? quiet + 1 : 0;
      last = now;
    }
  }

  @Override
  public void close() {
    Store open = store;
    if (open != null) {
      store = null;
      open.close();
    }
  }

  /** This session as an experiment sees it. */
  private final class Bench implements Experiment.Lab {
    private final Plan plan;
    private final double capSeconds;
    private final Stages stages;

    Bench(Experiment experiment, Plan plan, double capSeconds, DoubleConsumer progress) {
      this.plan = plan;
      this.capSeconds = capSeconds;
      stages = new ShareOfStages(progress, experiment.weight(this));
    }

    @Override
    public Plan plan() {
      return plan;
    }

    @Override
    public double capSeconds() {
      return capSeconds;
    }

    @Override
    public Clock clock() {
      return clock;
    }

    @Override
    public Stages stages() {
      return stages;
    }

    @Override
    public Store fresh() throws IOException {
      Store fresh = renew(true);
      shape = Shape.OTHER;
      return fresh;
    }

    @Override
    public void settle() throws InterruptedException {
      Store now = store;
      if (now != null) {
        restless = true;
        Session.this.settle(now);
      }
    }

    @Override
    public long diskBytes() {
      return Footprint.diskBytes(directory);
    }
  }

  /** Opens a store in a folder. */
  @FunctionalInterface
  public interface Opener {
    /**
     * Opens it; the folder is there.
     *
     * @param compacts whether it compacts by itself, where that can be turned off
     */
    Store open(Path directory, boolean compacts);
  }
}
