package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a checkpoint is a store of its own that holds what the original held at one moment, and
 * neither changes the other. Method: small stores on the real disk, copied, written on, opened side
 * by side, and compared.
 */
final class CheckpointTest {
  private static final Options OPTIONS = options().build();

  private static Options.Builder options() {
    return Options.builder()
        .memoryBytes(4L << 20)
        .memtableBytes(16L << 10)
        .tableBytes(16L << 10)
        .levelBaseBytes(64L << 10)
        .logSegmentBytes(64L << 10)
        .separateValueBytes(2 << 10);
  }

  @TempDir Path temporary;

  private Path source() {
    return temporary.resolve("data");
  }

  private Path target() {
    return temporary.resolve("backups/monday");
  }

  private static byte[] key(int i) {
    return "k%05d".formatted(i).getBytes(UTF_8);
  }

  private static void fill(Tree tree, int from, int to, long round) {
    for (int i = from; i < to; i++) {
      tree.put(key(i), StoreContent.value(round * 100_000 + i, i % 100 == 0 ? 3_000 : 60));
    }
  }

  private static Map<String, Map<String, String>> read(Path directory) {
    try (Db db = Db.openReadOnly(directory, OPTIONS)) {
      return StoreContent.read(db);
    }
  }

  @Test
  void holdsWhatMemtablesTablesAndBlobsHeld() {
    try (Db db = Db.open(source(), OPTIONS)) {
      fill(db.tree(), 0, 2_000, 1);
      db.compact(KeyRange.ALL);
      Tree other = db.openTree("other", TreeOptions.DEFAULT);
      fill(other, 0, 300, 2);
      fill(db.tree(), 500, 900, 3);
      db.flush();
      // What follows is in memtables only.
      fill(db.tree(), 850, 950, 4);
      db.deleteRange(KeyRange.of(key(100), key(200)));
      other.delete(key(7));
      Map<String, Map<String, String>> expected = StoreContent.read(db);

      db.checkpoint(target());

      fill(db.tree(), 0, 2_000, 5);
      db.compact(KeyRange.ALL);
      assertThat(read(target())).isEqualTo(expected);
    }
    assertThat(temporary.resolve("backups")).isDirectoryContaining("glob:**monday");
    assertThat(temporary.resolve("backups").toFile().list()).containsExactly("monday");
  }

  @Test
  void originalAndCopyNeverChangeEachOther() throws IOException {
    try (Db db = Db.open(source(), OPTIONS)) {
      fill(db.tree(), 0, 1_500, 1);
      db.checkpoint(target());
      Map<String, Map<String, String>> before = StoreContent.read(db);
      try (Db copy = Db.open(target(), OPTIONS)) {
        fill(copy.tree(), 0, 1_000, 6);
        copy.deleteRange(KeyRange.of(key(1_200), key(1_300)));
        copy.compact(KeyRange.ALL);
        assertThat(StoreContent.read(db)).isEqualTo(before);
        Map<String, Map<String, String>> there = StoreContent.read(copy);

        fill(db.tree(), 200, 1_500, 7);
        db.compact(KeyRange.ALL);
        assertThat(StoreContent.read(copy)).isEqualTo(there);
      }
      Db.destroy(target());
      assertThat(StoreContent.read(db).get("default")).hasSize(1_500);
    }
    assertThat(read(source()).get("default")).hasSize(1_500);
  }

  @Test
  void filesThatAreWrittenAgainAreNotShared() throws IOException {
    try (Db db = Db.open(source(), OPTIONS)) {
      fill(db.tree(), 0, 1_500, 1);
      db.flush();
      fill(db.tree(), 0, 20, 2);
      db.checkpoint(target());
      int shared = 0;
      try (Stream<Path> files = Files.list(target())) {
        for (Path file : files.toList()) {
          String name = file.getFileName().toString();
          if (((Number) Files.getAttribute(file, "unix:nlink")).intValue() > 1) {
            assertThat(name).matches(".*\\.(table|blob)");
            shared++;
          }
          assertThat(name).doesNotEndWith(".wal");
        }
      }
      assertThat(shared).isPositive();
    }
  }

  @Test
  void copyHasTheSamePast() {
    TreeOptions kept = TreeOptions.DEFAULT.withRetention(Duration.ofHours(1));
    Options keeping = options().defaultTree(kept).build();
    try (Db db = Db.open(source(), keeping)) {
      db.put(key(1), key(1));
      Instant then = Instant.now();
      while (!Instant.now().isAfter(then.plusMillis(1))) {
        Thread.onSpinWait();
      }
      db.put(key(1), key(2));
      db.checkpoint(target());
      // The options of the tree are stored with it.
      try (Db copy = Db.open(target(), OPTIONS);
          Snapshot past = copy.asOf(then)) {
        assertThat(copy.get(key(1), past)).isEqualTo(key(1));
        assertThat(copy.get(key(1))).isEqualTo(key(2));
      }
    }
  }

  @Test
  void goesOnBesideWritersAndCutsNoBatch() throws InterruptedException {
    try (Db db = Db.open(source(), OPTIONS)) {
      Tree left = db.tree();
      Tree right = db.openTree("right", TreeOptions.DEFAULT);
      AtomicBoolean stop = new AtomicBoolean();
      Thread writer =
          new Thread(
              () -> {
                for (int i = 0; !stop.get(); i++) {
                  WriteBatch batch = db.newBatch();
                  batch.put(left, key(i), StoreContent.value(i, 200));
                  batch.put(right, key(i), StoreContent.value(i, 300));
                  db.write(batch);
                }
              });
      writer.start();
      try {
        for (int round = 0; round < 5; round++) {
          Path copy = temporary.resolve("copy" + round);
          int least = StoreContent.read(db).get("default").size();
          db.checkpoint(copy);
          Map<String, Map<String, String>> found = read(copy);
          assertThat(found.get("default").size()).isGreaterThanOrEqualTo(least);
          assertThat(found.get("default").keySet()).isEqualTo(found.get("right").keySet());
          assertThat(found.get("default").keySet().stream().sorted().toList())
              .isEqualTo(
                  Stream.iterate(0, i -> i + 1)
                      .limit(found.get("default").size())
                      .map(i -> new String(key(i), UTF_8))
                      .toList());
        }
      } finally {
        stop.set(true);
        writer.join();
      }
    }
  }

