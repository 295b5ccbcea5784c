package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the example of the README compiles and does what it says. Method: it stands here too and is
 * run; the page is searched for the very lines of this file.
 */
final class ReadmeTest {
  private static final Path PAGE = Path.of("../README.md");
  private static final Path SOURCE = Path.of("src/test/java/dev/siltstone/engine/ReadmeTest.java");

  @TempDir Path directory;
  private final List<String> shown = new ArrayList<>();

  @Test
  void exampleDoesWhatItSays() {
    try (Db db = open(Path.of("data"))) {
      db.put(bytes("user:1"), bytes("ada"));
      db.write(db.newBatch().put(bytes("user:2"), bytes("grace")).delete(bytes("user:0")));
      byte[] name = db.get(bytes("user:1")); // "ada"; null if there is none
      try (Cursor users = db.cursor(KeyRange.prefix(bytes("user:")))) {
        for (boolean more = users.first(); more; more = users.next()) {
          show(users.key(), users.value());
        }
      }
      assertThat(name).isEqualTo(bytes("ada"));
    }
    assertThat(shown).containsExactly("user:1 ada", "user:2 grace");
  }

  @Test
  void exampleOfThePageIsTheOneThatIsRun() throws Exception {
    String page = Files.readString(PAGE);
    int start = page.indexOf("```java\n") + "```java\n".length();
    List<String> example = page.substring(start, page.indexOf("```", start)).lines().toList();
    List<String> source = Files.readString(SOURCE).lines().map(String::strip).toList();
    assertThat(example).hasSize(10);
    assertThat(source)
        .containsSubsequence(
            example.stream().map(line -> line.strip().replace("Db.open", "open")).toList());
  }

  /** Opens the example's store where it can be removed again. */
  private Db open(Path name) {
    return Db.open(directory.resolve(name));
  }

  private void show(byte[] key, byte[] value) {
    shown.add(new String(key, UTF_8) + " " + new String(value, UTF_8));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
