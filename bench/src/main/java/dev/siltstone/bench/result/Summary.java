package dev.siltstone.bench.result;

import dev.siltstone.bench.measure.Outcome;
import dev.siltstone.bench.result.Results.EngineFacts;
import dev.siltstone.bench.result.Results.Run;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Results summed up over their rounds. */
public final class Summary {
  private final Results results;
  private final Map<Cell, List<Run>> runs = new LinkedHashMap<>();
  private final List<Key> keys;

  /** Sums up. */
  public Summary(Results results) {
    this.results = results;
    LinkedHashSet<Key> seen = new LinkedHashSet<>();
    for (Run run : results.runs()) {
      Key key = new Key(run.work(), run.entries());
      seen.add(key);
      runs.computeIfAbsent(new Cell(key, run.engine()), _ -> new ArrayList<>()).add(run);
    }
    keys = List.copyOf(seen);
  }

  /**
   * A row of the tables.
   *
   * @param work name of the work
   * @param entries of a filled store
   */
  public record Key(String work, long entries) {}

  private record Cell(Key key, String engine) {}

  /** What is summed up. */
  public Results results() {
    return results;
  }

  /** The rows, in the order in which they were first run. */
  public List<Key> keys() {
    return keys;
  }

  /** The sizes, in the order in which they were first run. */
  public List<Long> sizes() {
    return List.copyOf(new LinkedHashSet<>(keys.stream().map(Key::entries).toList()));
  }

  /** The engine that the others are compared with. */
  public EngineFacts first() {
    return results.engines().getFirst();
  }

  /** The others. */
  public List<EngineFacts> others() {
    return results.engines().subList(1, results.engines().size());
  }

  /** The runs of a row on an engine, one a round. */
  public List<Run> runs(Key key, String engine) {
    return Collections.unmodifiableList(runs.getOrDefault(new Cell(key, engine), List.of()));
  }

  /** Operations a second; without rounds if no run succeeded. */
  public Spread rate(Key key, String engine) {
    return spread(key, engine, outcome -> outcome.measured().rate());
  }

  /** A figure of the outcomes of a row on an engine, over the rounds. */
  public Spread spread(Key key, String engine, ToDoubleFunction<Outcome> figure) {
    return Spread.of(
        runs(key, engine).stream()
            .map(Run::outcome)
            .mapToDouble(outcome -> outcome == null ? Double.NaN : figure.applyAsDouble(outcome))
            .toArray());
  }

  /** The outcome of the last round, or null if it has none. */
  public @Nullable Outcome last(Key key, String engine) {
    List<Run> all = runs(key, engine);
    return all.isEmpty() ? null : all.getLast().outcome();
  }

  /** Whether the time cap ended a run of a row on an engine. */
  public boolean cut(Key key, String engine) {
    return runs(key, engine).stream()
        .map(Run::outcome)
        .anyMatch(outcome -> outcome != null && outcome.measured().cut());
  }

  /** Whether a run failed that the engine can do. */
  public boolean failed(Key key, String engine) {
    return runs(key, engine).stream().anyMatch(run -> run.outcome() == null && run.possible());
  }

  /**
   * How many times faster the first engine is than another: over the rounds, the ratio within a
   * round.
   */
  public Spread ratio(Key key, String other) {
    List<Run> ours = runs(key, first().name());
    double[] ratios = new double[ours.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = rate(ours.get(i)) / rate(ofRound(runs(key, other), ours.get(i).round()));
    }
    return Spread.of(ratios);
  }

  private static @Nullable Run ofRound(List<Run> runs, int round) {
    for (Run run : runs) {
      if (run.round() == round) {
        return run;
      }
    }
    return null;
  }

  private static double rate(@Nullable Run run) {
    Outcome outcome = run == null ? null : run.outcome();
    return outcome == null ? Double.NaN : outcome.measured().rate();
  }

  /**
   * How many times faster the first engine is than the best of some others; NaN if none of them
   * could run.
   */
  public double ratioOverBest(Key key, Predicate<EngineFacts> which) {
    return others().stream()
        .filter(which)
        .mapToDouble(engine -> ratio(key, engine.name()).median())
        .filter(Double::isFinite)
        .min()
        .orElse(Double.NaN);
  }
}
