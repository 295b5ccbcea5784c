package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.table.TableWriter;
import dev.siltstone.engine.table.TableWriterOptions;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a file that was ingested reads like puts and deletes of one later batch, lies as deep as it
 * can, and one that is not right is refused and changes nothing. Method: small stores on the real
 * disk.
 */
final class IngestTest {
  private static final Options OPTIONS =
      Options.builder()
          .memoryBytes(4L << 20)
          .memtableBytes(64L << 10)
          .tableBytes(16L << 10)
          .levelBaseBytes(64L << 10)
          .logSegmentBytes(64L << 10)
          .separateValueBytes(2 << 10)
          .gapDeadMin(2)
          .automaticCompaction(false)
          .build();

  @TempDir Path temporary;
  private int files;

  private static byte[] key(int i) {
    return "k%05d".formatted(i).getBytes(UTF_8);
  }

  private static byte[] value(long number) {
    return StoreContent.value(number, 60);
  }

  private static long number(byte @Nullable [] value) {
    return value == null ? -1 : Fixed.getLong(value, 0);
  }

  /** Writes a file. */
  private interface Content {
    void addTo(TableFileWriter writer);
  }

  private Path file(Content content) {
    Path path = temporary.resolve("in" + files++);
    try (TableFileWriter writer = TableFileWriter.create(path)) {
      content.addTo(writer);
      writer.finish();
    }
    return path;
  }

  private Path puts(int from, int to, long round) {
    return file(
        writer -> {
          for (int i = from; i < to; i++) {
            writer.put(key(i), value(round * 100_000 + i));
          }
        });
  }

  private Db open() {
    return Db.open(temporary.resolve("data"), OPTIONS);
  }

  private static int levelOf(Tree tree, int least) {
    List<TreeStats.LevelStats> levels = tree.stats().levels();
    for (int level = least; level < levels.size(); level++) {
      if (levels.get(level).files() > 0) {
        return level;
      }
    }
    return -1;
  }

  @Test
  void appearsAtOneMomentAfterAllThatWasThere() {
    Map<String, Map<String, String>> expected;
    try (Db db = open()) {
      for (int i = 0; i < 100; i++) {
        db.put(key(i), value(i));
      }
      db.deleteRange(KeyRange.of(key(60), key(70)));
      Snapshot before = db.snapshot();
      Path file =
          file(
              writer ->
                  writer
                      .put(key(10), value(1_010))
                      .delete(key(11))
                      .deleteRange(KeyRange.of(key(20), key(30)))
                      .put(key(25), value(1_025))
                      .put(key(65), value(1_065)));
      db.tree().ingest(List.of(file));
      assertThat(file).exists();

      assertThat(number(db.get(key(10)))).isEqualTo(1_010);
      assertThat(db.get(key(11))).isNull();
      assertThat(db.get(key(20))).isNull();
      assertThat(number(db.get(key(25)))).isEqualTo(1_025);
      assertThat(number(db.get(key(30)))).isEqualTo(30);
      assertThat(number(db.get(key(65)))).isEqualTo(1_065);
      assertThat(number(db.get(key(10), before))).isEqualTo(10);
      assertThat(number(db.get(key(11), before))).isEqualTo(11);
      assertThat(number(db.get(key(25), before))).isEqualTo(25);
      assertThat(db.get(key(65), before)).isNull();
      try (Snapshot after = db.snapshot()) {
        assertThat(after.hybridTime()).isGreaterThan(before.hybridTime());
        db.put(key(10), value(2_010));
        assertThat(number(db.get(key(10), after))).isEqualTo(1_010);
      }
      assertThat(number(db.get(key(10)))).isEqualTo(2_010);
      before.close();
      expected = StoreContent.read(db);
      db.compact(KeyRange.ALL);
      assertThat(StoreContent.read(db)).isEqualTo(expected);
    }
    try (Db db = open()) {
      assertThat(StoreContent.read(db)).isEqualTo(expected);
    }
  }

