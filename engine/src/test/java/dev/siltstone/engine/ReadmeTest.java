package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the examples of the README compile and do what they say. Method: they stand here too and
 * are run; the page is searched for the very lines of this file.
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
  void mapDoesWhatItSays() {
    try (Db db = open(Path.of("data"))) {
      Tree tree = db.tree();
      tree.put(Codec.int64().encode(-7L), bytes("before"));
      ConcurrentNavigableMap<Long, String> events = tree.asMap(Codec.int64(), Codec.string());
      events.put(20L, "started");
      events.merge(20L, " well", String::concat);
      String last = events.lastEntry().getValue(); // "started well"
      events.headMap(20L).clear(); // one range delete
      assertThat(last).isEqualTo("started well");
      assertThat(events).hasSize(1);
    }
  }

  @Test
  void examplesOfThePageAreThoseThatAreRun() throws Exception {
    String page = Files.readString(PAGE);
    assertRun(page, 0, 10);
    assertRun(page, page.indexOf("`ConcurrentNavigableMap`"), 5);
  }

  private static void assertRun(String page, int from, int lines) throws IOException {
    int start = page.indexOf("```java\n", from) + "```java\n".length();
    List<String> example = page.substring(start, page.indexOf("```", start)).lines().toList();
    List<String> source = Files.readString(SOURCE).lines().map(String::strip).toList();
    assertThat(example).hasSize(lines);
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
