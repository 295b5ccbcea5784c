package dev.siltstone.tools;

import dev.siltstone.base.time.SystemClock;
import dev.siltstone.engine.DbException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
 * that found no such key; 2 for one that has to be typed differently, which has changed nothing.
 * With {@code --json} the line about a failure is an object.
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

  /** System property, set by the launcher: the commit of the checkout; unset if nobody knows. */
  private static final String COMMIT_PROPERTY = "siltstone.commit";

  /** What Java puts in the place of bytes that it cannot read. */
  private static final char UNREADABLE = '\uFFFD';

  /** A command that does not end by then, since its input stands still, is ended where it is. */
  private static final int STOP_SECONDS_MAX = 5;

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

  /** Whether a program reads the answers; told from the words, which may not be understood. */
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
    Interrupt interrupt = new Interrupt();
    Terminal terminal =
        new Terminal(
            System.in,
            new Output(new FileOutputStream(FileDescriptor.out)),
            new PrintWriter(System.err, true, StandardCharsets.UTF_8),
            Boolean.getBoolean(TERMINAL_PROPERTY),
            new SystemClock(),
            interrupt);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(terminal)));
    int status = run(terminal, args);
    interrupt.end();
    System.exit(status);
  }

  /** Lets a command that was interrupted end in order. After its own end there is nothing to do. */
  private static void stop(Terminal terminal) {
    terminal.interrupt().request();
    terminal.interrupt().awaitEnd(STOP_SECONDS_MAX, TimeUnit.SECONDS);
  }

  /** Runs one command and returns its exit status. */
  static int run(Terminal terminal, String... args) {
    Main main = new Main(asksForJson(args));
    CommandLine line = main.commandLine(terminal);
    if (args.length == 0) {
      line.usage(terminal.err());
      return ExitCodes.USAGE;
    }
    try {
      requireText(args);
      int status = line.execute(args);
      IOException broken = terminal.out().failure();
      if (broken == null) {
        terminal.out().flush();
      } else if (status == ExitCodes.OK) {
        // Picocli prints help and version through a writer that swallows it.
        return main.fail(terminal, broken);
      }
      return status;
    } catch (IOException | CommandException e) {
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

  private static boolean asksForJson(String... args) {
    return Arrays.stream(args).takeWhile(word -> !word.equals("--")).anyMatch("--json"::equals);
  }

  /**
   * Refuses words that are not text. Java has put U+FFFD in the place of bytes that are not in the
   * encoding of the locale, and what they were is lost: the command would work on another key or
   * another file.
   */
  private static void requireText(String... args) {
    for (String word : args) {
      if (word.indexOf(UNREADABLE) >= 0) {
        throw CommandException.usage(
            "'"
                + word
                + "' has bytes that are not text in the encoding of the locale, which should be"
                + " UTF-8; type a key or a value in hex, as 0xff, and give a file or a directory"
                + " another name");
      }
    }
  }

  /**
   * A path; an empty one, as of a shell variable that is not set, would be the present directory.
   */
  private static Path path(String text) {
    if (text.isEmpty()) {
      throw new TypeConversionException("the path is empty; . is the present directory");
    }
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }

  private CommandLine commandLine(Terminal terminal) {
    CommandLine line = new CommandLine(this);
    for (Object command : Commands.all(terminal)) {
      line.addSubcommand(command);
    }
    Commands.arrangeHelp(line);
    return line.registerConverter(KeyText.class, KeyText::parse)
        .registerConverter(Path.class, Main::path)
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
    } else if (failure instanceof UnmatchedArgumentException unmatched
        && unmatched.getUnmatched().stream().anyMatch(word -> word.startsWith("--encoding"))) {
      what += "; --encoding is for load and dump, elsewhere --format says how bytes are printed";
    }
    tell(terminal, command, what + "; see '" + command + " --help'", ExitCodes.USAGE, failure);
    return ExitCodes.USAGE;
  }

  /** The one line about a failure. */
  private void tell(Terminal terminal, String who, String what, int status, Exception failure) {
    String line = ApiWords.inCommands(what.replace('\n', ' '));
    if (!json) {
      terminal.note(who + ": " + line);
      if (debug) {
        failure.printStackTrace(terminal.err());
      }
      return;
    }
    JsonWriter object = new JsonWriter().object().member("error", line).member("status", status);
    if (debug) {
      StringWriter trace = new StringWriter();
      failure.printStackTrace(new PrintWriter(trace, true));
      object.member("trace", trace.toString());
    }
    terminal.note(object.end().toString());
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
    int status = failure instanceof CommandException command ? command.status() : ExitCodes.FAILED;
    if (!isUnread) {
      tell(terminal, "siltstone", message(failure), status, failure);
    }
    return status;
  }

  /** What happened, where, and what to do, on one line. */
  private static String message(Exception failure) {
    String what = failure.getMessage();
    String known = what == null ? failure.toString() : what;
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
      case NoSuchFileException _ -> "no file or directory " + known + "; check the path";
      case AccessDeniedException _ -> "no permission for " + known + "; see its owner and its mode";
      case IOException _ -> "reading or writing failed: " + known;
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
        String commit = System.getProperty(COMMIT_PROPERTY, "");
        return new String[] {
          "siltstone " + version + (commit.isEmpty() ? "" : ", commit " + commit),
          "Java " + Runtime.version() + ", " + System.getProperty("java.home")
        };
      }
    }
  }
}
