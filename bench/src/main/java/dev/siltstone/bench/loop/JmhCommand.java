package dev.siltstone.bench.loop;

import dev.siltstone.bench.report.Build;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code siltstone bench jmh}. */
@Command(
    name = "jmh",
    description = "Times the inner loops of the engine by JMH: mean nanoseconds of a call.",
    mixinStandardHelpOptions = true,
    versionProvider = Build.Version.class,
    sortOptions = false)
public final class JmhCommand implements Callable<Integer> {
  private static final String PACKAGE = JmhCommand.class.getPackageName() + ".";
  private static final int ITERATIONS_QUICK = 3;
  private static final int ITERATIONS = 5;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "PATTERN",
      arity = "0..1",
      defaultValue = "",
      description = "Regular expression that the names must match in part. Default: all.")
  private String pattern = "";

  @Option(names = "--list", description = "Only lists the names.")
  private boolean list;

  @Option(names = "--quick", description = "One JVM and 3 iterations each, instead of 2 and 5.")
  private boolean quick;

  @Option(
      names = "--forks",
      paramLabel = "N",
      description = "JVMs for each; 0 runs them in this one, which JMH advises against.")
  private @Nullable Integer forks;

  @Option(
      names = "--time",
      paramLabel = "MILLIS",
      defaultValue = "1000",
      description = "Length of an iteration in milliseconds. Default: ${DEFAULT-VALUE}.")
  private int millis = 1000;

  @Option(names = "--profile", paramLabel = "NAME", description = "A profiler of JMH, such as gc.")
  private @Nullable String profiler;

  @Option(names = "--json", paramLabel = "FILE", description = "Also write JMH's own JSON.")
  private @Nullable Path json;

  @Override
  public Integer call() throws RunnerException {
    List<String> names = names();
    if (names.isEmpty()) {
      throw wrong("no loop matches \"" + pattern + "\": bench jmh --list names them");
    }
    if (list) {
      PrintWriter out = commandSpec().commandLine().getOut();
      names.forEach(out::println);
      return 0;
    }
    int iterations = quick ? ITERATIONS_QUICK : ITERATIONS;
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .forks(forks != null ? forks : quick ? 1 : 2)
            .warmupIterations(iterations)
            .warmupTime(TimeValue.milliseconds(millis))
            .measurementIterations(iterations)
            .measurementTime(TimeValue.milliseconds(millis))
            .shouldFailOnError(true);
    names.forEach(name -> options.include(Pattern.quote(PACKAGE + name) + "$"));
    if (profiler != null) {
      options.addProfiler(profiler);
    }
    if (json != null) {
      options.resultFormat(ResultFormatType.JSON).result(json.toString());
    }
    new Runner(options.build()).run();
    return 0;
  }

  /** Names of the loops that match, without their package. */
  private List<String> names() {
    try {
      Pattern wanted = Pattern.compile(pattern);
      TreeSet<String> names = new TreeSet<>();
      for (BenchmarkListEntry entry :
          BenchmarkList.defaultList()
              .getAll(
                  OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT),
                  List.of())) {
        String name = entry.getUsername().substring(PACKAGE.length());
        if (wanted.matcher(name).find()) {
          names.add(name);
        }
      }
      return List.copyOf(names);
    } catch (PatternSyntaxException e) {
      throw wrong("not a regular expression: " + e.getMessage());
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(commandSpec().commandLine(), message);
  }

  private CommandSpec commandSpec() {
    if (spec == null) {
      throw new IllegalStateException("the command line was not set up");
    }
    return spec;
  }
}
