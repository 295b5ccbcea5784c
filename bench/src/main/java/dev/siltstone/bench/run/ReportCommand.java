package dev.siltstone.bench.run;

import dev.siltstone.bench.report.Build;
import dev.siltstone.bench.result.Results;
import dev.siltstone.bench.result.ResultsPage;
import dev.siltstone.bench.result.ResultsReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code siltstone bench report}. */
@Command(
    name = "report",
    description =
        "Makes one HTML page, with plots and without addresses, of files that --json wrote; of"
            + " several it also shows the course from file to file.",
    mixinStandardHelpOptions = true,
    versionProvider = Build.Version.class,
    sortOptions = false)
public final class ReportCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "FILE", arity = "1..*", description = "Files that --json wrote.")
  private List<Path> files = List.of();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "HTML",
      required = true,
      description = "Where the page goes.")
  private @Nullable Path output;

  @Override
  public Integer call() throws IOException {
    if (spec == null || output == null) {
      throw new IllegalStateException("the command line was not set up");
    }
    Map<String, Results> results = new LinkedHashMap<>();
    for (Path file : files) {
      results.put(name(file, results), ResultsReader.read(file));
    }
    Files.writeString(output, ResultsPage.render(results));
    spec.commandLine().getOut().println("Report   " + output.toAbsolutePath());
    return 0;
  }

  /** The name of a file, made different from those before it. */
  private static String name(Path file, Map<String, Results> taken) {
    String name = String.valueOf(file.getFileName()).replaceFirst("\\.json$", "");
    String free = name;
    for (int i = 2; taken.containsKey(free); i++) {
      free = name + " (" + i + ")";
    }
    return free;
  }
}
