package dev.siltstone.bench.run;

import dev.siltstone.bench.report.Progress;
import dev.siltstone.bench.report.Units;
import dev.siltstone.bench.store.Engine;
import dev.siltstone.bench.store.StoreConfig;
import dev.siltstone.bench.work.Plan;
import dev.siltstone.bench.work.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs workloads on several engines in turn. Each engine is a child process that lives for the
 * whole run; at every workload each has its turn while the others wait, first in the given order,
 * in the next round in the opposite one.
 */
public final class Comparison {
  /** A small run of every workload comes first, unmeasured, so that all code is compiled. */
  private static final long WARM_UP_SHARE = 5;

  /** Less than this compiles too little. */
  private static final long WARM_UP_MIN = 200_000;

  private static final double WARM_UP_WEIGHT = 0.3;

  private final List<Engine> engines;
  private final List<Workload> workloads;
  private final Scale scale;
  private final List<Row> rows = new ArrayList<>();
  private final Map<Engine, String> settings = new LinkedHashMap<>();
  private final Map<Engine, List<String>> jvms = new LinkedHashMap<>();

  /**
   * A comparison that has not run.
   *
   * @param engines the first is compared with each of the others
   */
  public Comparison(List<Engine> engines, List<Workload> workloads, Scale scale) {
    this.engines = List.copyOf(engines);
    this.workloads = List.copyOf(workloads);
    this.scale = scale;
  }

  /** Weight of the whole run for the progress: one for each run of a workload. */
  public double weight() {
    return engines.size() * workloads.size() * (scale.rounds() + WARM_UP_WEIGHT);
  }

  /**
   * Runs all. A run that fails becomes a row that says why; the others go on.
   *
   * @param directory a folder that belongs to the run
   * @param heap arguments of every child's JVM for the heap
   * @throws IOException if an engine does not start
   */
  public void run(StoreConfig config, Path directory, List<String> heap, Progress progress)
      throws IOException, InterruptedException {
    List<ChildProcess> children = new ArrayList<>();
    try {
      for (Engine engine : engines) {
        progress.step("start " + engine.label(), 0);
        ChildProcess child =
            new ChildProcess(engine, config, directory.resolve(engine.label()), heap);
        children.add(child);
        settings.put(engine, child.settings());
        jvms.put(engine, child.jvmArguments());
      }
      round(0, children, warmUp(), progress);
      for (int round = 1; round <= scale.rounds(); round++) {
        List<ChildProcess> order = new ArrayList<>(children);
        if (round % 2 == 0) {
          Collections.reverse(order);
        }
        round(round, order, scale.plan(), progress);
      }
    } finally {
      children.forEach(ChildProcess::close);
    }
  }

  private Plan warmUp() {
    Plan plan = scale.plan();
    return new Plan(warmUp(plan.entries()), warmUp(plan.reads()), plan.valueBytes(), plan.seed());
  }

  private static long warmUp(long count) {
    return Math.max(Math.min(count, WARM_UP_MIN), count / WARM_UP_SHARE);
  }

  private void round(int round, List<ChildProcess> order, Plan plan, Progress progress)
      throws InterruptedException {
    String prefix = round == 0 ? "warm up: " : scale.rounds() > 1 ? "round " + round + ": " : "";
    for (Workload workload : workloads) {
      for (ChildProcess child : order) {
        String name = workload.spec().name();
        progress.step(
            prefix + name + " on " + child.engine().label(), round == 0 ? WARM_UP_WEIGHT : 1);
        Row row = one(round, child, workload, plan, progress);
        if (round > 0) {
          rows.add(row);
          progress.print(said(row));
        }
      }
    }
  }

  private Row one(int round, ChildProcess child, Workload workload, Plan plan, Progress progress)
      throws InterruptedException {
    Workload.Spec spec = workload.spec();
    Engine engine = child.engine();
    if (!engine.features().containsAll(spec.features())) {
      return new Row(
          round, spec.name(), engine, null, "not possible: " + engine.label() + " cannot");
    }
    try {
      double cap = scale.capSeconds() / (round == 0 ? WARM_UP_SHARE : 1);
      Outcome outcome = child.run(workload, plan, cap, progress::at);
      return new Row(round, spec.name(), engine, outcome, "");
    } catch (IOException e) {
      String message = e.getMessage();
      return new Row(round, spec.name(), engine, null, message == null ? e.toString() : message);
    }
  }

