package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.engine.Db;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what a person types first is answered, and what is wrong is said in one line on the error
/// stream with the right exit status. Method: runs the command line in this process on captured
/// streams.
final class MainTest {
  @TempDir Path directory;
  private final Session session = new Session();

  @Test
  void helpShowsGroupsAndExamples() {
    String help = session.ok("--help");
    assertThat(help)
        .contains("Usage: siltstone", "Look inside:", "levels", "Examples:", "--prefix user:");
    assertThat(help.lines()).allMatch(line -> line.length() <= 80);
    assertThat(session.ok("help")).isEqualTo(help);
  }

  @Test
  void everyCommandExplainsItself() {
    for (String command :
        "get put del scan count load dump levels stats compact checkpoint verify doctor"
            .split(" ")) {
      String help = session.ok(command, "--help");
      assertThat(help).startsWith("Usage: siltstone " + command).contains("DIR", "--debug");
      assertThat(session.ok("help", command)).isEqualTo(help);
      assertThat(session.ok("--help")).containsPattern("\n  " + command + " +[a-z]");
    }
  }

  @Test
  void versionIsTheOneOfTheBuild() {
    assertThat(session.ok("--version")).matches("(?s)siltstone \\d+\\.\\d+\\.\\d+.*Java .*");
  }

  @Test
  void nothingToDoIsAMistake() {
    assertThat(session.run()).isEqualTo(2);
    assertThat(session.err()).contains("Usage: siltstone");
    assertThat(session.out()).isEmpty();
  }

  @Test
  void whatIsNotUnderstoodIsSaidInOneLine() {
    assertNotUnderstood("siltstone: no command 'zzz'; see 'siltstone --help'", "zzz");
    assertNotUnderstood(
        "siltstone: no command 'scna'; did you mean scan?; see 'siltstone --help'", "scna");
    assertNotUnderstood(
        "siltstone get: Missing required parameter: 'KEY'; see 'siltstone get --help'", "get", "x");
    assertNotUnderstood(
        "siltstone get: Invalid value for positional parameter at index 1 (KEY): '0x1' is not",
        "get",
        "x",
        "0x1");
    assertNotUnderstood("siltstone put: '0x1' is not pairs of", "put", "x", "k", "0x1");
    assertNotUnderstood("siltstone scan: Unknown option", "scan", "x", "--lmit", "3");
    assertNotUnderstood("siltstone help: no command 'x'", "help", "x");
  }

  @Test
  void aMissingStoreNamesTheDirectoryAndWhatToDo() throws IOException {
    Path missing = directory.resolve("none");
    for (String command : "count scan dump levels stats compact verify".split(" ")) {
      assertFails(
          2,
          "siltstone: no directory " + missing + "; check the path, or",
          command,
          missing.toString());
    }
    assertFails(
        2, "siltstone: no store in " + directory + "; check", "count", directory.toString());
    assertFails(2, "siltstone: no directory " + missing, "put", missing.toString(), "k", "v");
    assertFails(2, "siltstone: no directory " + missing, "del", missing.toString(), "k");
    assertFails(2, "siltstone: no directory " + missing, "load", missing.toString());
    assertFails(2, "siltstone: no directory " + missing, "checkpoint", missing.toString(), "x");
    assertThat(Files.exists(missing)).isFalse();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aTreeThatIsNotThereNamesThoseThatAre() {
    session.ok("put", directory.toString(), "k", "v", "--create", "--tree", "users");
    assertFails(
        2,
        "siltstone: " + directory + " has no tree 'user'; its trees: default, users",
        "count",
        directory.toString(),
        "--tree",
        "user");
    assertFails(2, "has no tree 'x'", "put", directory.toString(), "k", "v", "--tree", "x");
    assertThat(session.ok("count", directory.toString(), "--tree", "users")).isEqualTo("1 entry\n");
  }

  @Test
  void aStoreThatIsOpenElsewhereCanBeReadButNotWritten() {
    try (Db db = Db.open(directory)) {
      db.put(new byte[] {'k'}, new byte[] {'v'});
      assertFails(
          1, "use a reading command, which needs no lock", "put", directory.toString(), "a", "b");
      assertThat(session.err()).contains("process " + ProcessHandle.current().pid());
      assertThat(session.ok("get", directory.toString(), "k")).isEqualTo("v\n");
      assertThat(session.ok("scan", directory.toString())).isEqualTo("k\tv\n");
    }
  }

  @Test
  void aStackTraceIsForThoseWhoAsk() {
    Path missing = directory.resolve("none");
    session.run("count", missing.toString());
    assertThat(session.err().lines()).hasSize(1);
    session.run("count", missing.toString(), "--debug");
    assertThat(session.err()).contains("\tat dev.siltstone.tools.");
    session.run("--debug", "count", missing.toString());
    assertThat(session.err()).contains("\tat dev.siltstone.tools.");
  }

  @Test
  void aReaderThatLeavesEndsTheCommandSilently() {
    fill();
    StringWriter err = new StringWriter();
    assertThat(runOn(new FailingOutput("Broken pipe"), err, "scan", directory.toString()))
        .isEqualTo(1);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void anOutputThatCannotBeWrittenIsAFailure() {
    fill();
    StringWriter err = new StringWriter();
    FailingOutput full = new FailingOutput("No space left on device");
    assertThat(runOn(full, err, "dump", directory.toString())).isEqualTo(1);
    assertThat(err.toString())
        .isEqualTo("siltstone: cannot write the output: No space left on device\n");
    for (String words : List.of("--version", "--help", "help", "help scan", "scan --help")) {
      err.getBuffer().setLength(0);
      assertThat(runOn(full, err, words.split(" "))).as(words).isEqualTo(1);
      assertThat(err.toString())
          .as(words)
          .isEqualTo("siltstone: cannot write the output: No space left on device\n");
    }
  }

  private void fill() {
    char[] value = new char[200];
    Arrays.fill(value, 'v');
    StringBuilder lines = new StringBuilder("key,value\n");
    for (int i = 0; i < 1_000; i++) {
      lines.append(i).append(',').append(value).append('\n');
    }
    session.in(lines.toString());
    session.ok("load", directory.toString(), "--as=csv", "--encoding=text", "--create");
  }

  private int runOn(OutputStream out, StringWriter err, String... args) {
    return Main.run(
        new Terminal(
            new ByteArrayInputStream(new byte[0]),
            new Output(out),
            new PrintWriter(err, true),
            false,
            session.clock,
            session.interrupt),
        args);
  }

  private void assertNotUnderstood(String message, String... args) {
    assertThat(session.run(args)).isEqualTo(2);
    assertThat(session.err()).startsWith(message).endsWith("--help'\n").hasLineCount(1);
    assertThat(session.out()).isEmpty();
  }

  private void assertFails(int status, String message, String... args) {
    assertThat(session.run(args)).isEqualTo(status);
    assertThat(session.err()).contains(message).hasLineCount(1);
    assertThat(session.out()).isEmpty();
  }

  /// An output whose every write fails.
  private static final class FailingOutput extends OutputStream {
    private final String message;

    FailingOutput(String message) {
      this.message = message;
    }

    @Override
    public void write(int b) throws IOException {
      throw new IOException(message);
    }
  }
}
