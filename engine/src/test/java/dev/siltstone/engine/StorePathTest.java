package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: whatever stands at the path that is given for a store, the answer says what it is and what
// to do, and nothing on disk has changed if it is a refusal.
// Method: real directories, since they can hold what a simulated disk cannot.
final class StorePathTest {
  @TempDir Path temporary;

  @Test
  void noStoreIsMadeAmongForeignFiles() throws Exception {
    Path home = Files.createDirectory(temporary.resolve("home"));
    for (String name : List.of("letter.txt", "MANIFEST", "7.table", "CURRENT", ".profile")) {
      Files.writeString(home.resolve(name), name);
    }
    Files.createDirectory(home.resolve("photos"));
    Map<String, String> before = content(home);
    assertThatThrownBy(() -> Db.open(home))
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageContaining(home.toString())
        .hasMessageContaining(".profile, 7.table, CURRENT and 3 more")
        .hasMessageContaining("another directory");
    assertThat(content(home)).isEqualTo(before);
  }

  @Test
  void whatAFailedCreationLeavesAndAMountPointAreAsGoodAsEmpty() throws Exception {
    Path store = Files.createDirectory(temporary.resolve("store"));
    Files.createDirectory(store.resolve("lost+found"));
    Files.writeString(store.resolve("LOCK"), "");
    Files.writeString(store.resolve("LOCK.owner"), "process 1");
    Files.writeString(store.resolve("000001.tmp"), "half a manifest");
    Files.writeString(store.resolve("OPTIONS-000003"), "");
    try (Db db = Db.open(store)) {
      db.put(bytes("a"), bytes("1"));
    }
    try (Db db = Db.open(store)) {
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("1"));
    }
    assertThat(store.resolve("lost+found")).isDirectory();
  }

  @Test
  void aStoreThatIsThereOpensWhateverLiesBeside() throws Exception {
    Path store = temporary.resolve("store");
    Db.open(store).close();
    Files.writeString(store.resolve("notes.txt"), "mine");
    Db.open(store).close();
    assertThat(store.resolve("notes.txt")).hasContent("mine");
  }

  /** Names of all that is in a directory, with what is in the files. */
  static Map<String, String> content(Path directory) throws IOException {
    Map<String, String> content = new TreeMap<>();
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.toList()) {
        String text = Files.isRegularFile(path) ? new String(Files.readAllBytes(path), UTF_8) : "";
        content.put(directory.relativize(path).toString(), text);
      }
    }
    return content;
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
