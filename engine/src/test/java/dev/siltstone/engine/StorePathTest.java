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
import java.nio.file.NoSuchFileException;
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

  @Test
  void aCheckpointTakesNoLinkForAFreeName() throws Exception {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), temporary.resolve("nowhere"));
    try (Db db = Db.open(temporary.resolve("store"))) {
      assertThatThrownBy(() -> db.checkpoint(link))
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessageStartingWith(link + " exists already");
    }
    assertThat(link).isSymbolicLink();
    assertThat(temporary).isDirectoryNotContaining("glob:**incomplete*");
  }

  @Test
  void aRepairThatCannotMakeItsTargetBlamesThat() {
    Path store = temporary.resolve("store");
    Db.open(store).close();
    Path target = temporary.resolve("target");
    FaultFileSystem faults = new FaultFileSystem(new OsFileSystem());
    // As /proc answers.
    faults.add(
        Fault.on(DiskOperation.CREATE_DIRECTORIES)
            .always()
            .failing(() -> new NoSuchFileException(target.toString())));
    Components components = Components.DEFAULT.withFileSystem(faults);
    assertThatThrownBy(() -> Db.repair(store, target, Options.DEFAULT, components))
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageContaining(target + " does not exist")
        .hasMessageNotContaining("holds no store");
  }

  @Test
  void whatTheSystemSaysIsToldInItsWords() {
    Path store = temporary.resolve("s".repeat(300));
    assertThatThrownBy(() -> Db.open(store))
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageStartingWith("failed while opening " + store + ": " + store + ": ")
        .hasMessageNotContaining("Exception");
  }

  @Test
  void aPathThatIsNoDirectorySaysSo() throws Exception {
    Path file = Files.writeString(temporary.resolve("file"), "mine");
    Map<String, String> before = content(temporary);
    for (ThrowingCallable call : calls(file)) {
      assertThatThrownBy(call)
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessageContaining(file + " is a file where a directory is needed");
    }
    Path below = file.resolve("deep/store");
    assertThatThrownBy(() -> Db.open(below))
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageContaining(below.toString())
        .hasMessageContaining(file + " is a file where a directory is needed");
    Path store = temporary.resolve("store");
    try (Db db = Db.open(store)) {
      assertThatThrownBy(() -> db.checkpoint(below))
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessageContaining(file + " is a file where a directory is needed");
    }
    Db.destroy(store);
    assertThat(content(temporary)).isEqualTo(before);
  }

  @Test
  void aPathThatLeadsNowhereSaysSo() throws Exception {
    Path link = temporary.resolve("link");
    Files.createSymbolicLink(link, temporary.resolve("nowhere"));
    Path missing = temporary.resolve("missing");
    Path empty = Files.createDirectory(temporary.resolve("empty"));
    Map<String, String> before = content(temporary);
    for (ThrowingCallable call : calls(link)) {
      assertThatThrownBy(call)
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessageContaining(link + " holds no store: it is a symbolic link that leads nowhere");
    }
    assertThatThrownBy(() -> Db.open(link.resolve("store")))
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageContaining(link + " holds no store: it is a symbolic link that leads nowhere");
    for (ThrowingCallable call : calls(missing).subList(1, 4)) {
      assertThatThrownBy(call)
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessage(missing + " holds no store: there is no such directory");
    }
    for (ThrowingCallable call : calls(empty).subList(1, 4)) {
      assertThatThrownBy(call)
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessage(empty + " holds no store");
    }
    Db.destroy(link);
    Db.destroy(missing);
    Db.destroy(empty);
    assertThat(content(temporary)).isEqualTo(before);
  }

  /** Everything that takes the path of a store but for destroy, which is content with nothing. */
  private List<ThrowingCallable> calls(Path path) {
    return List.of(
        () -> Db.open(path),
        () -> Db.openReadOnly(path, Options.DEFAULT),
        () -> Db.verify(path, Components.DEFAULT, VerifyOptions.DEFAULT),
        () -> Db.repair(path, temporary.resolve("target"), Options.DEFAULT, Components.DEFAULT));
  }

  @Test
  void aDirectoryInThePlaceOfAFileIsDamageThatCanBeRepaired() throws Exception {
    Path store = temporary.resolve("store");
    try (Db db = Db.open(store)) {
      db.put(bytes("a"), bytes("1"));
      db.flush();
      db.put(bytes("b"), bytes("2"));
    }
    for (String kind : List.of("MANIFEST-", ".wal", ".table")) {
      Path copy = temporary.resolve("copy" + kind);
      Path turned = copyWithDirectory(store, copy, kind);
      for (ThrowingCallable open :
          List.<ThrowingCallable>of(
              () -> Db.open(copy), () -> Db.openReadOnly(copy, Options.DEFAULT))) {
        assertThatThrownBy(open)
            .isInstanceOf(DbException.Corrupt.class)
            .hasMessageContaining(turned + ": is not a regular file")
            .hasMessageContaining("Db.repair");
      }
      Verification found = Db.verify(copy, Components.DEFAULT, VerifyOptions.DEFAULT);
      assertThat(found.problems())
          .anySatisfy(problem -> assertThat(problem.file()).isEqualTo(turned));
      Path target = temporary.resolve("repaired" + kind);
      RepairReport report = Db.repair(copy, target, Options.DEFAULT, Components.DEFAULT);
      assertThat(report.losses()).anySatisfy(loss -> assertThat(loss.file()).isEqualTo(turned));
      try (Db db = Db.open(target)) {
        // What was in the table may still be in the log.
        assertThat(kind.equals(".table") || db.get(bytes("a")) != null).as(kind).isTrue();
        assertThat(db.get(bytes("b")) != null).as(kind).isEqualTo(!kind.equals(".wal"));
      }
    }
  }

  /** A copy in which the oldest file of a kind is a directory; returns that. */
  private static Path copyWithDirectory(Path store, Path copy, String kind) throws IOException {
    Files.createDirectory(copy);
    Path turned = copy;
    try (Stream<Path> files = Files.list(store)) {
      for (Path file : files.sorted().toList()) {
        Path name = copy.resolve(file.getFileName());
        Files.copy(file, name);
        boolean first = turned.equals(copy);
        turned = first && name.getFileName().toString().contains(kind) ? name : turned;
      }
    }
    Files.delete(turned);
    Files.createDirectory(turned);
    return turned;
  }

  @Test
  void aManifestThatIsMissingSaysSo() throws Exception {
    Path store = temporary.resolve("store");
    try (Db db = Db.open(store)) {
      db.put(bytes("a"), bytes("1"));
    }
    Path manifest = store.resolve("MANIFEST-000001");
    Files.delete(manifest);
    assertThatThrownBy(() -> Db.open(store))
        .isInstanceOf(DbException.Corrupt.class)
        .hasMessageContaining(manifest + ": missing, though CURRENT-000001 names it")
        .hasMessageContaining("Db.repair");
    Files.delete(store.resolve("CURRENT-000001"));
    assertThatThrownBy(() -> Db.open(store))
        .isInstanceOf(DbException.Corrupt.class)
        .hasMessageContaining(store + ": no manifest, but ")
        .hasMessageContaining("Db.repair");
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
