package dev.siltstone.tools;

import dev.siltstone.base.time.SystemClock;
import dev.siltstone.engine.DbException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The {@code siltstone} command: puts the commands together, runs one, and says in one line what
 * went wrong.
 *
 * <p>Exit status: 0 for success; 1 for a command that failed, that found damage or bad data, or
 * that found no such key; 2 for one that was not understood.
 */
@Command(
    name = "siltstone",
    description = "Looks into Siltstone stores, fills them and checks them.",
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "<command>",
    sortOptions = false)
public final class Main {
  /** System property, set by the launcher: whether the standard error is a terminal. */
  private static final String TERMINAL_PROPERTY = "siltstone.terminal";

  @Option(names = "--version", versionHelp = true, description = "Print the version and leave.")
  @SuppressWarnings("UnusedVariable") // Picocli sees it, and leaves.
  private boolean version;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Explain the command and leave.")
  @SuppressWarnings("UnusedVariable") // Picocli sees it, and leaves.
  private boolean help;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "On a failure, print the stack trace too.")
  private boolean debug;

  /** Whether a program reads the answer. Known before the arguments are understood. */
  private final boolean json;

  private Main(boolean json) {
    this.json = json;
  }

  /**
   * Runs one command and ends the process with its exit status.
   *
   * @param args the command and its arguments
   */
  public static void main(String[] args) {
    Terminal terminal =
        new Terminal(
            System.in,
            new Output(new FileOutputStream(FileDescriptor.out)),
            new PrintWriter(System.err, true, StandardCharsets.UTF_8),
            Boolean.getBoolean(TERMINAL_PROPERTY),
            new SystemClock());
    System.exit(run(terminal, args));
  }

  /** Runs one command and returns its exit status. */
  static int run(Terminal terminal, String... args) {
    Main main = new Main(List.of(args).contains("--json"));
    CommandLine line = main.commandLine(terminal);
    if (args.length == 0) {
      line.usage(terminal.err());
      return ExitCodes.USAGE;
    }
    try {
      int status = line.execute(args);
      if (!terminal.out().isBroken()) {
        terminal.out().flush();
      }
      return status;
    } catch (IOException e) {
      return main.fail(terminal, e);
    } catch (OutOfMemoryError e) {
      return main.fail(
          terminal,
          new CommandException(
              "out of memory with a heap of "
                  + Units.bytes(Runtime.getRuntime().maxMemory())
                  + "; give it more: SILTSTONE_JAVA_OPTS=-Xmx4g",
              e));
    }
  }

  private CommandLine commandLine(Terminal terminal) {
    CommandLine line = new CommandLine(this);
    for (Object command : Commands.all(terminal)) {
      line.addSubcommand(command);
    }
    Commands.arrangeHelp(line);
    return line.registerConverter(KeyText.class, KeyText::parse)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExpandAtFiles(false)
        .setOut(new PrintWriter(terminal.out(), true, StandardCharsets.UTF_8))
        .setErr(terminal.err())
        .setParameterExceptionHandler((failure, _) -> notUnderstood(terminal, failure))
        .setExecutionExceptionHandler((failure, command, _) -> failed(terminal, failure, command));
  }

  private int notUnderstood(Terminal terminal, ParameterException failure) {
    String command = failure.getCommandLine().getCommandSpec().qualifiedName();
    String what = String.valueOf(failure.getMessage());
    if (failure instanceof UnmatchedArgumentException unmatched
        && failure.getCommandLine().getParent() == null) {
      List<String> suggestions = unmatched.getSuggestions();
      what =
          "no command '"
              + unmatched.getUnmatched().getFirst()
              + "'"
              + (suggestions.isEmpty() ? "" : "; did you mean " + suggestions.getFirst() + "?");
    }
    tell(terminal, command, what + "; see '" + command + " --help'");
    return ExitCodes.USAGE;
  }

  private int failed(Terminal terminal, Exception failure, CommandLine command) {
    return failure instanceof TypeConversionException
        ? notUnderstood(
            terminal, new ParameterException(command, String.valueOf(failure.getMessage())))
        : fail(terminal, failure);
  }

  /** Says what went wrong, unless it is that nobody reads the answer. */
  private int fail(Terminal terminal, Exception failure) {
    boolean isUnread =
        failure instanceof Output.BrokenException
            && String.valueOf(failure.getMessage()).contains("Broken pipe");
    if (!isUnread) {
      tell(terminal, "siltstone", message(failure));
    }
    if (debug) {
      failure.printStackTrace(terminal.err());
    }
    return ExitCodes.FAILED;
  }

  private void tell(Terminal terminal, String who, String what) {
    terminal.note(
        json
            ? new JsonWriter().object().member("error", what).end().toString()
            : who + ": " + what);
  }

  /** What happened, where, and what to do, on one line. */
  private static String message(Exception failure) {
    String what = failure.getMessage();
    String known = what == null ? failure.toString() : what.replace('\n', ' ');
    return switch (failure) {
      case DbException.Busy _ ->
          known + "; stop that process, or use a reading command, which needs no lock";
      case DbException.Corrupt _ ->
          known + "; 'siltstone verify' tells of all damage, nothing was changed";
      case DbException.DurabilityLost _ ->
          known + "; what was written last may not survive a power loss, see the disk's health";
      case DbException _,
          CommandException _,
          Output.BrokenException _,
          IllegalArgumentException _ ->
          known;
      case IOException _ -> failure.getClass().getSimpleName() + ": " + known;
      default -> failure + "; this is a mistake of the program, --debug tells more";
    };
  }

  /** Reads the version that the build wrote beside this class. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
      try (@Nullable InputStream in = Main.class.getResourceAsStream("version.txt")) {
        if (in == null) {
          throw new IOException("version.txt is missing from the jar of the tools");
        }
        String version = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        return new String[] {"siltstone " + version, "Java " + Runtime.version()};
      }
    }
  }
}
