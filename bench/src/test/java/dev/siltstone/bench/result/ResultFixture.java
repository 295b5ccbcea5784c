package dev.siltstone.bench.result;

import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.measure.Outcome;
import dev.siltstone.bench.result.Results.EngineFacts;
import dev.siltstone.bench.result.Results.Run;
import dev.siltstone.bench.result.Results.WorkFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Results that nobody measured. */
final class ResultFixture {
  private final List<Run> runs = new ArrayList<>();

  /** Adds rounds of a work of 1,000 entries on an engine, by their rates. */
  ResultFixture rates(String work, String engine, double... rates) {
    return rates(work, 1000, engine, rates);
  }

  ResultFixture rates(String work, long entries, String engine, double... rates) {
    for (int i = 0; i < rates.length; i++) {
      runs.add(new Run(i + 1, work, engine, entries, outcome(rates[i]), "", true));
    }
    return this;
  }

  ResultFixture failure(String work, String engine, boolean possible) {
    runs.add(new Run(1, work, engine, 1000, null, "planted <failure>", possible));
    return this;
  }

  /** Four engines: ours, another LSM tree, a B-tree, and one that does not run here. */
  Results results() {
    return new Results(
        Map.of("processor", "of paper"),
        Map.of("data", "made up"),
        List.of(
            new EngineFacts("ours", "Ours", true, "set so", "-Xmx1m", ""),
            new EngineFacts("tree", "Tree", true, "set otherwise", "", ""),
            new EngineFacts("btree", "B-tree", false, "not set", "", ""),
            new EngineFacts("gone", "Gone", true, "", "", "no library for this system")),
        List.of(new WorkFacts("fill", "put all"), new WorkFacts("read", "get all")),
        runs);
  }

  Summary summary() {
    return new Summary(results());
  }

  static Outcome outcome(double rate) {
    return new Outcome(
        new Measured(
            Math.round(rate),
            1,
            false,
            new Measured.Latency(1.5, 2, 3, 4, 5),
            Map.of("all_reget_per_s", rate / 2, "disk_over_logical", 1.25)),
        4096,
        new Outcome.Resident(1 << 20, 1 << 19, -1));
  }
}
