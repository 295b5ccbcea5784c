package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what docs/cli.md shows is what the commands answer. Method: runs all its examples in order
/// in an empty directory, and compares, sizes and times left out.
@Tag("slow")
final class DocumentedCommandsTest {
  private static final Path PAGE = Path.of("../docs/cli.md");
  private static final String PROMPT = "$ siltstone ";

  /// Where the examples of the page were run.
  private static final String PAGE_DIRECTORY = "/srv/demo/";

  private static final Set<String> FILES =
      Set.of(
          "data",
          "saved",
          "backup",
          "users.csv",
          "users.tsv",
          "broken.tsv",
          "events.tsv",
          "newer.tsv");

  /// What differs from run to run.
  private static final Pattern FIGURES =
      Pattern.compile(
          "\\d{4}-\\d\\d-\\d\\dT\\S+"
              + "|\\d[\\d,.]*(/s| (ns|us|ms|s|B|KiB|MiB|GiB|%)(?!\\w))"
              + "|(?<=ytes\":)\\d+");

  @TempDir Path temporary;
  private final Session session = new Session();

  @Test
  void examplesAnswerAsThePageSays() throws IOException {
    writeInputs();
    List<Example> examples = examples();
    assertThat(examples).hasSizeGreaterThan(20);
    for (Example example : examples) {
      List<String> args = new ArrayList<>();
      for (String word : example.command.split(" ")) {
        args.add(FILES.contains(word) ? temporary.resolve(word).toString() : word);
      }
      session.run(args.toArray(String[]::new));
      assertThat(normal(example.command, session.out() + session.err()))
          .as(example.command)
          .isEqualTo(normal(example.command, example.answer));
    }
  }

  private void writeInputs() throws IOException {
    Files.writeString(
        temporary.resolve("users.csv"), "key,value\nuser:3,grace\nuser:4,\"Hopper, G.\"\n");
    Files.writeString(temporary.resolve("broken.tsv"), "6b31\t7631\n6b3\t7632\n");
    StringBuilder events = new StringBuilder();
    StringBuilder newer = new StringBuilder();
    for (int i = 0; i < 200_000; i++) {
      String key = "0".repeat(8) + "%08x".formatted(i);
      events.append(key).append('\t').repeat("61", 20).append('\n');
      if (i % 2 == 0) {
        newer.append(key).append('\t').repeat("62", 20).append('\n');
      }
    }
    Files.writeString(temporary.resolve("events.tsv"), events);
    Files.writeString(temporary.resolve("newer.tsv"), newer);
  }

  private record Example(String command, String answer) {}

  private static List<Example> examples() throws IOException {
    List<Example> examples = new ArrayList<>();
    boolean inside = false;
    String command = null;
    StringBuilder answer = new StringBuilder();
    for (String line : Files.readAllLines(PAGE)) {
      boolean fence = line.startsWith("```");
      if (command != null && (fence || line.startsWith(PROMPT))) {
        examples.add(new Example(command, answer.toString()));
        command = null;
        answer.setLength(0);
      }
      if (fence) {
        inside = line.equals("```console");
      } else if (inside && line.startsWith(PROMPT)) {
        command = line.substring(PROMPT.length());
      } else if (inside) {
        answer.append(line).append('\n');
      }
    }
    return examples;
  }

  private String normal(String command, String answer) {
    String text = answer.replace(temporary + "/", "").replace(PAGE_DIRECTORY, "");
    if (command.startsWith("doctor ")) {
      // Every machine has its own answers to the same questions.
      return text.replaceAll("  .*", "");
    }
    text = FIGURES.matcher(text).replaceAll("#");
    if (Stream.of("stats ", "verify ", "repair ").anyMatch(command::startsWith)) {
      // Which files there are depends on when the background did what.
      text = text.replaceAll("\\d[\\d,]*", "#");
    }
    return text.replaceAll(" +", " ");
  }
}
