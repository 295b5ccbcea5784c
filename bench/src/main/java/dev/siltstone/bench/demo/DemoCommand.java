package dev.siltstone.bench.demo;

import dev.siltstone.base.time.Clock;
import dev.siltstone.base.time.SystemClock;
import dev.siltstone.bench.report.Build;
import dev.siltstone.bench.report.Checkout;
import dev.siltstone.bench.report.Terminal;
import dev.siltstone.bench.report.Units;
import dev.siltstone.bench.store.Engine;
import dev.siltstone.bench.store.StoreConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code siltstone demo}. */
@Command(
    name = "demo",
    description =
        "Runs the founding experiments on an embedded store, prints tables, writes a report, and"
            + " leaves the stores to look around in.",
    mixinStandardHelpOptions = true,
    versionProvider = Build.Version.class,
    sortOptions = false)
public final class DemoCommand implements Callable<Integer> {
  private static final String CORPUS = "../shared/corpus/leveldb";
  private static final long FULL_FREE_BYTES = 6L << 30;
  private static final long QUICK_FREE_BYTES = 1L << 30;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--quick",
      description = "100,000 pairs and 5 s of time series instead of 1,000,000 and 60 s.")
  private boolean quick;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Where the stores go; new or empty. Default: a new folder below target/.")
  private @Nullable Path dir;

  @Option(names = "--json", paramLabel = "FILE", description = "Also write the figures as JSON.")
  private @Nullable Path json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Where the report goes. Default: report.html in the folder of the stores.")
  private @Nullable Path html;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      defaultValue = "siltstone",
      description = "Run another engine (see bench list). Default: ${DEFAULT-VALUE}.")
  private String engineName = "siltstone";

  @Override
  public Integer call() throws IOException, InterruptedException {
    Clock clock = new SystemClock();
    PrintWriter out = commandLine().getOut();
    Checkout checkout = Checkout.find();
    Engine engine = Engine.of(engineName);
    if (!engine.has(Engine.Feature.DESCENDING)) {
      throw wrong(engine.label() + " cannot scan backward, which the time series needs");
    }
    Path directory = directory(checkout, clock);
    Demo.Scale scale = quick ? Demo.Scale.QUICK : Demo.Scale.FULL;
    List<Dumps.Dump> dumps = Dumps.find(checkout.root().resolve(CORPUS).normalize());
    StoreConfig config = StoreConfig.DEFAULT;
    out.println(
        "Demo of %s (%s) in %s".formatted(engine.label(), engine.settings(config), directory));
    DemoResult result =
        new Demo(folder -> engine.open(folder, config), clock, out, Terminal.isTerminal(), scale)
            .run(directory, dumps, engine.label(), engine.settings(config));
    Path report = html == null ? directory.resolve("report.html") : html;
    Files.writeString(report, DemoView.html(result));
    if (json != null) {
      Files.writeString(json, result.json());
    }
    out.println("Report   " + report.toAbsolutePath());
    if (json != null) {
      out.println("Figures  " + json.toAbsolutePath());
    }
    next(out, checkout, directory);
    return result.right() ? 0 : 1;
  }

  /** Where the stores go: there, empty, on a disk with room. */
  private Path directory(Checkout checkout, Clock clock) throws IOException {
    Path chosen =
        dir == null ? checkout.scratch().resolve("demo-" + stamp(clock)) : dir.toAbsolutePath();
    if (Files.isDirectory(chosen)) {
      try (DirectoryStream<Path> inside = Files.newDirectoryStream(chosen)) {
        if (inside.iterator().hasNext()) {
          throw wrong(chosen + " is not empty: name a new folder, or empty it");
        }
      }
    } else if (Files.exists(chosen)) {
      throw wrong(chosen + " is a file: name a new folder");
    }
    Files.createDirectories(chosen);
    long needed = quick ? QUICK_FREE_BYTES : FULL_FREE_BYTES;
    long free = Files.getFileStore(chosen).getUsableSpace();
    if (free < needed) {
      throw wrong(
          "%s has %s free and the demo may take %s: make room, name a folder on another disk with"
                  .formatted(chosen, Units.bytes(free), Units.bytes(needed))
              + " --dir"
              + (quick ? "" : ", or take --quick"));
    }
    return chosen;
  }

  private static String stamp(Clock clock) {
    return DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")
        .withZone(ZoneId.systemDefault())
        .format(Instant.ofEpochSecond(clock.wallMicros() / 1_000_000));
  }

  private static void next(PrintWriter out, Checkout checkout, Path directory) {
    out.println(
        """

        Next
          %1$s bench compare --quick       the same machine, other engines beside ours
          %1$s help                        what can be done with the stores in
                                              %2$s
          rm -r %2$s   when you have seen enough\
        """
            .formatted(checkout.command(), directory));
  }

  private ParameterException wrong(String message) {
    return new ParameterException(commandLine(), message);
  }

  private CommandLine commandLine() {
    if (spec == null) {
      throw new IllegalStateException("the command line was not set up");
    }
    return spec.commandLine();
  }
}