  @Test
  void liesAsDeepAsNothingOverlapsIt() {
    try (Db db = open()) {
      Tree tree = db.tree();
      tree.ingest(List.of(puts(0, 100, 1)));
      assertThat(levelOf(tree, 0)).isEqualTo(6);
      tree.ingest(List.of(puts(200, 300, 1)));
      assertThat(levelOf(tree, 0)).isEqualTo(6);
      tree.ingest(List.of(puts(50, 60, 2)));
      assertThat(levelOf(tree, 0)).isEqualTo(5);
      tree.ingest(List.of(puts(55, 58, 3)));
      assertThat(levelOf(tree, 0)).isEqualTo(4);
      tree.ingest(List.of(puts(90, 210, 4)));
      assertThat(tree.stats().levels().get(5).files()).isEqualTo(2);
      // Level 0 stops it, by a key that is in no other level.
      db.put(key(500), value(500));
      db.flush();
      tree.ingest(List.of(puts(500, 510, 5)));
      assertThat(tree.stats().levels().get(0).files()).isEqualTo(2);
      for (int i = 0; i < 510; i++) {
        long round = i >= 500 ? 5 : i >= 300 ? -1 : i >= 90 && i < 210 ? 4 : i < 90 ? 1 : 1;
        round = i >= 55 && i < 58 ? 3 : i >= 50 && i < 60 ? 2 : round;
        assertThat(number(db.get(key(i)))).isEqualTo(round < 0 ? -1 : round * 100_000 + i);
      }
    }
  }

  @Test
  void memtableThatOverlapsIsFlushedAndAnotherIsNotInTheWay() {
    try (Db db = open()) {
      db.put(key(5), value(5));
      db.put(key(50), value(50));
      db.tree().ingest(List.of(puts(10, 20, 1)));
      assertThat(db.tree().stats().levels().get(6).files()).isEqualTo(1);

      db.deleteRange(KeyRange.of(key(12), key(14)));
      db.tree().ingest(List.of(puts(13, 15, 2)));
      assertThat(db.get(key(12))).isNull();
      assertThat(number(db.get(key(13)))).isEqualTo(200_013);
      db.awaitQuiet();
      db.compact(KeyRange.ALL);
      assertThat(db.get(key(12))).isNull();
      assertThat(number(db.get(key(13)))).isEqualTo(200_013);
      assertThat(number(db.get(key(50)))).isEqualTo(50);
    }
  }

  @Test
  void largeFilesAreCutAndLongValuesStoredApart() throws IOException {
    byte[] large = StoreContent.value(77, 5_000);
    Path file =
        file(
            writer -> {
              writer.deleteRange(KeyRange.of(key(0), key(90_000)));
              for (int i = 0; i < 3_000; i++) {
                writer.put(key(i), i % 500 == 3 ? large : value(i));
              }
            });
    try (Db db = open()) {
      db.put(key(80_000), value(1));
      db.tree().ingest(List.of(file));
      assertThat(db.tree().stats().levels().stream().mapToLong(TreeStats.LevelStats::files).sum())
          .isGreaterThan(5);
      assertThat(db.get(key(3))).isEqualTo(large);
      assertThat(db.get(key(80_000))).isNull();
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(3_000);
      assertThat(blobs()).isEqualTo(6);
      db.compact(KeyRange.ALL);
      db.deleteRange(KeyRange.ALL);
      db.compact(KeyRange.ALL);
      db.awaitQuiet();
      assertThat(blobs()).as("they go with their records").isZero();
    }
  }

  private long blobs() throws IOException {
    try (Stream<Path> all = Files.list(temporary.resolve("data"))) {
      return all.filter(path -> path.toString().endsWith(".blob")).count();
    }
  }

