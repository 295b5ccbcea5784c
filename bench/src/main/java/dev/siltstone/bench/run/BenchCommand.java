package dev.siltstone.bench.run;

import dev.siltstone.bench.report.Build;
import dev.siltstone.bench.report.Table;
import dev.siltstone.bench.store.Engine;
import dev.siltstone.bench.work.Workload;
import dev.siltstone.bench.work.Workloads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec().commandLine(), "say what to do: compare, run, memory or list");
  }

  @Command(
      name = "compare",
      description =
          "Runs workloads on our engine and on others in turn and prints both rates and their"
              + " ratio.",
      mixinStandardHelpOptions = true,
      versionProvider = Build.Version.class,
      sortOptions = false)
  int compare(
      @Parameters(
              paramLabel = "WORKLOAD",
              arity = "0..*",
              description = "What to run, in this order. Default: all but fillbatch.")
          @Nullable List<String> names,
      @Option(
              names = "--against",
              split = ",",
              paramLabel = "ENGINE",
              defaultValue = "rocksdbjni,iq80,lmdbjava",
              description = "Engines beside ours, by comma. Default: ${DEFAULT-VALUE}.")
          List<String> against,
      @Option(
              names = "--engine",
              paramLabel = "ENGINE",
              defaultValue = OURS,
              description = "The engine they are compared with. Default: ${DEFAULT-VALUE}.")
          String ours,
      @Mixin RunOptions options)
      throws IOException, InterruptedException {
    List<Engine> engines = new ArrayList<>(List.of(engine(ours)));
    for (String other : against) {
      Engine engine = engine(other);
      if (!engines.contains(engine)) {
        engines.add(engine);
      }
    }
    return run(engines, names, options);
  }

  @Command(
      name = "run",
      description = "Runs workloads on one engine.",
      mixinStandardHelpOptions = true,
      versionProvider = Build.Version.class,
      sortOptions = false)
  int runOne(
      @Parameters(
              paramLabel = "WORKLOAD",
              arity = "0..*",
              description = "What to run, in this order. Default: all but fillbatch.")
          @Nullable List<String> names,
      @Option(
              names = "--engine",
              paramLabel = "ENGINE",
              defaultValue = OURS,
              description = "The engine. Default: ${DEFAULT-VALUE}.")
          String engine,
      @Mixin RunOptions options)
      throws IOException, InterruptedException {
    return run(List.of(engine(engine)), names, options);
  }

  @Command(
      name = "list",
      description = "Lists the workloads and the engines.",
      mixinStandardHelpOptions = true,
      versionProvider = Build.Version.class)
  int list() {
    Table workloads = new Table("workload", "what is done and counted");
    for (Workload workload : Workloads.all()) {
      workloads.row(workload.spec().name(), workload.spec().about());
    }
    Table engines = new Table("engine", "what it is, and its settings here");
    for (Engine engine : Engine.values()) {
      engines.row(engine.label(), engine.about());
    }
    spec().commandLine().getOut().print(workloads.text() + "\n" + engines.text());
    return 0;
  }

  private int run(List<Engine> engines, @Nullable List<String> names, RunOptions options)
      throws IOException, InterruptedException {
    return new BenchRun(engines, workloads(names), options, spec().commandLine().getOut()).run();
  }

  private List<Workload> workloads(@Nullable List<String> names) {
    if (names == null || names.isEmpty()) {
      return Workloads.usual();
    }
    List<Workload> workloads = new ArrayList<>();
    for (String name : names) {
      try {
        workloads.add(Workloads.of(name));
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec().commandLine(), e.getMessage(), e);
      }
    }
    return workloads;
  }

  private Engine engine(String name) {
    try {
      return Engine.of(name);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec().commandLine(), e.getMessage(), e);
    }
  }

  private CommandSpec spec() {
    if (spec == null) {
      throw new IllegalStateException("the command line was not set up");
    }
    return spec;
  }
}
