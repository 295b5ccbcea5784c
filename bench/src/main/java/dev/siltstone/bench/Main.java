package dev.siltstone.bench;

import dev.siltstone.bench.demo.DemoCommand;
import dev.siltstone.bench.loop.JmhCommand;
import dev.siltstone.bench.memory.MemoryCommand;
import dev.siltstone.bench.report.Build;
import dev.siltstone.bench.run.BenchCommand;
import dev.siltstone.bench.run.ReportCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The commands {@code demo} and {@code bench} of {@code siltstone}.
 *
 * <p>Exit status: 0 for success, 1 for a run that failed or an answer that was wrong, 2 for a
 * command that was not understood.
 */
@Command(
    name = "siltstone",
    description = "Shows what the engine does, and measures it beside others.",
    mixinStandardHelpOptions = true,
    versionProvider = Build.Version.class,
    synopsisSubcommandLabel = "<command>",
    subcommands = DemoCommand.class)
public final class Main {
  private Main() {}

  /** Runs one command and ends the process with its exit status. */
  public static void main(String[] args) {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int status = run(out, err, args);
    out.flush();
    err.flush();
    System.exit(status);
  }

  /** Runs one command and returns its exit status. */
  static int run(PrintWriter out, PrintWriter err, String... args) {
    CommandLine line =
        new CommandLine(new Main())
            .addSubcommand(bench())
            .setOut(out)
            .setErr(err)
            .setExecutionExceptionHandler(
                (failure, command, _) -> {
                  command.getErr().println("siltstone: " + message(failure));
                  return CommandLine.ExitCode.SOFTWARE;
                });
    if (args.length == 0) {
      line.usage(err);
      return CommandLine.ExitCode.USAGE;
    }
    return line.execute(args);
  }

  /** Put together here, since the command below uses the package of the one above. */
  private static CommandLine bench() {
    return new CommandLine(new BenchCommand())
        .addSubcommand(new ReportCommand())
        .addSubcommand(new JmhCommand())
        .addSubcommand(new MemoryCommand());
  }

  /** What a person reads of a failure; a mistake of the program itself keeps its stack trace. */
  private static String message(Exception failure) {
    @Nullable String text = failure.getMessage();
    return text == null ? failure.toString() : text;
  }
}
