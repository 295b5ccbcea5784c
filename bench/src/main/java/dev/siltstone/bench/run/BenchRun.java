package dev.siltstone.bench.run;

import dev.siltstone.base.time.Clock;
import dev.siltstone.base.time.SystemClock;
import dev.siltstone.bench.report.Checkout;
import dev.siltstone.bench.report.Machine;
import dev.siltstone.bench.report.Progress;
import dev.siltstone.bench.report.Terminal;
import dev.siltstone.bench.store.Engine;
import dev.siltstone.bench.work.Workload;
import dev.siltstone.bench.work.Workloads;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** One call of {@code bench run} or {@code bench compare}, from its options to what it prints. */
final class BenchRun {
  private final List<Engine> engines;
  private final List<Workload> workloads;
  private final RunOptions options;
  private final Clock clock = new SystemClock();
  private final PrintWriter out;

  BenchRun(List<Engine> engines, List<Workload> workloads, RunOptions options, PrintWriter out) {
    this.engines = engines;
    this.workloads = workloads;
    this.options = options;
    this.out = out;
  }

  /** Runs, prints, writes files; gives the exit status. */
  int run() throws IOException, InterruptedException {
    Path directory = directory();
    Comparison comparison = new Comparison(engines, workloads, options.scale());
    Map<String, String> facts = Machine.facts(directory, clock);
    Thread cleaner = Thread.ofPlatform().unstarted(() -> clean(directory));
    Runtime.getRuntime().addShutdownHook(cleaner);
    Progress progress = new Progress(out, Terminal.isTerminal(), clock, comparison.weight());
    try {
      comparison.run(options.config(), directory, options.heap(engines.size()), progress);
    } finally {
      progress.finish();
      Runtime.getRuntime().removeShutdownHook(cleaner);
      Directories.delete(directory);
    }
    out.println();
    out.print(ComparisonView.rates(comparison).text());
    out.println();
    out.print(ComparisonView.details(comparison).text());
    out.println();
    print(ComparisonView.setup(comparison));
    print(facts);
    if (options.json != null) {
      Files.writeString(options.json, ComparisonView.json(comparison, facts));
      out.println("Figures  " + options.json.toAbsolutePath());
    }
    if (options.html != null) {
      Files.writeString(options.html, ComparisonView.html(comparison, facts));
      out.println("Report   " + options.html.toAbsolutePath());
    }
    return failed(comparison) ? 1 : 0;
  }

  /** When a person ends the run: ends the engines, and leaves none of their gigabytes behind. */
  private static void clean(Path directory) {
    ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
    try {
      Directories.delete(directory);
    } catch (IOException e) {
      // The process ends; what is left lies in target/ or where the user said.
    }
  }

  /** A folder that no other run uses; deleted at the end. */
  private Path directory() throws IOException {
    Path above = options.dir == null ? Checkout.find().scratch() : options.dir;
    Files.createDirectories(above);
    return Files.createTempDirectory(above.toAbsolutePath(), "bench-");
  }

  private void print(Map<String, String> facts) {
    facts.forEach((name, fact) -> out.println("  %-18s %s".formatted(name, fact)));
  }

  private static boolean failed(Comparison comparison) {
    for (Comparison.Row row : comparison.rows()) {
      Workload workload = Workloads.of(row.workload());
      if (row.outcome() == null
          && row.engine().features().containsAll(workload.spec().features())) {
        return true;
      }
    }
    return false;
  }
}
