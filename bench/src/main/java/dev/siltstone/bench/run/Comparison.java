package dev.siltstone.bench.run;

import dev.siltstone.bench.experiment.Experiment;
import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.measure.Outcome;
import dev.siltstone.bench.report.Progress;
import dev.siltstone.bench.report.Units;
import dev.siltstone.bench.result.Results.EngineFacts;
import dev.siltstone.bench.result.Results.Run;
import dev.siltstone.bench.store.Engine;
import dev.siltstone.bench.store.StoreConfig;
import dev.siltstone.bench.work.Plan;
import dev.siltstone.bench.work.Work;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs works on several engines in turn. Each engine is a child process that lives for the whole
 * run, or for a round; at every work each has its turn while the others wait, first in the given
 * order, in the next round in the opposite one.
 */
final class Comparison {
  /** A small run of every work comes first, unmeasured, so that all code is compiled. */
  private static final long WARM_UP_SHARE = 5;

  /** Less than this compiles too little. */
  private static final long WARM_UP_MIN = 200_000;

  /** An experiment does its phases several times over. */
  private static final long WARM_UP_MAX_OF_EXPERIMENT = 50_000;

  private static final double WARM_UP_WEIGHT = 0.3;

  private final List<Engine> engines;
  private final List<Work> works;
  private final Scale scale;
  private final List<Run> runs = new ArrayList<>();

  /** What is known of each engine, in the given order. */
  private final Map<Engine, EngineFacts> facts = new LinkedHashMap<>();

  /** A comparison that has not run. */
  Comparison(List<Engine> engines, List<Work> works, Scale scale) {
    this.engines = List.copyOf(engines);
    this.works = List.copyOf(works);
    this.scale = scale;
    for (Engine engine : engines) {
      facts.put(engine, facts(engine, "", "", ""));
    }
  }

  private static EngineFacts facts(Engine engine, String settings, String jvm, String absent) {
    return new EngineFacts(engine.label(), engine.about(), engine.isLsm(), settings, jvm, absent);
  }

  /** Weight of the whole run for the progress: one for each run of a work. */
  double weight() {
    int warmUps = scale.fork() ? scale.rounds() : 1;
    return engines.size()
        * works.size()
        * (scale.rounds() * scale.plans().size() + WARM_UP_WEIGHT * warmUps);
  }

  /**
   * Runs all. An engine that does not run on this machine is left out, a run that fails becomes a
   * row that says why; the others go on.
   *
   * @param directory a folder that belongs to the run
   * @param heap arguments of every child's JVM for the heap
   * @throws IOException if a folder or process cannot be made
   */
  void run(StoreConfig config, Path directory, List<String> heap, Progress progress)
      throws IOException, InterruptedException {
    Starter starter = new Starter(config, directory, heap, progress);
    List<ChildProcess> children = List.of();
    try {
      for (int round = 1; round <= scale.rounds(); round++) {
        if (round == 1 || scale.fork()) {
          children.forEach(ChildProcess::close);
          children = List.of();
          children = starter.start();
          round(0, children, List.of(warmUp(scale.plans().getFirst())), progress);
        }
        List<ChildProcess> order = new ArrayList<>(children);
        if (round % 2 == 0) {
          Collections.reverse(order);
        }
        round(round, order, scale.plans(), progress);
      }
    } finally {
      children.forEach(ChildProcess::close);
    }
  }

  /** Starts the engines, and notes those that do not. */
  private final class Starter {
    private final StoreConfig config;
    private final Path directory;
    private final List<String> heap;
    private final Progress progress;

    Starter(StoreConfig config, Path directory, List<String> heap, Progress progress) {
      this.config = config;
      this.directory = directory;
      this.heap = heap;
      this.progress = progress;
    }

    List<ChildProcess> start() throws IOException, InterruptedException {
      List<ChildProcess> children = new ArrayList<>();
      try {
        for (Engine engine : engines) {
          if (facts.getOrDefault(engine, facts(engine, "", "", "")).absent().isEmpty()) {
            start(engine, children);
          }
        }
        return children;
      } catch (IOException | InterruptedException | RuntimeException e) {
        children.forEach(ChildProcess::close);
        throw e;
      }
    }

