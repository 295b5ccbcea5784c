package dev.siltstone.bench.result;

import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.measure.Outcome;
import dev.siltstone.bench.report.Table;
import dev.siltstone.bench.report.Units;
import dev.siltstone.bench.result.Results.EngineFacts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Results as tables. Where there are several sizes, each row says its own. */
public final class ResultTables {
  private static final String FAILED = "FAILED";
  private static final String CUT = "*";
  private static final String NONE = "-";

  private final Summary summary;
  private final List<EngineFacts> present;
  private final boolean sized;

  /** Tables of some results. */
  public ResultTables(Summary summary) {
    this.summary = summary;
    present =
        summary.results().engines().stream().filter(engine -> engine.absent().isEmpty()).toList();
    sized = summary.sizes().size() > 1;
  }

  /** The name of a row. */
  private String name(Summary.Key key) {
    return sized ? key.work() + ", " + Units.count(key.entries()) : key.work();
  }

  /** Rates of all engines, and of the first over each other. */
  public Table rates() {
    List<EngineFacts> others = present.subList(Math.min(1, present.size()), present.size());
    List<String> head = new ArrayList<>(List.of("workload"));
    for (EngineFacts engine : present) {
      head.add(engine.name());
      if (others.contains(engine)) {
        head.add("ratio");
      }
    }
    if (!others.isEmpty()) {
      head.addAll(List.of("over best LSM", "over best"));
    }
    Table table = new Table(head);
    for (Summary.Key key : summary.keys()) {
      List<String> cells = new ArrayList<>(List.of(name(key)));
      for (EngineFacts engine : present) {
        cells.add(rate(key, engine.name()));
        if (others.contains(engine)) {
          cells.add(Units.ratio(summary.ratio(key, engine.name()).median()));
        }
      }
      if (!others.isEmpty()) {
        cells.add(Units.ratio(summary.ratioOverBest(key, EngineFacts::lsm)));
        cells.add(Units.ratio(summary.ratioOverBest(key, _ -> true)));
      }
      table.row(cells);
    }
    return table;
  }

  private String rate(Summary.Key key, String engine) {
    if (summary.failed(key, engine)) {
      return FAILED;
    }
    String rate = Units.rate(summary.rate(key, engine).median());
    return summary.cut(key, engine) ? rate + CUT : rate;
  }

  /** How far the rounds lie apart; without rows if there was one round only. */
  public Table noise() {
    Table table =
        new Table("workload", "engine", "rounds", "slowest", "median", "fastest", "noise");
    for (Summary.Key key : summary.keys()) {
      for (EngineFacts engine : present) {
        Spread rate = summary.rate(key, engine.name());
        if (rate.rounds() > 1) {
          table.row(
              name(key),
              engine.name(),
              Integer.toString(rate.rounds()),
              Units.rate(rate.min()),
              Units.rate(rate.median()),
              Units.rate(rate.max()),
              Units.percent(rate.noise()));
        }
      }
    }
    return table;
  }

  /** Latencies, medians over the rounds; the longest is that of all rounds. */
  public Table latencies() {
    Table table = new Table("workload", "engine", "p50", "p90", "p99", "p99.9", "longest");
    for (Summary.Key key : summary.keys()) {
      for (EngineFacts engine : present) {
        Spread p50 = latency(key, engine, Measured.Latency::p50);
        if (p50.rounds() > 0) {
          table.row(
              name(key),
              engine.name(),
              Units.micros(p50.median()),
              Units.micros(latency(key, engine, Measured.Latency::p90).median()),
              Units.micros(latency(key, engine, Measured.Latency::p99).median()),
              Units.micros(latency(key, engine, Measured.Latency::p999).median()),
              Units.micros(latency(key, engine, Measured.Latency::max).max()));
        }
      }
    }
    return table;
  }

  private Spread latency(
      Summary.Key key,
      EngineFacts engine,
      java.util.function.ToDoubleFunction<Measured.Latency> percentile) {
    return summary.spread(
        key, engine.name(), outcome -> percentile.applyAsDouble(outcome.measured().latency()));
  }

