package dev.siltstone.tools;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/// The `siltstone` command. It only routes: each subcommand is a class of its own.
///
/// Exit status: 0 for success, 1 for a command that failed, 2 for one that was not understood.
@Command(
    name = "siltstone",
    description = "Looks into Siltstone stores, checks and serves them.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "<command>",
    subcommands = CommandLine.HelpCommand.class)
public final class Main {
  private Main() {}

  /// Runs one command and ends the process with its exit status.
  ///
  /// @param args the command and its arguments
  public static void main(String[] args) {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int status = run(out, err, args);
    out.flush();
    err.flush();
    System.exit(status);
  }

  /// Runs one command, writing to the given writers, and returns its exit status.
  static int run(PrintWriter out, PrintWriter err, String... args) {
    CommandLine line = new CommandLine(new Main()).setOut(out).setErr(err);
    if (args.length == 0) {
      line.usage(err);
      return CommandLine.ExitCode.USAGE;
    }
    return line.execute(args);
  }

  /// Reads the version that the build wrote beside this class.
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
      try (InputStream in = Main.class.getResourceAsStream("version.txt")) {
        if (in == null) {
          throw new IOException("version.txt is missing from the jar of the tools");
        }
        String version = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        return new String[] {"siltstone " + version, "Java " + Runtime.version()};
      }
    }
  }
}
