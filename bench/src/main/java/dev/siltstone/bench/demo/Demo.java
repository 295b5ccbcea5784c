package dev.siltstone.bench.demo;

import dev.siltstone.base.time.Clock;
import dev.siltstone.bench.experiment.Cliff;
import dev.siltstone.bench.experiment.TimeSeries;
import dev.siltstone.bench.report.Machine;
import dev.siltstone.bench.report.Progress;
import dev.siltstone.bench.report.Units;
import dev.siltstone.bench.store.Store;
import dev.siltstone.bench.work.WrongAnswerException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Runs the experiments one after another, each on a store of its own below one folder. */
final class Demo {
  private final Function<Path, Store> opener;
  private final Clock clock;
  private final PrintWriter out;
  private final boolean terminal;
  private final Scale scale;

  Demo(Function<Path, Store> opener, Clock clock, PrintWriter out, boolean terminal, Scale scale) {
    this.opener = opener;
    this.clock = clock;
    this.out = out;
    this.terminal = terminal;
    this.scale = scale;
  }

  /**
   * Runs all, printing progress and tables.
   *
   * @param directory where the stores go and stay
   * @param dumps what to load
   * @param engine label and settings of the engine, for the report
   * @throws WrongAnswerException if the time series or a dump came out wrong; a wrong answer of the
   *     cliff is in its row
   */
  DemoResult run(Path directory, List<Dumps.Dump> dumps, String engine, String settings)
      throws IOException, InterruptedException {
    double dumpWeight = 0.2 * dumps.size();
    Progress progress =
        new Progress(
            out,
            terminal,
            clock,
            Cliff.PATTERNS.size() * Cliff.weight(scale.pairs()) + dumpWeight + scale.seconds() + 1);
    DemoResult.Setup setup =
        new DemoResult.Setup(engine, settings, scale.pairs(), Machine.facts(directory, clock));
    List<Cliff.Row> cliff = cliff(directory, progress);
    progress.print(
        "\nThe tombstone cliff: "
            + Units.whole(scale.pairs())
            + " pairs, those with i & pattern = 0 deleted\n\n"
            + DemoView.cliff(cliff).text());
    List<Dumps.Row> rows = dumps(directory, dumps, progress, dumpWeight);
    progress.print(
        "Dumps of other stores, loaded and dumped again\n\n" + DemoView.dumps(rows).text());
    TimeSeries.Result series = series(directory, progress);
    progress.finish();
    progress.print(DemoView.series(series).text() + "\n" + DemoView.buckets(series).text());
    return new DemoResult(setup, cliff, rows, series);
  }

  private List<Cliff.Row> cliff(Path directory, Progress progress)
      throws IOException, InterruptedException {
    Cliff experiment = new Cliff(clock, progress, scale.pairs(), scale.capSeconds());
    List<Cliff.Row> rows = new ArrayList<>();
    for (Cliff.Pattern pattern : Cliff.PATTERNS) {
      try (Store store = open(directory.resolve("cliff-" + pattern.label()))) {
        Cliff.Row row = experiment.run(pattern, store);
        rows.add(row);
        if (!row.wrong().isEmpty()) {
          progress.print("WRONG ANSWER, pattern " + row.pattern() + ": " + row.wrong());
        }
      }
    }
    return rows;
  }

  private List<Dumps.Row> dumps(
      Path directory, List<Dumps.Dump> dumps, Progress progress, double weight) throws IOException {
    List<Dumps.Row> rows = new ArrayList<>();
    for (Dumps.Dump dump : dumps) {
      progress.step("dump " + dump.name(), weight / dumps.size());
      try (Store store = open(directory.resolve("dumps").resolve(dump.name()))) {
        rows.add(Dumps.run(dump, store));
      }
    }
    return rows;
  }

  private TimeSeries.Result series(Path directory, Progress progress)
      throws IOException, InterruptedException {
    try (Store store = open(directory.resolve("timeseries"))) {
      return new TimeSeries(store, clock, progress).run(scale.seconds(), scale.bucketSeconds());
    }
  }

  private Store open(Path directory) throws IOException {
    Files.createDirectories(directory);
    return opener.apply(directory);
  }

  /**
   * How much.
   *
   * @param pairs of the cliff
   * @param seconds of the time series, a multiple of the bucket
   * @param bucketSeconds stretches of the time series that are compared
   * @param capSeconds no phase of the cliff takes longer: an engine that fell would take days
   */
  record Scale(long pairs, int seconds, int bucketSeconds, double capSeconds) {
    /** The experiments as they were first made. */
    static final Scale FULL = new Scale(1_000_000, 60, 5, 60);

    /** The same in small: under a minute. */
    static final Scale QUICK = new Scale(100_000, 5, 1, 5);
  }
}
