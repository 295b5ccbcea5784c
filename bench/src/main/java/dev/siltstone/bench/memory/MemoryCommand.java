package dev.siltstone.bench.memory;

import dev.siltstone.bench.report.Build;
import dev.siltstone.bench.report.Checkout;
import dev.siltstone.bench.run.Directories;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code siltstone bench memory}. */
@Command(
    name = "memory",
    description =
        "Runs our engine in JVMs with little memory, checks every answer, and prints what it took.",
    mixinStandardHelpOptions = true,
    versionProvider = Build.Version.class,
    sortOptions = false)
public final class MemoryCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "TRIAL",
      arity = "0..*",
      description =
          "smallheap, many, largevalue, largebatch, largefile or mixed. Default: all but mixed.")
  private @Nullable List<String> names;

  @Option(
      names = "--heap",
      paramLabel = "MIB",
      description = "Heap of the JVM. Default: the trial's own.")
  private @Nullable Integer heapMib;

  @Option(
      names = "--num",
      paramLabel = "N",
      description = "How many entries. Default: the trial's own.")
  private @Nullable Long entries;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "How long mixed goes on. Default: 1.")
  private @Nullable Integer minutes;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Where the stores go while it runs. Default: a folder below target/.")
  private @Nullable Path dir;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path directory = dir == null ? Checkout.find().scratch().resolve("memory") : dir;
    PrintWriter out = commandSpec().commandLine().getOut();
    for (Trials trial : trials()) {
      Trial.Size own = trial.size();
      Trial.Size size =
          new Trial.Size(
              entries == null ? own.entries() : entries,
              minutes == null ? own.seconds() : 60L * minutes);
      int heap = heapMib == null ? trial.heapMib() : heapMib;
      List<String> jvm = trial.jvm(heap);
      out.println("%s, %s: %s".formatted(trial.label(), String.join(" ", jvm), trial.about()));
      Path folder = directory.resolve(trial.label());
      Directories.renew(folder);
      try {
        TrialProcess.run(trial, size, folder, jvm, out::println);
      } finally {
        Directories.delete(folder);
      }
    }
    return 0;
  }

  private List<Trials> trials() {
    if (names == null || names.isEmpty()) {
      return Trials.usual();
    }
    List<Trials> trials = new ArrayList<>();
    for (String name : names) {
      try {
        trials.add(Trials.of(name));
      } catch (IllegalArgumentException e) {
        throw new ParameterException(commandSpec().commandLine(), e.getMessage(), e);
      }
    }
    return trials;
  }

  private CommandSpec commandSpec() {
    if (spec == null) {
      throw new IllegalStateException("the command line was not set up");
    }
    return spec;
  }
}