  @Test
  void severalFilesAreOneWrite() {
    try (Db db = open()) {
      Path second = puts(100, 200, 1);
      Path first = puts(0, 100, 1);
      db.tree().ingest(List.of(second, first));
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(200);
      assertThatThrownBy(() -> db.tree().ingest(List.of(puts(300, 310, 1), puts(309, 320, 1))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("overlap");
      db.tree().ingest(List.of());
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(200);
    }
  }

  @Test
  void gapsThatWereRememberedAreCut() {
    try (Db db = open()) {
      for (int i = 0; i < 300; i++) {
        db.put(key(i), value(i));
      }
      for (int i = 10; i < 290; i++) {
        db.delete(key(i));
      }
      Cursor old = db.cursor();
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(20);
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(20);
      assertThat(db.tree().state().gaps().size()).isPositive();
      db.tree().ingest(List.of(puts(100, 110, 1)));
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(30);
      // A walk of before, over a view that does not have the file, must not teach anything.
      int found = 0;
      for (boolean more = old.first(); more; more = old.next()) {
        found++;
      }
      assertThat(found).isEqualTo(20);
      old.close();
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(30);
      assertThat(db.tree().count(KeyRange.of(key(95), key(105)))).isEqualTo(5);
    }
  }

  @Test
  void whatIsNotRightIsRefusedAndChangesNothing() throws IOException {
    try (Db db = open()) {
      db.put(key(1), value(1));
      db.flush();
      Map<String, Map<String, String>> before = StoreContent.read(db);
      List<String> names = names();
      Path good = puts(0, 400, 3);

      assertRefused(db, temporary.resolve("nowhere"), DbException.Unavailable.class, "nowhere");
      Path empty = temporary.resolve("empty");
      Files.createFile(empty);
      assertRefused(db, empty, DbException.Corrupt.class, "0 bytes");
      Path text = temporary.resolve("text");
      Files.writeString(text, "k".repeat(500));
      assertRefused(db, text, DbException.Corrupt.class, "magic");
      Path table;
      try (Stream<Path> all = Files.list(temporary.resolve("data"))) {
        table = all.filter(path -> path.toString().endsWith(".table")).findFirst().orElseThrow();
      }
      assertRefused(db, table, DbException.Unsupported.class, "a table of a store");
      byte[] bytes = Files.readAllBytes(good);
      Path newer = temporary.resolve("newer");
      Files.write(newer, withFeatures(bytes, 5));
      assertRefused(db, newer, DbException.Unsupported.class, "features 5");
      Path unsorted = temporary.resolve("kinds");
      writeRaw(unsorted, KeyKind.PUT | KeyKind.SUBTREE);
      assertRefused(db, unsorted, DbException.Corrupt.class, "time and kind");
      db.tree().ingest(List.of(good));
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(400);
      assertThat(before.get("default")).hasSize(1);
      assertThat(names).isNotEmpty();
    }
  }

  /** Filters are not read but made anew: damage to one does not matter. */
  @Test
  void damageIsFoundWhereverItMatters() throws IOException {
    byte[] bytes = Files.readAllBytes(puts(0, 400, 3));
    Path path = temporary.resolve("damaged");
    int refused = 0;
    int taken = 0;
    try (Db db = open()) {
      for (int at = 0; at < bytes.length; at += 101) {
        byte[] damaged = bytes.clone();
        damaged[at] ^= 4;
        Files.write(path, damaged);
        Tree tree = db.openTree("tree" + at, TreeOptions.DEFAULT);
        try {
          tree.ingest(List.of(path));
          taken++;
          for (int i = 0; i < 400; i++) {
            assertThat(number(tree.get(key(i)))).isEqualTo(300_000 + i);
          }
        } catch (DbException.Corrupt | DbException.Unsupported e) {
          refused++;
          assertThat(e).hasMessageContaining("damaged");
          assertThat(tree.cursor().first()).isFalse();
        }
      }
    }
    assertThat(refused).isGreaterThan(20 * taken);
  }

  private void assertRefused(Db db, Path file, Class<?> kind, String message) throws IOException {
    List<String> before = names();
    assertThatThrownBy(() -> db.tree().ingest(List.of(file)))
        .isInstanceOf(kind)
        .hasMessageContaining(message)
        .hasMessageContaining(String.valueOf(file.getFileName()));
    assertThat(names()).isEqualTo(before);
    assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(1);
  }

  private List<String> names() throws IOException {
    try (Stream<Path> all = Files.list(temporary.resolve("data"))) {
      return all.map(path -> path.getFileName().toString())
          .filter(name -> name.endsWith(".table") || name.endsWith(".blob"))
          .sorted()
          .toList();
    }
  }

  private static byte[] withFeatures(byte[] table, int features) {
    byte[] bytes = table.clone();
    int footer = bytes.length - 64;
    long identity =
        Fixed.getLong(bytes, footer + 16)
            ^ Fixed.getLong(bytes, footer + 24) * 0x9E37_79B9_7F4A_7C15L;
    Fixed.putInt(bytes, footer + 40, features);
    Fixed.putInt(bytes, footer + 48, Crc32c.bind(Crc32c.of(bytes, footer, 48), identity, footer));
    return bytes;
  }

  /** A file as no TableFileWriter makes it. */
  private static void writeRaw(Path path, int kind) throws IOException {
    try (WritableFile file = new OsFileSystem().create(path)) {
      TableWriter writer = new TableWriter(file, 1, 99, TableWriterOptions.defaults());
      writer.add(key(5), 0, 6, Trailer.of(0, kind), Bytes.EMPTY, 0, 0);
      writer.finishUndated(0);
    }
  }

  /** One who reads the manifest before, and the log after it, must not see what is later only. */
  @Test
  void readersBesideItSeeNothingLaterWithoutIt() {
    Path file = puts(0, 10, 1);
    try (Db db = open()) {
      db.put(key(100), value(1));
      db.flush();
      FaultFileSystem disk = new FaultFileSystem(new OsFileSystem());
      disk.add(
          Fault.on(DiskOperation.OPEN)
              .name(".*\\.wal")
              .pausing(
                  () -> {
                    db.tree().ingest(List.of(file));
                    db.put(key(200), value(2));
                  }));
      try (Db reading =
          Db.openReadOnly(
              temporary.resolve("data"), OPTIONS, Components.DEFAULT.withFileSystem(disk))) {
        assertThat(reading.get(key(200))).isNotNull();
        assertThat(number(reading.get(key(5)))).isEqualTo(100_005);
      }
    }
  }

  @Test
  void inputThatCannotBeClosedIsIngestedAllTheSame() {
    Path file = puts(0, 10, 1);
    FaultFileSystem disk = new FaultFileSystem(new OsFileSystem());
    Components components = Components.DEFAULT.withFileSystem(disk);
    try (Db db = Db.open(temporary.resolve("data"), OPTIONS, components)) {
      String name = String.valueOf(file.getFileName());
      Fault fault = disk.add(Fault.on(DiskOperation.CLOSE).name(name).at(1));
      db.tree().ingest(List.of(file));
      assertThat(fault.fired()).isTrue();
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(10);
    }
  }

  @Test
  void dropsAndCloseEndIt() {
    Path file = puts(0, 10, 1);
    Db db = open();
    Tree other = db.openTree("other", TreeOptions.DEFAULT);
    db.dropTree("other");
    assertThatThrownBy(() -> other.ingest(List.of(file))).isInstanceOf(DbException.Closed.class);
    Tree tree = db.tree();
    db.close();
    assertThatThrownBy(() -> tree.ingest(List.of(file))).isInstanceOf(DbException.Closed.class);
    try (Db reading = Db.openReadOnly(temporary.resolve("data"), OPTIONS)) {
      assertThatThrownBy(() -> reading.tree().ingest(List.of(file)))
          .isInstanceOf(DbException.Unsupported.class);
    }
  }
}