  /** Disk and memory right after each work; of the last round. */
  public Table space() {
    Table table =
        new Table(
            "workload",
            "engine",
            "disk",
            "memory at most",
            "then: no file behind it",
            "then: mapped files");
    for (Summary.Key key : summary.keys()) {
      for (EngineFacts engine : present) {
        Outcome outcome = summary.last(key, engine.name());
        if (outcome != null) {
          table.row(
              name(key),
              engine.name(),
              Units.bytes(outcome.diskBytes()),
              Units.bytes(outcome.resident().peak()),
              Units.bytes(outcome.resident().anonymous()),
              Units.bytes(outcome.resident().file()));
        }
      }
    }
    return table;
  }

  /** What some works found besides their rate, medians over the rounds. */
  public Table figures() {
    List<String> head = new ArrayList<>(List.of("workload", "figure"));
    present.forEach(engine -> head.add(engine.name()));
    Table table = new Table(head);
    for (Summary.Key key : summary.keys()) {
      for (String name : figureNames(key)) {
        List<String> cells = new ArrayList<>(List.of(name(key), Figures.label(name)));
        for (EngineFacts engine : present) {
          Spread spread =
              summary.spread(
                  key,
                  engine.name(),
                  outcome -> outcome.measured().figures().getOrDefault(name, Double.NaN));
          cells.add(Figures.text(name, spread.median()));
        }
        table.row(cells);
      }
    }
    return table;
  }

  private Set<String> figureNames(Summary.Key key) {
    Set<String> names = new LinkedHashSet<>();
    for (EngineFacts engine : present) {
      Outcome outcome = summary.last(key, engine.name());
      if (outcome != null) {
        names.addAll(outcome.measured().figures().keySet());
      }
    }
    return names;
  }

  /** Nanoseconds of an operation at each size; without rows if there is one size only. */
  public Table growth() {
    List<Long> sizes = summary.sizes();
    List<String> head = new ArrayList<>(List.of("workload", "engine"));
    sizes.forEach(size -> head.add(Units.count(size)));
    head.add("last over first");
    Table table = new Table(head);
    if (!sized) {
      return table;
    }
    Set<String> works = new LinkedHashSet<>();
    summary.keys().forEach(key -> works.add(key.work()));
    for (String work : works) {
      for (EngineFacts engine : present) {
        List<Double> costs = costs(work, engine.name());
        if (costs.stream().anyMatch(Double::isFinite)) {
          List<String> cells = new ArrayList<>(List.of(work, engine.name()));
          costs.forEach(nanos -> cells.add(Units.micros(nanos / 1e3)));
          cells.add(Units.ratio(costs.getLast() / costs.getFirst()));
          table.row(cells);
        }
      }
    }
    return table;
  }

  /** Nanoseconds of an operation at each size, in the order of the sizes; NaN where not known. */
  List<Double> costs(String work, String engine) {
    return summary.sizes().stream()
        .map(size -> 1e9 / summary.rate(new Summary.Key(work, size), engine).median())
        .toList();
  }

  /** What ran and how, by name: data, runs, then each engine with its settings. */
  public Map<String, String> setup() {
    Map<String, String> setup = new LinkedHashMap<>(summary.results().setup());
    for (EngineFacts engine : summary.results().engines()) {
      if (engine.absent().isEmpty()) {
        setup.put(engine.name(), engine.about() + ": " + engine.settings());
        setup.put("JVM of " + engine.name(), engine.jvm());
      } else {
        setup.put(engine.name(), "does not run on this machine: " + engine.absent());
      }
    }
    return setup;
  }

  /** Runs that failed, with the reason. */
  public Table failures() {
    Table table = new Table("workload", "engine", "round", "why it failed");
    for (Results.Run run : summary.results().runs()) {
      if (run.outcome() == null && run.possible()) {
        table.row(
            name(new Summary.Key(run.work(), run.entries())),
            run.engine(),
            Integer.toString(run.round()),
            run.failure().isEmpty() ? NONE : run.failure());
      }
    }
    return table;
  }
}
