package dev.siltstone.testkit.golden;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.WritableFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Runs the cases of a text file, in order, and compares what each gives with what the file says.
 *
 * <pre>
 *   # A comment, kept when the file is rewritten. So are empty lines between cases.
 *   command argument key=value
 *   any lines of input
 *   ----
 *   the expected output, up to an empty line
 *
 *   command
 *   ----
 *   ----
 *   output with empty lines
 *
 *   in it, up to the same two lines
 *   ----
 *   ----
 * </pre>
 *
 * <p>With the system property {@value #REWRITE} set to true, the file is written anew with what the
 * commands gave, and the difference is for the reviewer of the change. The form is that of the
 * data-driven tests of CockroachDB and Pebble.
 */
public final class GoldenTest {
  /** System property: write the files instead of comparing. */
  public static final String REWRITE = "siltstone.rewrite";

  private static final String FENCE = "----";

  private final Path file;
  private final Command command;
  private final List<String> lines;
  private final StringBuilder rewritten = new StringBuilder();
  private final List<String> differences = new ArrayList<>();
  private int at;

  private GoldenTest(Path file, List<String> lines, Command command) {
    this.file = file;
    this.lines = lines;
    this.command = command;
  }

  /** What a case of a file runs. */
  @FunctionalInterface
  public interface Command {
    /** The output of a case; a line feed at its end is added if it is missing. */
    String run(Case input) throws Exception;
  }

  /**
   * One case.
   *
   * @param command the first word
   * @param arguments the other words
   * @param input the lines between the command and the fence, each with its line feed
   * @param line number of the command's line in the file, from 1
   */
  public record Case(String command, List<String> arguments, String input, int line) {
    /** Keeps a copy of the arguments. */
    public Case {
      arguments = List.copyOf(arguments);
    }

    /** The value of the argument {@code name=value}, or {@code otherwise}. */
    public String argument(String name, String otherwise) {
      for (String argument : arguments) {
        if (argument.startsWith(name + "=")) {
          return argument.substring(name.length() + 1);
        }
      }
      return otherwise;
    }

    /** The value of the argument {@code name=value} as a number, or {@code otherwise}. */
    public long number(String name, long otherwise) {
      String text = argument(name, "");
      return text.isEmpty() ? otherwise : Long.parseLong(text);
    }

    /** Whether the word is among the arguments. */
    public boolean has(String word) {
      return arguments.contains(word);
    }
  }

  /**
   * Runs the cases of a file.
   *
   * @param file relative to the module, for example {@code src/test/golden/x/y.txt}
   * @throws AssertionError with all cases that differ
   */
  public static void run(Path file, Command command) throws Exception {
    String text = read(file);
    GoldenTest test = new GoldenTest(file, text.lines().toList(), command);
    test.runAll();
    if (Boolean.getBoolean(REWRITE)) {
      if (!test.rewritten.toString().equals(text)) {
        write(file, test.rewritten.toString());
      }
    } else if (!test.differences.isEmpty()) {
      throw new AssertionError(
          String.join("\n", test.differences)
              + "\nRun with -D"
              + REWRITE
              + "=true to accept this.");
    }
  }

  private void runAll() throws Exception {
    while (at < lines.size()) {
      String line = lines.get(at);
      if (line.isBlank() || line.startsWith("#")) {
        rewritten.append(line).append('\n');
        at++;
      } else {
        runCase();
      }
    }
  }

  private void runCase() throws Exception {
    int first = at;
    StringBuilder input = new StringBuilder();
    at++;
    while (at < lines.size() && !lines.get(at).equals(FENCE)) {
      input.append(lines.get(at++)).append('\n');
    }
    if (at == lines.size()) {
      throw new IllegalArgumentException(file + ":" + (first + 1) + ": no " + FENCE + " follows");
    }
    at++;
    String expected = readExpected(first);
    List<String> words = List.of(lines.get(first).strip().split("\\s+"));
    List<String> arguments = words.subList(1, words.size());
    String output =
        Objects.requireNonNull(
            command.run(new Case(words.getFirst(), arguments, input.toString(), first + 1)));
    if (!output.isEmpty() && !output.endsWith("\n")) {
      output += "\n";
    }
    if (!output.equals(expected)) {
      differences.add(file + ":" + (first + 1) + ": expected\n" + expected + "but was\n" + output);
    }
    rewritten.append(lines.get(first)).append('\n').append(input);
    append(output);
  }

  private String readExpected(int first) {
    boolean fenced = at < lines.size() && lines.get(at).equals(FENCE);
    if (fenced) {
      at++;
    }
    StringBuilder expected = new StringBuilder();
    while (at < lines.size()) {
      if (fenced ? isDoubleFence(at) : lines.get(at).isEmpty()) {
        at += fenced ? 2 : 0;
        return expected.toString();
      }
      expected.append(lines.get(at++)).append('\n');
    }
    if (fenced) {
      throw new IllegalArgumentException(file + ":" + (first + 1) + ": the output has no end");
    }
    return expected.toString();
  }

  private boolean isDoubleFence(int line) {
    return lines.get(line).equals(FENCE)
        && line + 1 < lines.size()
        && lines.get(line + 1).equals(FENCE);
  }

  private void append(String output) {
    boolean fenced = output.startsWith("\n") || output.contains("\n\n") || output.startsWith(FENCE);
    String fence = fenced ? FENCE + "\n" + FENCE + "\n" : FENCE + "\n";
    rewritten.append(fence).append(output).append(fenced ? fence : "");
  }

  private static String read(Path file) throws IOException {
    try (ReadableFile input = new OsFileSystem().open(file)) {
      byte[] bytes = new byte[Math.toIntExact(input.size())];
      input.read(0, bytes, 0, bytes.length);
      return new String(bytes, UTF_8);
    }
  }

  private static void write(Path file, String text) throws IOException {
    try (WritableFile output = new OsFileSystem().create(file)) {
      byte[] bytes = text.getBytes(UTF_8);
      output.write(bytes, 0, bytes.length);
    }
  }
}