  @Test
  void copiesWhereLinksCannotBeHad() {
    FaultFileSystem disk = new FaultFileSystem(new OsFileSystem());
    Fault noLinks = disk.add(Fault.on(DiskOperation.LINK).always());
    try (Db db = Db.open(source(), OPTIONS, Components.DEFAULT.withFileSystem(disk))) {
      fill(db.tree(), 0, 1_500, 1);
      db.flush();
      db.checkpoint(target());
      assertThat(noLinks.fired()).isTrue();
      assertThat(read(target())).isEqualTo(StoreContent.read(db));
    }
  }

  @Test
  void aMemtableMayBeOlderThanAFileThatWasIngested() {
    Path file = temporary.resolve("new.table");
    try (Db db = Db.open(source(), OPTIONS)) {
      db.put(key(500), StoreContent.value(1, 8));
      db.flush();
      db.put(key(1), StoreContent.value(2, 8));
      // It goes to level 0, above what it overlaps there, and is newer than the memtable.
      try (TableFileWriter writer = TableFileWriter.create(file, TreeOptions.DEFAULT)) {
        writer.put(key(500), StoreContent.value(3, 8));
        writer.finish();
      }
      db.tree().ingest(List.of(file));
      Map<String, Map<String, String>> expected = StoreContent.read(db);
      db.checkpoint(target());
      assertThat(read(target())).isEqualTo(expected);
    }
  }

  @Test
  void refusesATargetThatExists() throws IOException {
    Files.createDirectories(target());
    try (Db db = Db.open(source(), OPTIONS)) {
      assertThatThrownBy(() -> db.checkpoint(target()))
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessageContaining(target() + " exists already");
      assertThatThrownBy(() -> db.checkpoint(source()))
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessageContaining("exists already");
      assertThat(target()).isEmptyDirectory();
      assertThat(temporary.resolve("backups").toFile().list()).containsExactly("monday");
    }
  }

  @Test
  void clearsWhatACrashHasLeftAndNothingElse() throws IOException {
    Path building = target().resolveSibling("monday" + Checkpoint.SUFFIX);
    Files.createDirectories(building);
    Files.writeString(building.resolve("000004.table"), "left over");
    Files.writeString(building.resolve("CURRENT-000009"), "");
    try (Db db = Db.open(source(), OPTIONS)) {
      db.put(key(1), StoreContent.value(1, 8));
      Files.writeString(building.resolve("notes.txt"), "mine");
      assertThatThrownBy(() -> db.checkpoint(target()))
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessageContaining("notes.txt");
      assertThat(building.resolve("000004.table")).exists();
      Files.delete(building.resolve("notes.txt"));

      db.checkpoint(target());
      assertThat(building).doesNotExist();
      assertThat(read(target())).isEqualTo(StoreContent.read(db));
    }
  }

  @Test
  void refusesATargetThatIsBeingMade() throws IOException {
    Path building = target().resolveSibling("monday" + Checkpoint.SUFFIX);
    Files.createDirectories(building);
    OsFileSystem other = new OsFileSystem();
    try (Db db = Db.open(source(), OPTIONS);
        var lock = other.lock(building.resolve("LOCK"), "somebody")) {
      assertThat(lock).isNotNull();
      assertThatThrownBy(() -> db.checkpoint(target()))
          .isInstanceOf(DbException.Busy.class)
          .hasMessageContaining("somebody");
    }
    assertThat(target()).doesNotExist();
  }

  @Test
  void needsAStoreThatIsOpenForWriting() {
    Db db = Db.open(source(), OPTIONS);
    db.close();
    assertThatThrownBy(() -> db.checkpoint(target())).isInstanceOf(DbException.Closed.class);
    try (Db reading = Db.openReadOnly(source(), OPTIONS)) {
      assertThatThrownBy(() -> reading.checkpoint(target()))
          .isInstanceOf(DbException.Unsupported.class);
    }
    assertThat(List.of(temporary.toFile().list())).containsExactly("data");
  }

  @Test
  void namesTheFileThatIsTooShortToCopy() throws IOException {
    FaultFileSystem disk = new FaultFileSystem(new OsFileSystem());
    disk.add(Fault.on(DiskOperation.LINK).always());
    try (Db db = Db.open(source(), OPTIONS, Components.DEFAULT.withFileSystem(disk))) {
      fill(db.tree(), 0, 100, 1);
      db.flush();
      Path table;
      try (Stream<Path> files = Files.list(source())) {
        table = files.filter(f -> f.toString().endsWith(".table")).findFirst().orElseThrow();
      }
      byte[] bytes = Files.readAllBytes(table);
      Files.write(table, java.util.Arrays.copyOf(bytes, bytes.length / 2));
      assertThatThrownBy(() -> db.checkpoint(target()))
          .isInstanceOf(DbException.Corrupt.class)
          .hasMessageContaining(table.getFileName().toString());
    }
    assertThat(temporary.resolve("backups")).isEmptyDirectory();
  }
}
