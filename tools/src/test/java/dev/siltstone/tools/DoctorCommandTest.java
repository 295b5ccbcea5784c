package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.engine.Db;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the doctor looks at everything, says what is wrong, and leaves nothing behind. Method: the
/// command on directories and clocks of each kind.
final class DoctorCommandTest {
  @TempDir Path temporary;
  private final Session session = new Session();

  @Test
  void checksAPlaceForAStoreThatIsNotThereYet() {
    Path store = temporary.resolve("a/b");
    assertThat(session.ok("doctor", store.toString()))
        .containsPattern("java +ok +\\d+")
        .containsPattern("heap +(ok|warn) +[0-9.]+ [GM]iB, ")
        .containsPattern("cores +(ok|warn) +\\d+")
        .containsPattern("file system +(ok|warn) +\\w+ at " + temporary)
        .containsPattern("sync +(ok|warn) +median .* of 40")
        .containsPattern("space +(ok|warn) +.* free, 0 B used")
        .containsPattern("store +ok +none yet: " + store);
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void checksAStore() {
    String store = temporary.resolve("s").toString();
    session.ok("put", store, "k", "v", "--create");
    catchUp();
    assertThat(session.ok("doctor", store))
        .containsPattern("store +ok +opens; 1 tree")
        .containsPattern("newest write +ok +20")
        .containsPattern("files +ok +sound; .* read")
        .containsPattern("open elsewhere +ok +no\n");
    assertThat(session.ok("doctor", store, "--quick")).doesNotContain("files ");
    assertThat(session.ok("doctor", store, "--json").lines())
        .allMatch(line -> line.startsWith("{\"check\":\"") && line.endsWith("}"))
        .anyMatch(line -> line.contains("\"check\":\"clock\",\"verdict\":\"ok\""));
  }

  @Test
  void saysWhoHasTheStoreOpen() throws IOException {
    Path store = temporary.resolve("s");
    catchUp();
    try (Db db = Db.open(store)) {
      assertThat(session.ok("doctor", db.directory().toString()))
          .contains("yes, for writing by process " + ProcessHandle.current().pid());
    }
    Files.writeString(store.resolve("LOCK.owner"), "process 999999999999");
    assertThat(session.ok("doctor", store.toString()))
        .contains("no; process 999999999999 did not close it, which does no harm");
  }

  @Test
  void saysThatTheClockIsWrong() {
    session.clock.setWallMicros(0);
    assertThat(session.run("doctor", temporary.toString())).isEqualTo(1);
    assertThat(session.out()).containsPattern("clock +FAIL +1970-01-01T00:00:00Z; set the clock");
  }

  @Test
  void saysThatTheClockWasSetBack() {
    String store = temporary.resolve("s").toString();
    session.ok("put", store, "k", "v", "--create");
    catchUp();
    session.clock.jumpWall(-TimeUnit.HOURS.toMicros(2));
    assertThat(session.ok("doctor", store))
        .containsPattern("newest write +warn +.* ahead of the clock; the clock was set back");
  }

  @Test
  void saysThatAStoreDoesNotOpen() throws IOException {
    Path store = temporary.resolve("s");
    session.ok("put", store.toString(), "k", "v", "--create");
    catchUp();
    try (var files = Files.newDirectoryStream(store, "MANIFEST-*")) {
      for (Path manifest : files) {
        Files.write(manifest, new byte[] {1, 2, 3});
      }
    }
    assertThat(session.run("doctor", store.toString())).isEqualTo(1);
    assertThat(session.out()).containsPattern("store +FAIL +.*MANIFEST-.*; see 'siltstone verify'");
  }

  /// Sets the clock of the session to the present, which stores are written at.
  private void catchUp() {
    session.clock.setWallMicros(System.currentTimeMillis() * 1_000);
  }
}
