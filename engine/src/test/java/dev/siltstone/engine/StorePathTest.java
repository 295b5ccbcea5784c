package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.io.LockedException;
import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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

  @Test
  void aStoreThatIsOpenInThisProcessSaysSo() {
    Path store = temporary.resolve("store");
    try (Db db = Db.open(store)) {
      db.put(bytes("a"), bytes("1"));
      Path target = temporary.resolve("target");
      List<ThrowingCallable> calls =
          List.of(
              () -> Db.open(store),
              () -> Db.destroy(store),
              () -> Db.repair(store, target, Options.DEFAULT, Components.DEFAULT));
      for (ThrowingCallable call : calls) {
        assertThatThrownBy(call)
            .isInstanceOf(DbException.Busy.class)
            .hasMessageContaining(store + " is already open in this process")
            .hasMessageContaining("process " + ProcessHandle.current().pid());
      }
      assertThat(target).doesNotExist();
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("1"));
    }
  }

  @Test
  void aStoreThatIsOpenInAnotherProcessSaysSo() throws Exception {
    Path store = temporary.resolve("store");
    Db.open(store).close();
    Map<String, String> before = content(temporary);
    FaultFileSystem faults = new FaultFileSystem(new OsFileSystem());
    faults.add(
        Fault.on(DiskOperation.LOCK)
            .always()
            .failing(() -> new LockedException("LOCK is locked by process 77", false)));
    Components locked = Components.DEFAULT.withFileSystem(faults);
    Path target = temporary.resolve("target");
    List<ThrowingCallable> calls =
        List.of(
            () -> Db.open(store, Options.DEFAULT, locked),
            () -> Db.destroy(store, locked),
            () -> Db.repair(store, target, Options.DEFAULT, locked));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(DbException.Busy.class)
          .hasMessage(
              store + " is open for writing in another process: LOCK is locked by process 77");
    }
    assertThat(content(temporary)).isEqualTo(before);
  }

  @Test
  void aRepairHoldsTheLockAndLeavesNoTrace() throws Exception {
    Path store = temporary.resolve("store");
    try (Db db = Db.open(store)) {
      db.put(bytes("a"), bytes("1"));
    }
    Map<String, String> before = content(store);
    FaultFileSystem faults = new FaultFileSystem(new OsFileSystem());
    Fault busy =
        Fault.on(DiskOperation.CREATE)
            .name(".*\\.table")
            .pausing(
                () ->
                    assertThatThrownBy(() -> Db.open(store)).isInstanceOf(DbException.Busy.class));
    faults.add(busy);
    RepairReport report =
        Db.repair(
            store,
            temporary.resolve("target"),
            Options.DEFAULT,
            Components.DEFAULT.withFileSystem(faults));
    assertThat(busy.fired()).isTrue();
    assertThat(report.notes()).isEmpty();
    assertThat(content(store)).isEqualTo(before);
    Db.open(store).close();
  }

  @Test
  void aRepairGoesOnWhereNothingCanBeLocked() throws Exception {
    Path store = temporary.resolve("store");
    try (Db db = Db.open(store)) {
      db.put(bytes("a"), bytes("1"));
    }
    FaultFileSystem faults = new FaultFileSystem(new OsFileSystem());
    faults.add(
        Fault.on(DiskOperation.LOCK)
            .failing(() -> new FileSystemException("LOCK", null, "Read-only file system")));
    Components readOnly = Components.DEFAULT.withFileSystem(faults);
    RepairReport first = Db.repair(store, temporary.resolve("first"), Options.DEFAULT, readOnly);
    assertThat(first.isComplete()).isTrue();
    assertThat(first.notes()).hasSize(1);
    assertThat(first.notes().getFirst()).contains("could not be taken", "Read-only file system");
    Files.delete(store.resolve("LOCK"));
    RepairReport second = Db.repair(store, temporary.resolve("second"), Options.DEFAULT, readOnly);
    assertThat(second.notes()).isEmpty();
    assertThat(store.resolve("LOCK")).doesNotExist();
    try (Db db = Db.open(temporary.resolve("second"))) {
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("1"));
    }
  }

  @Test
  void destroyOfALinkRemovesTheStoreThatItLeadsTo() throws Exception {
    Path store = temporary.resolve("store");
    Path link = Files.createSymbolicLink(temporary.resolve("link"), store);
    Files.createDirectory(store);
    try (Db db = Db.open(link)) {
      db.put(bytes("a"), bytes("1"));
      assertThatThrownBy(() -> Db.open(store)).isInstanceOf(DbException.Busy.class);
      assertThatThrownBy(() -> Db.destroy(store)).isInstanceOf(DbException.Busy.class);
    }
    Db.destroy(link);
    assertThat(store).isEmptyDirectory();
    assertThat(link).isSymbolicLink();
    // What the link was made for is as it was before the first open.
    try (Db db = Db.open(link)) {
      assertThat(db.get(bytes("a"))).isNull();
    }
    Db.destroy(store);
    assertThat(store).doesNotExist();
    assertThat(link).isSymbolicLink();
    Db.destroy(link);
    assertThat(link).isSymbolicLink();
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
