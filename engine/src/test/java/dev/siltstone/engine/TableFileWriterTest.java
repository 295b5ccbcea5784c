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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a writer takes sorted keys within the limits only, and leaves a whole file or none. */
final class TableFileWriterTest {
  @TempDir Path temporary;

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private Path file() {
    return temporary.resolve("file");
  }

  @Test
  void keysMustAscend() {
    try (TableFileWriter writer = TableFileWriter.create(file())) {
      writer.put(bytes("b"), bytes("1"));
      assertThatThrownBy(() -> writer.put(bytes("a"), bytes("2")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("61 does not come after key 62");
      assertThatThrownBy(() -> writer.delete(bytes("b")))
          .isInstanceOf(IllegalArgumentException.class);
      writer.put(bytes("c"), bytes("3"));
      assertThat(writer.count()).isEqualTo(2);
      assertThat(writer.estimatedBytes()).isPositive();
      writer.finish();
      assertThatThrownBy(() -> writer.put(bytes("d"), bytes("4")))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
    }
    assertThat(temporary.toFile().list()).containsExactly("file");
  }

  @Test
  void limitsOfKeysAreThoseOfTheStore() {
    byte[] longest = new byte[WriteBatch.KEY_BYTES_MAX];
    byte[] tooLong = new byte[WriteBatch.KEY_BYTES_MAX + 1];
    try (TableFileWriter writer = TableFileWriter.create(file())) {
      writer.put(new byte[0], new byte[0]).put(longest, bytes("v"));
      assertThatThrownBy(() -> writer.put(tooLong, bytes("v")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("65537");
      assertThatThrownBy(() -> writer.deleteRange(new KeyRange(tooLong, null)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.deleteRange(KeyRange.of(bytes("b"), bytes("a"))))
          .isInstanceOf(IllegalArgumentException.class);
      writer.deleteRange(KeyRange.of(bytes("b"), bytes("b"))).deleteRange(KeyRange.ALL);
      writer.finish();
    }
    try (Db db = Db.open(temporary.resolve("data"))) {
      db.put(bytes("old"), bytes("v"));
      db.tree().ingest(List.of(file()));
      assertThat(db.get(bytes("old"))).isNull();
      assertThat(db.get(new byte[0])).isEmpty();
      assertThat(db.get(longest)).isEqualTo(bytes("v"));
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(2);
    }
  }

  @Test
  void nothingAddedIsNoFile() {
    try (TableFileWriter writer = TableFileWriter.create(file())) {
      assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
    }
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void aFileThatIsThereStays() throws IOException {
    Files.writeString(file(), "mine");
    assertThatThrownBy(() -> TableFileWriter.create(file()))
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageContaining("exists already");
    assertThat(file()).hasContent("mine");
    assertThatThrownBy(() -> TableFileWriter.create(temporary.resolve("no/file")))
        .isInstanceOf(DbException.Unavailable.class);
  }

  @Test
  void failureLeavesNoFileOfThatName() {
    boolean fired = true;
    for (int at = 0; fired; at++) {
      Path path = temporary.resolve("file" + at);
      FaultFileSystem disk = new FaultFileSystem(new OsFileSystem());
      Fault fault =
          disk.add(
              Fault.on(
                      DiskOperation.LOCK,
                      DiskOperation.CREATE,
                      DiskOperation.WRITE,
                      DiskOperation.SYNC,
                      DiskOperation.RENAME)
                  .at(at));
      boolean done = false;
      try (TableFileWriter writer =
          TableFileWriter.create(
              path, TreeOptions.DEFAULT, Components.DEFAULT.withFileSystem(disk))) {
        for (int i = 0; i < 20_000; i++) {
          writer.put(bytes("key%06d".formatted(i)), new byte[40]);
        }
        writer.finish();
        done = true;
      } catch (DbException.Unavailable e) {
        assertThat(e).hasMessageContaining("injected");
      }
      fired = fault.fired();
      assertThat(done).isEqualTo(!fired);
      assertThat(Files.exists(path)).isEqualTo(done);
      assertThat(path.resolveSibling("file" + at + ".incomplete")).doesNotExist();
      assertThat(path.resolveSibling("file" + at + ".lock")).doesNotExist();
    }
  }

  @Test
  void aNameIsWrittenByOneWriterAtATime() throws IOException {
    TableFileWriter first = TableFileWriter.create(file());
    first.put(bytes("a"), bytes("first"));
    assertThatThrownBy(() -> TableFileWriter.create(file()))
        .isInstanceOf(DbException.Busy.class)
        .hasMessageContaining(file() + " is being written already, in this process");
    first.put(bytes("b"), bytes("first"));
    first.finish();
    assertThatThrownBy(() -> TableFileWriter.create(file()))
        .isInstanceOf(DbException.Unavailable.class);
    // What is closed late is not what another writer has begun meanwhile.
    Files.move(file(), temporary.resolve("moved"));
    try (TableFileWriter second = TableFileWriter.create(file())) {
      first.close();
      assertThatThrownBy(() -> TableFileWriter.create(file())).isInstanceOf(DbException.Busy.class);
      second.put(bytes("c"), bytes("second")).finish();
    }
    assertThat(temporary).isDirectoryNotContaining("glob:**.incomplete");
    assertThat(temporary).isDirectoryNotContaining("glob:**.lock*");
    try (Db db = Db.open(temporary.resolve("data"))) {
      db.tree().ingest(List.of(temporary.resolve("moved"), file()));
      assertThat(db.get(bytes("b"))).isEqualTo(bytes("first"));
      assertThat(db.get(bytes("c"))).isEqualTo(bytes("second"));
    }
  }

  @Test
  void anotherProcessThatWritesTheNameIsTold() {
    FaultFileSystem disk = new FaultFileSystem(new OsFileSystem());
    disk.add(
        Fault.on(DiskOperation.LOCK)
            .failing(() -> new LockedException("users.lock is locked by process 77", false)));
    assertThatThrownBy(
            () ->
                TableFileWriter.create(
                    file(), TreeOptions.DEFAULT, Components.DEFAULT.withFileSystem(disk)))
        .isInstanceOf(DbException.Busy.class)
        .hasMessageContaining("in another process")
        .hasMessageContaining("process 77");
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void whatADeadWriterHasLeftIsClearedAway() throws IOException {
    Path kept = temporary.resolve("kept");
    Files.writeString(kept, "finished, and moved away");
    Path left = file().resolveSibling(file().getFileName() + ".incomplete");
    Files.createLink(left, kept);
    Files.writeString(file().resolveSibling(file().getFileName() + ".lock"), "");
    try (TableFileWriter writer = TableFileWriter.create(file())) {
      writer.put(bytes("a"), bytes("1")).finish();
    }
    assertThat(kept).hasContent("finished, and moved away");
    assertThat(temporary).isDirectoryNotContaining("glob:**.lock*");
    assertThat(left).doesNotExist();
    assertThat(file()).exists();
  }

  @Test
  void aFileThatAppearsMeanwhileStays() throws IOException {
    for (boolean links : new boolean[] {true, false}) {
      FaultFileSystem disk = new FaultFileSystem(new OsFileSystem());
      if (!links) {
        disk.add(Fault.on(DiskOperation.LINK).always());
      }
      try (TableFileWriter writer =
          TableFileWriter.create(
              file(), TreeOptions.DEFAULT, Components.DEFAULT.withFileSystem(disk))) {
        writer.put(bytes("a"), bytes("1"));
        Files.writeString(file(), "mine");
        assertThatThrownBy(writer::finish)
            .isInstanceOf(DbException.Unavailable.class)
            .hasMessageContaining("exists already");
      }
      assertThat(file()).hasContent("mine");
      Files.delete(file());
      assertThat(temporary).isEmptyDirectory();
    }
  }

  @Test
  void whereThereAreNoLinksTheFileIsRenamed() {
    FaultFileSystem disk = new FaultFileSystem(new OsFileSystem());
    Fault link = disk.add(Fault.on(DiskOperation.LINK).always());
    try (TableFileWriter writer =
        TableFileWriter.create(
            file(), TreeOptions.DEFAULT, Components.DEFAULT.withFileSystem(disk))) {
      writer.put(bytes("a"), bytes("1")).finish();
    }
    assertThat(link.fired()).isTrue();
    assertThat(temporary).isDirectoryContaining(path -> path.equals(file()));
    assertThat(temporary.toFile().list()).hasSize(1);
  }

  @Test
  void aCompressorThatIsNotThereIsRefused() {
    assertThatThrownBy(
            () -> TableFileWriter.create(file(), TreeOptions.DEFAULT.withCompression("zstd")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("compression 'zstd' is not among")
        .hasMessageContaining("siltstone-zstd");
    assertThat(temporary).isEmptyDirectory();
    try (TableFileWriter writer =
        TableFileWriter.create(file(), TreeOptions.DEFAULT.withCompression("none"))) {
      writer.put(bytes("a"), bytes("1")).finish();
    }
  }
}
