package dev.siltstone.bench.experiment;

import java.util.List;

/** All experiments. */
public final class Experiments {
  private static final List<Experiment> ALL =
      List.of(new CliffExperiment(), new TimeSeriesExperiment(), new FootprintExperiment());

  private Experiments() {}

  /** All there are. */
  public static List<Experiment> all() {
    return ALL;
  }
}
