package dev.siltstone.bench.run;

import dev.siltstone.bench.report.Build;
import dev.siltstone.bench.report.Table;
import dev.siltstone.bench.store.Engine;
import dev.siltstone.bench.work.Work;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code siltstone bench}: runs workloads, on one engine or on several beside each other. */
@Command(
    name = "bench",
    description = "Measures workloads, named as db_bench names them.",
    mixinStandardHelpOptions = true,
    versionProvider = Build.Version.class,
    synopsisSubcommandLabel = "<command>",
    sortOptions = false)
public final class BenchCommand implements Runnable {
  private static final String OURS = "siltstone";
  private static final String PEERS = "rocksdbjni,iq80,lmdbjava";
  private static final List<String> PEERS_QUICK = List.of("rocksdbjni", "lmdbjava");
  private static final String JSON = ".json";
  private static final int ROUNDS_QUICK = 3;
  private static final List<Long> GROWING_SIZES = List.of(1_000_000L, 5_000_000L, 20_000_000L);
  private static final List<Long> GROWING_SIZES_QUICK = List.of(100_000L, 400_000L);

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec().commandLine(), "say what to do: compare, run, growth, report, jmh, memory or list");
  }

  @Command(
      name = "compare",
      description = {
        "Runs workloads on our engine and on others in turn and prints both rates and their ratio;"
            + " or, given two files that --json wrote, says what changed from the first to the"
            + " second.",
        "--quick: the main workloads against rocksdbjni and lmdbjava, three rounds, in under five"
            + " minutes."
      },
      mixinStandardHelpOptions = true,
      versionProvider = Build.Version.class,
      sortOptions = false)
  int compare(
      @Parameters(
              paramLabel = "WORKLOAD|FILE",
              arity = "0..*",
              description =
                  "What to run, in this order, or two files. Default: all but fillbatch, cliff and"
                      + " timeseries.")
          @Nullable List<String> names,
      @Option(
              names = "--against",
              split = ",",
              paramLabel = "ENGINE",
              description = "Engines beside ours, by comma, or all. Default: " + PEERS + ".")
          @Nullable List<String> against,
      @Option(
              names = "--engine",
              paramLabel = "ENGINE",
              defaultValue = OURS,
              description = "The engine they are compared with. Default: ${DEFAULT-VALUE}.")
          String ours,
      @Mixin RunOptions options)
      throws IOException, InterruptedException {
    if (names != null && names.stream().anyMatch(name -> name.endsWith(JSON))) {
      if (names.size() != 2 || !names.stream().allMatch(name -> name.endsWith(JSON))) {
        throw wrong("to compare files name two of them, ending in " + JSON + ", and nothing else");
      }
      return new FileComparison(Path.of(names.getFirst()), Path.of(names.getLast()))
          .print(spec().commandLine().getOut());
    }
    List<String> all = new ArrayList<>(List.of(ours));
    all.addAll(
        against != null ? against : options.quick ? PEERS_QUICK : List.of(PEERS.split(",", -1)));
    List<Work> usual = options.quick ? Catalog.main() : Catalog.usual();
    int rounds = options.quick ? ROUNDS_QUICK : 1;
    return run(all, works(names, usual), options, options.usualSizes(), rounds);
  }

  @Command(
      name = "run",
      description = "Runs workloads on one engine, or on several in turn.",
      mixinStandardHelpOptions = true,
      versionProvider = Build.Version.class,
      sortOptions = false)
  int runNamed(
      @Parameters(
              paramLabel = "WORKLOAD",
              arity = "0..*",
              description =
                  "What to run, in this order. Default: all but fillbatch, cliff and timeseries.")
          @Nullable List<String> names,
      @Option(
              names = "--engine",
              split = ",",
              paramLabel = "ENGINE",
              defaultValue = OURS,
              description = "The engine, several by comma, or all. Default: ${DEFAULT-VALUE}.")
          List<String> engines,
      @Mixin RunOptions options)
      throws IOException, InterruptedException {
    return run(engines, works(names, Catalog.usual()), options, options.usualSizes(), 1);
  }

  @Command(
      name = "growth",
      description =
          "Runs workloads at several sizes and shows how the cost of an operation grows with them.",
      mixinStandardHelpOptions = true,
      versionProvider = Build.Version.class,
      sortOptions = false)
  int growth(
      @Parameters(
              paramLabel = "WORKLOAD",
              arity = "0..*",
              description = "What to run. Default: fills, reads, scans and compaction.")
          @Nullable List<String> names,
      @Option(
              names = "--engine",
              split = ",",
              paramLabel = "ENGINE",
              defaultValue = OURS,
              description = "The engine, several by comma, or all. Default: ${DEFAULT-VALUE}.")
          List<String> engines,
      @Mixin RunOptions options)
      throws IOException, InterruptedException {
    List<Long> sizes = options.quick ? GROWING_SIZES_QUICK : GROWING_SIZES;
    return run(engines, works(names, Catalog.growing()), options, sizes, 1);
  }

  @Command(
      name = "list",
      description = "Lists the workloads and the engines.",
      mixinStandardHelpOptions = true,
      versionProvider = Build.Version.class)
  int list() {
    Table workloads = new Table("workload", "what is done and counted");
    for (Work work : Catalog.all()) {
      workloads.row(work.spec().name(), work.spec().about());
    }
    Table engines = new Table("engine", "what it is");
    for (Engine engine : Engine.values()) {
      engines.row(engine.label(), engine.about());
    }
    spec().commandLine().getOut().print(workloads.text() + "\n" + engines.text());
    return 0;
  }

  private int run(
      List<String> engines, List<Work> works, RunOptions options, List<Long> sizes, int rounds)
      throws IOException, InterruptedException {
    return new BenchRun(
            right(() -> EngineNames.parse(engines)),
            works,
            right(() -> options.scale(sizes, rounds)),
            options,
            spec().commandLine().getOut())
        .run();
  }

  private List<Work> works(@Nullable List<String> names, List<Work> usual) {
    return names == null || names.isEmpty()
        ? usual
        : right(() -> names.stream().map(Catalog::of).toList());
  }

  /** What the arguments mean; a mistake in them is one of the user. */
  private <T> T right(Supplier<T> meaning) {
    try {
      return meaning.get();
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec().commandLine(), message);
  }

  private CommandSpec spec() {
    if (spec == null) {
      throw new IllegalStateException("the command line was not set up");
    }
    return spec;
  }
}