  private static String said(Row row) {
    Outcome outcome = row.outcome();
    if (outcome == null) {
      return "  %-14s %-12s %s".formatted(row.workload(), row.engine().label(), row.failure());
    }
    Measured measured = outcome.measured();
    Measured.Latency latency = measured.latency();
    return "  %-14s %-12s %10s%s%s"
        .formatted(
            row.workload(),
            row.engine().label(),
            Units.rate(measured.rate()),
            Double.isNaN(latency.p50())
                ? ""
                : "   half in %s, 99 %% in %s"
                    .formatted(Units.micros(latency.p50()), Units.micros(latency.p99())),
            measured.cut() ? "   (cut at the cap)" : "");
  }

  /** All runs, in the order in which they were made. */
  public List<Row> rows() {
    return List.copyOf(rows);
  }

  /** The engines, the one that is compared first. */
  public List<Engine> engines() {
    return engines;
  }

  /** The workloads, in order. */
  public List<Workload> workloads() {
    return workloads;
  }

  /** How much was done. */
  public Scale scale() {
    return scale;
  }

  /** The settings of each engine, in words. */
  public Map<Engine, String> settings() {
    return Collections.unmodifiableMap(settings);
  }

  /** Arguments of each engine's JVM, without its class path. */
  public Map<Engine, List<String>> jvmArguments() {
    return Collections.unmodifiableMap(jvms);
  }

  /** Runs of a workload on an engine, one a round. */
  public List<Row> rows(Workload workload, Engine engine) {
    return rows.stream()
        .filter(row -> row.engine() == engine && row.workload().equals(workload.spec().name()))
        .toList();
  }

  /** The median rate of a workload on an engine; NaN if no run of it succeeded. */
  public double rate(Workload workload, Engine engine) {
    return median(
        rows(workload, engine).stream()
            .map(Row::outcome)
            .mapToDouble(outcome -> outcome == null ? Double.NaN : outcome.measured().rate())
            .filter(Double::isFinite)
            .toArray());
  }

  /**
   * How many times faster the first engine is than another: the median over the rounds of the ratio
   * within a round. NaN if in no round both succeeded.
   */
  public double ratio(Workload workload, Engine other) {
    List<Row> ours = rows(workload, engines.getFirst());
    List<Row> theirs = rows(workload, other);
    double[] ratios = new double[Math.min(ours.size(), theirs.size())];
    int count = 0;
    for (int i = 0; i < ratios.length; i++) {
      Outcome our = ours.get(i).outcome();
      Outcome their = theirs.get(i).outcome();
      if (our != null && their != null) {
        ratios[count++] = our.measured().rate() / their.measured().rate();
      }
    }
    return median(Arrays.copyOf(ratios, count));
  }

  /**
   * How many times faster the first engine is than the best of some others; NaN if none of them
   * could run.
   */
  double ratioOverBest(Workload workload, Predicate<Engine> which) {
    return engines.stream()
        .skip(1)
        .filter(which)
        .mapToDouble(engine -> ratio(workload, engine))
        .filter(Double::isFinite)
        .min()
        .orElse(Double.NaN);
  }

  static double median(double[] values) {
    if (values.length == 0) {
      return Double.NaN;
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }

  /**
   * How much is done.
   *
   * @param plan of every workload
   * @param capSeconds a measured part is cut after so long
   * @param rounds how often everything is done
   */
  public record Scale(Plan plan, double capSeconds, int rounds) {}

  /**
   * One run.
   *
   * @param round from 1
   * @param workload its name
   * @param engine on which
   * @param outcome what came out, or null if it failed or the engine cannot do it
   * @param failure why there is no outcome, or empty
   */
  public record Row(
      int round, String workload, Engine engine, @Nullable Outcome outcome, String failure) {}
}
