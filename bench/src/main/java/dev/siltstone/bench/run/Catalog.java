package dev.siltstone.bench.run;

import dev.siltstone.bench.experiment.Experiments;
import dev.siltstone.bench.work.Work;
import dev.siltstone.bench.work.Workloads;
import java.util.ArrayList;
import java.util.List;

/** All that can be measured, by name. */
final class Catalog {
  /** What says little beside another work, or takes long. */
  private static final List<String> ON_REQUEST = List.of("fillbatch", "cliff", "timeseries");

  /** What a user who chooses an engine looks at first. */
  private static final List<String> MAIN =
      List.of("cliff", "fillrandom", "readrandom", "seekrandom", "readseq", "compact");

  /** What may cost more with each entry as entries grow more. */
  private static final List<String> GROWING =
      List.of(
          "fillrandom",
          "overwrite",
          "readrandom",
          "readmissing",
          "seekrandom",
          "readseq",
          "readreverse",
          "compact");

  private Catalog() {}

  /** All there are, in the order in which one leaves what the next needs. */
  static List<Work> all() {
    List<Work> all = new ArrayList<>(Workloads.all());
    all.addAll(Experiments.all());
    return all;
  }

  /** What runs if nothing is named. */
  static List<Work> usual() {
    return all().stream().filter(work -> !ON_REQUEST.contains(work.spec().name())).toList();
  }

  /** What runs in a quick comparison. */
  static List<Work> main() {
    return MAIN.stream().map(Catalog::of).toList();
  }

  /** What runs at several sizes. */
  static List<Work> growing() {
    return GROWING.stream().map(Catalog::of).toList();
  }

  /**
   * Finds a work by its name.
   *
   * @throws IllegalArgumentException naming those there are
   */
  static Work of(String name) {
    return Workloads.find(all(), name);
  }
}