    private void start(Engine engine, List<ChildProcess> children)
        throws IOException, InterruptedException {
      progress.step("start " + engine.label(), 0);
      try {
        ChildProcess child =
            new ChildProcess(engine, config, directory.resolve(engine.label()), heap);
        children.add(child);
        facts.put(
            engine, facts(engine, child.settings(), String.join(" ", child.jvmArguments()), ""));
      } catch (EngineAbsentException e) {
        facts.put(engine, facts(engine, "", "", e.reason()));
        progress.print("  " + engine.label() + " does not run on this machine: " + e.reason());
      }
    }
  }

  private static Plan warmUp(Plan plan) {
    return plan.of(warmUp(plan.entries()), warmUp(plan.reads()));
  }

  private static long warmUp(long count) {
    return Math.max(Math.min(count, WARM_UP_MIN), count / WARM_UP_SHARE);
  }

  private void round(int round, List<ChildProcess> order, List<Plan> plans, Progress progress)
      throws InterruptedException {
    for (Plan plan : plans) {
      for (Work work : works) {
        for (ChildProcess child : order) {
          progress.step(label(round, work, child, plan), round == 0 ? WARM_UP_WEIGHT : 1);
          Run run = one(round, child, work, plan, progress);
          if (round > 0) {
            runs.add(run);
            progress.print(said(run));
          }
        }
      }
    }
  }

  private String label(int round, Work work, ChildProcess child, Plan plan) {
    String prefix = round == 0 ? "warm up: " : scale.rounds() > 1 ? "round " + round + ": " : "";
    String size = scale.plans().size() > 1 ? ", " + Units.count(plan.entries()) : "";
    return prefix + work.spec().name() + " on " + child.engine().label() + size;
  }

  private Run one(int round, ChildProcess child, Work work, Plan plan, Progress progress)
      throws InterruptedException {
    Work.Spec spec = work.spec();
    Engine engine = child.engine();
    if (!engine.features().containsAll(spec.features())) {
      return run(round, work, engine, plan, null, "not possible: " + engine.label() + " cannot");
    }
    try {
      boolean warmUp = round == 0;
      Plan actual =
          warmUp && work instanceof Experiment
              ? plan.of(
                  Math.min(plan.entries(), WARM_UP_MAX_OF_EXPERIMENT),
                  Math.min(plan.reads(), WARM_UP_MAX_OF_EXPERIMENT))
              : plan;
      double cap = scale.capSeconds() / (warmUp ? WARM_UP_SHARE : 1);
      Outcome outcome = child.run(work, actual, cap, progress::at);
      return run(round, work, engine, plan, outcome, "");
    } catch (IOException e) {
      String message = e.getMessage();
      return run(round, work, engine, plan, null, message == null ? e.toString() : message);
    }
  }

  private static Run run(
      int round, Work work, Engine engine, Plan plan, @Nullable Outcome outcome, String failure) {
    return new Run(
        round,
        work.spec().name(),
        engine.label(),
        plan.entries(),
        outcome,
        failure,
        engine.features().containsAll(work.spec().features()));
  }

  private String said(Run run) {
    String size = scale.plans().size() > 1 ? " " + Units.count(run.entries()) : "";
    String head = "  %-16s %-12s".formatted(run.work() + size, run.engine());
    Outcome outcome = run.outcome();
    if (outcome == null) {
      return head + " " + run.failure();
    }
    Measured measured = outcome.measured();
    Measured.Latency latency = measured.latency();
    return "%s %10s%s%s"
        .formatted(
            head,
            Units.rate(measured.rate()),
            Double.isNaN(latency.p50())
                ? ""
                : "   half in %s, 99 %% in %s"
                    .formatted(Units.micros(latency.p50()), Units.micros(latency.p99())),
            measured.cut() ? "   (cut at the cap)" : "");
  }

  /** All runs, in the order in which they were made. */
  List<Run> runs() {
    return List.copyOf(runs);
  }

  /** The engines, the one that is compared first, with what is known of them by now. */
  List<EngineFacts> engines() {
    return List.copyOf(facts.values());
  }

  /**
   * How much is done.
   *
   * @param plans of every work, one for each size
   * @param capSeconds a measured part is cut after so long
   * @param rounds how often everything is done
   * @param fork whether every round has engines in new JVMs
   */
  record Scale(List<Plan> plans, double capSeconds, int rounds, boolean fork) {
    /** Checks the numbers. */
    Scale {
      if (rounds < 1 || plans.isEmpty()) {
        throw new IllegalArgumentException(
            "one round and one size are due at least, not " + rounds + " and " + plans.size());
      }
      plans = List.copyOf(plans);
    }
  }
}
