package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: each command ends with the status that docs/cli.md promises, and with `--json` a failure
/// is one object with that status. Method: walks the table of the page in the directory it
/// describes.
final class ExitStatusTest {
  private static final Path PAGE = Path.of("../docs/cli.md");
  private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\| (\\d) \\|.*");

  private static final Set<String> NAMES =
      Set.of(
          "data",
          "damaged",
          "none",
          "copy",
          "other",
          "saved",
          "good.tsv",
          "bad.tsv",
          "swapped.csv",
          ".");

  @TempDir Path temporary;
  private final Session session = new Session();

  private record Row(String command, int status) {}

  @BeforeEach
  void makeDirectory() throws IOException {
    for (String store : List.of("data", "damaged")) {
      session.ok("put", path(store), "k", "v", "--create");
    }
    try (DirectoryStream<Path> manifests =
        Files.newDirectoryStream(temporary.resolve("damaged"), "MANIFEST-*")) {
      for (Path manifest : manifests) {
        Files.write(manifest, new byte[] {1, 2, 3});
      }
    }
    Files.writeString(temporary.resolve("good.tsv"), "61\t62\n");
    Files.writeString(temporary.resolve("bad.tsv"), "61\t62\n6\t62\n");
    Files.writeString(temporary.resolve("swapped.csv"), "value,key\n61,62\n");
    session.clock.setWallMicros(TimeUnit.DAYS.toMicros(365 * 60));
  }

  @Test
  void commandsEndAsThePageSays() throws IOException {
    for (Row row : rows()) {
      assertThat(session.run(words(row.command))).as(row.command).isEqualTo(row.status);
      if (row.status == ExitCodes.USAGE) {
        assertThat(session.err()).as(row.command).hasLineCount(1);
        assertThat(session.out()).as(row.command).isEmpty();
      }
    }
  }

  @Test
  void withJsonAFailureIsOneObject() throws IOException {
    Set<String> told = new TreeSet<>();
    for (Row row : rows()) {
      if (row.command.startsWith("help") || row.command.startsWith("-")) {
        continue;
      }
      String[] words = words(row.command);
      String[] asked = Arrays.copyOf(words, words.length + 1);
      asked[words.length] = "--json";
      int status = session.run(asked);
      assertThat(status).as(row.command).isIn(row.status, ExitCodes.USAGE);
      assertThat((session.out() + session.err()).lines())
          .as(row.command)
          .allMatch(line -> line.startsWith("{") && line.endsWith("}"));
      if (status == ExitCodes.USAGE) {
        assertThat(session.err())
            .as(row.command)
            .matches("\\{\"error\":\".+\",\"status\":2}\n")
            .hasLineCount(1);
        assertThat(session.out()).as(row.command).isEmpty();
        told.add(words[0]);
      }
    }
    assertThat(told)
        .contains("get", "put", "del", "scan", "count", "load", "dump", "levels", "stats")
        .contains("compact", "checkpoint", "verify", "repair", "doctor");
  }

  @Test
  void aFailureInJsonHoldsItsTraceIfAsked() {
    assertThat(session.run("stats", path("damaged"), "--json", "--debug")).isEqualTo(1);
    assertThat(session.err())
        .startsWith("{\"error\":\"")
        .contains("\"status\":1,\"trace\":\"dev.siltstone.engine.DbException")
        .hasLineCount(1);
    assertThat(session.run("get", path("none"), "--", "--json")).isEqualTo(2);
    assertThat(session.err()).startsWith("siltstone: no directory ");
  }

  @Test
  void loadAndDumpAnswerInJson() {
    assertThat(session.ok("load", path("data"), path("bad.tsv"), "--skip-bad", "--json"))
        .matches(
            "\\{\"entries\":1,\"bytes\":2,\"nanos\":\\d+,\"badLineCount\":1,\"badLines\":"
                + "\\[\\{\"line\":2,\"what\":\"key has an odd number of hex digits, 1\"}]}\n");
    assertThat(session.err()).isEmpty();
    assertThat(session.ok("dump", path("data"), path("other"), "--json"))
        .matches("\\{\"entries\":2,\"bytes\":12,\"nanos\":\\d+}\n");
    assertThat(session.err()).isEmpty();
  }

  private String path(String name) {
    return temporary.resolve(name).toString();
  }

  private String[] words(String command) {
    return Arrays.stream(command.split(" "))
        .map(word -> command.startsWith("none ") && word.equals("none") ? word : inPlace(word))
        .toArray(String[]::new);
  }

  /// The word, or the path that it stands for.
  private String inPlace(String word) {
    return NAMES.contains(word) || word.contains("/") || word.endsWith(".tsv") ? path(word) : word;
  }

  private static List<Row> rows() throws IOException {
    List<Row> rows =
        Files.readAllLines(PAGE).stream()
            .map(ROW::matcher)
            .filter(Matcher::matches)
            .map(row -> new Row(row.group(1), Integer.parseInt(row.group(2))))
            .toList();
    assertThat(rows).hasSizeGreaterThan(50);
    return rows;
  }
}
