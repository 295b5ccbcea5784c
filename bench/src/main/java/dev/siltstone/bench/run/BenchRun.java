package dev.siltstone.bench.run;

import dev.siltstone.base.time.Clock;
import dev.siltstone.base.time.SystemClock;
import dev.siltstone.bench.report.Checkout;
import dev.siltstone.bench.report.Machine;
import dev.siltstone.bench.report.Progress;
import dev.siltstone.bench.report.Table;
import dev.siltstone.bench.report.Terminal;
import dev.siltstone.bench.report.Units;
import dev.siltstone.bench.result.ResultTables;
import dev.siltstone.bench.result.Results;
import dev.siltstone.bench.result.ResultsJson;
import dev.siltstone.bench.result.ResultsPage;
import dev.siltstone.bench.result.Summary;
import dev.siltstone.bench.store.Engine;
import dev.siltstone.bench.work.Plan;
import dev.siltstone.bench.work.Work;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One call of a command that runs works, from its options to what it prints. */
final class BenchRun {
  private final List<Engine> engines;
  private final List<Work> works;
  private final Comparison.Scale scale;
  private final RunOptions options;
  private final Clock clock = new SystemClock();
  private final PrintWriter out;

  BenchRun(
      List<Engine> engines,
      List<Work> works,
      Comparison.Scale scale,
      RunOptions options,
      PrintWriter out) {
    this.engines = engines;
    this.works = works;
    this.scale = scale;
    this.options = options;
    this.out = out;
  }

  /** Runs, prints, writes files; gives the exit status. */
  int run() throws IOException, InterruptedException {
    Path directory = directory();
    Results results = measure(directory);
    print(results);
    if (options.json != null) {
      Files.writeString(options.json, ResultsJson.write(results));
      out.println("Figures  " + options.json.toAbsolutePath());
    }
    if (options.html != null) {
      Files.writeString(options.html, ResultsPage.render(Map.of("this run", results)));
      out.println("Report   " + options.html.toAbsolutePath());
    }
    boolean absent = !results.engines().getFirst().absent().isEmpty();
    return results.failed() || absent ? 1 : 0;
  }

  private Results measure(Path directory) throws IOException, InterruptedException {
    Comparison comparison = new Comparison(engines, works, scale);
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
    return new Results(
        facts,
        setup(),
        comparison.engines(),
        works.stream()
            .map(work -> new Results.WorkFacts(work.spec().name(), work.spec().about()))
            .toList(),
        comparison.runs());
  }

  private Map<String, String> setup() {
    Plan plan = scale.plans().getFirst();
    List<String> sizes = scale.plans().stream().map(each -> Units.whole(each.entries())).toList();
    List<String> reads = scale.plans().stream().map(each -> Units.whole(each.reads())).toList();
    Map<String, String> setup = new LinkedHashMap<>();
    setup.put(
        "data",
        "%s entries, 16-byte keys, %d-byte values that compress to about half; %s reads; seed %d"
            .formatted(
                String.join(" / ", sizes),
                plan.valueBytes(),
                String.join(" / ", reads),
                plan.seed()));
    setup.put(
        "runs",
        ("%d, engines taking turns at every workload; before %s a warm-up with a fifth of the data,"
                + " 200,000 entries at least; cut after %s")
            .formatted(
                scale.rounds(),
                scale.fork() ? "each, in new JVMs," : "the first",
                Units.span(scale.capSeconds())));
    return setup;
  }

  private void print(Results results) {
    ResultTables tables = new ResultTables(new Summary(results));
    print("", tables.rates());
    print("Failures", tables.failures());
    print("Time of an operation, by entries in the store", tables.growth());
    print("Noise of the rounds", tables.noise());
    print("Latencies", tables.latencies());
    print("Disk and memory right after each workload", tables.space());
    print("Further figures", tables.figures());
    out.println();
    print(tables.setup());
    print(results.machine());
  }

  private void print(String heading, Table table) {
    if (!table.isEmpty()) {
      out.println();
      if (!heading.isEmpty()) {
        out.println(heading);
        out.println();
      }
      out.print(table.text());
    }
  }

  private void print(Map<String, String> facts) {
    facts.forEach((name, fact) -> out.println("  %-18s %s".formatted(name, fact)));
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
}
