package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.Seeds;
import dev.siltstone.testkit.run.Simulation;
import dev.siltstone.testkit.time.SimClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a repair saves everything that is not in the damaged piece itself, says what it could not
 * save, changes nothing of the damaged store, and makes a store like any other. Method: a small
 * store with something of everything; its bytes flipped, cut, removed and exchanged; the content of
 * the new store compared with that of the old one, key by key.
 */
final class DbRepairTest {
  private static final Path TARGET = Path.of("/home/repaired");
  private static final int STEP = Integer.getInteger("siltstone.repair.step", 37);

  private final SampleStore store = new SampleStore(1);
  private final Map<String, Map<String, String>> content = store.content();
  private RepairReport report =
      new RepairReport(true, List.of(), 0, 0, 0, 0, List.of(), 0, List.of());

  private static Path path(String name) {
    return SampleStore.DIRECTORY.resolve(name);
  }

  /** Repairs a store, checks that it was not changed and that the new one is sound. */
  private Map<String, Map<String, String>> repair(SimFileSystem disk) throws IOException {
    Map<String, String> before = bytes(disk);
    report =
        Db.repair(SampleStore.DIRECTORY, TARGET, SampleStore.options(), store.components(disk));
    assertThat(bytes(disk)).isEqualTo(before);
    Verification verified = Db.verify(TARGET, store.components(disk), VerifyOptions.DEFAULT);
    assertThat(verified.problems()).isEmpty();
    assertThat(verified.notes()).isEmpty();
    try (Db db = openTarget(disk)) {
      return StoreContent.read(db);
    } finally {
      Db.destroy(TARGET, store.components(disk));
    }
  }

  private Db openTarget(SimFileSystem disk) {
    Db db = Db.open(TARGET, SampleStore.options(), store.components(disk));
    try {
      return SampleStore.withPaths(db);
    } catch (DbException.Unsupported e) {
      return db;
    }
  }

  private static Map<String, String> bytes(SimFileSystem disk) throws IOException {
    Map<String, String> all = new TreeMap<>();
    for (String name : disk.list(SampleStore.DIRECTORY)) {
      byte[] bytes = disk.bytes(path(name));
      all.put(name, bytes.length + ":" + Arrays.hashCode(bytes));
    }
    return all;
  }

  private static List<String> names(SimFileSystem disk, FileNames.Kind kind) throws IOException {
    List<String> names = new ArrayList<>();
    for (String name : disk.list(SampleStore.DIRECTORY)) {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed != null && parsed.kind() == kind) {
        names.add(name);
      }
    }
    names.sort(null);
    return names;
  }

  @Test
  void anUndamagedStoreIsSavedAsItIs() throws IOException {
    assertThat(repair(store.disk())).isEqualTo(content);
    assertThat(report.isComplete()).isTrue();
    assertThat(report.manifestRead()).isTrue();
    assertThat(report.losses()).isEmpty();
    assertThat(report.notes()).isEmpty();
    assertThat(report.blobs()).isEqualTo(6);
    assertThat(report.tablesRead()).isEqualTo(6);
    assertThat(report.logRecords()).isPositive();
    assertThat(report.trees())
        .extracting(RepairReport.RepairedTree::name)
        .containsExactly("default", "one", "log", "empty", "paths");
  }

  @Test
  void everythingIsKeptThatARandomStoreHolds() {
    Seeds.forEach(
        1,
        8,
        seed -> {
          Simulation machine = Simulation.of(seed);
          StoreWorkload workload = new StoreWorkload(seed, machine, machine.fileSystem());
          workload.open();
          for (int i = 0; i < 150; i++) {
            workload.step();
          }
          Map<String, Map<String, String>> expected = StoreContent.read(workload.db());
          workload.close();
          for (boolean manifest : new boolean[] {true, false}) {
            SimFileSystem disk = machine.fileSystem().kill();
            if (!manifest) {
              for (String name : List.copyOf(disk.list(StoreWorkload.DIRECTORY))) {
                if (name.startsWith("MANIFEST") || name.startsWith("CURRENT")) {
                  disk.remove(StoreWorkload.DIRECTORY.resolve(name));
                }
              }
            }
            RepairReport done =
                Db.repair(
                    StoreWorkload.DIRECTORY, TARGET, SampleStore.options(), store.components(disk));
            try (Db db = Db.open(TARGET, SampleStore.options(), store.components(disk))) {
              if (manifest) {
                assertThat(done.losses()).isEmpty();
                assertThat(StoreContent.read(db)).isEqualTo(expected);
              } else {
                assertThat(done.isComplete()).as(done.toString()).isTrue();
                checkAllThere(StoreContent.read(db), expected);
              }
            }
          }
        });
  }

  /** Trees without a table, and without a record in the log, are not known without a manifest. */
  private static void checkAllThere(
      Map<String, Map<String, String>> found, Map<String, Map<String, String>> expected) {
    List<Map<String, String>> contents = new ArrayList<>(found.values());
    expected.forEach(
        (name, entries) -> {
          if (!entries.isEmpty()) {
            assertThat(contents).as(name).contains(entries);
          }
        });
  }

  @Test
  void historyExpiryAndSubtreesAreKept() throws IOException {
    SimFileSystem disk = store.disk();
    byte[] key = SampleStore.key("k06");
    Instant before;
    Components components = store.components(disk);
    try (Db db =
        SampleStore.withPaths(Db.open(SampleStore.DIRECTORY, SampleStore.options(), components))) {
      db.tree("one").put(key, StoreContent.value(70, 30));
      try (Snapshot now = db.snapshot()) {
        before = now.time();
      }
      ((SimClock) components.clock()).jumpWall(1_000_000);
      db.tree("one").put(key, StoreContent.value(71, 30));
      db.tree("paths").deleteSubtree(SampleStore.key("a"));
    }
    Db.repair(SampleStore.DIRECTORY, TARGET, SampleStore.options(), store.components(disk));
    Components later = store.components(disk);
    try (Db db = SampleStore.withPaths(Db.open(TARGET, SampleStore.options(), later));
        Snapshot then = db.asOf(before)) {
      assertThat(db.tree("one").get(key, then)).isEqualTo(StoreContent.value(70, 30));
      assertThat(db.tree("one").get(key)).isEqualTo(StoreContent.value(71, 30));
      assertThat(db.tree("paths").get(SampleStore.key("ax1"))).isNull();
      assertThat(db.tree("one").get(SampleStore.key("soon"))).isNotNull();
      db.put(key, new byte[] {7});
      db.flush();
      db.compact(KeyRange.ALL);
      assertThat(db.get(key)).containsExactly(7);
    }
  }

  @Test
  void aFlippedByteCostsNoMoreThanWhatItIsIn() throws IOException {
    flipBytes(211);
  }

  @Test
  @Tag("slow")
  void manyFlippedBytesCostNoMoreThanWhatTheyAreIn() throws IOException {
    flipBytes(STEP);
  }

  private void flipBytes(int step) throws IOException {
    SimFileSystem disk = store.disk();
    for (Map.Entry<String, Integer> file : SampleStore.files(disk).entrySet()) {
      byte[] bytes = disk.bytes(path(file.getKey()));
      for (int i = step / 9; i < file.getValue(); i += step) {
        byte[] damaged = bytes.clone();
        damaged[i] ^= (byte) (1 << (i % 8));
        disk.setBytes(path(file.getKey()), damaged);
        String at = "byte %d of %s".formatted(i, file.getKey());
        Map<String, Map<String, String>> found = repair(disk);
        if (file.getKey().startsWith("MANIFEST")) {
          // The name of a tree that no table tells may be lost, but nothing else.
          checkAllThere(found, content);
        } else {
          assertThat(checkKept(found, at)).as(at).isLessThan(20);
        }
      }
      disk.setBytes(path(file.getKey()), bytes);
    }
  }

  /**
   * Checks that every entry that differs lies in the keys of a loss, or that a log is damaged.
   *
   * @return how many differ
   */
  private int checkKept(Map<String, Map<String, String>> found, String at) {
    boolean inLog =
        report.losses().stream()
            .anyMatch(l -> !l.isHarmless() && l.file().toString().endsWith("wal"));
    int differences = 0;
    for (Map.Entry<String, Map<String, String>> tree : content.entrySet()) {
      Map<String, String> there = found.getOrDefault(tree.getKey(), Map.of());
      for (String key : union(tree.getValue(), there)) {
        String expected = tree.getValue().get(key);
        if (!java.util.Objects.equals(expected, there.get(key))) {
          differences++;
          assertThat(inLog || isLost(tree.getKey(), key))
              .as(
                  "%s: %s of %s is %s, not %s; %s",
                  at, key, tree.getKey(), there.get(key), expected, report)
              .isTrue();
        }
      }
    }
    return differences;
  }

  private static List<String> union(Map<String, String> a, Map<String, String> b) {
    TreeMap<String, String> all = new TreeMap<>(a);
    all.putAll(b);
    return List.copyOf(all.keySet());
  }

  private boolean isLost(String tree, String key) {
    byte[] bytes = SampleStore.key(key);
    return report.losses().stream()
        .anyMatch(
            loss ->
                !loss.isHarmless()
                    && tree.equals(loss.tree())
                    && (loss.from() == null || Bytes.compare(loss.from(), bytes) <= 0)
                    && (loss.to() == null || Bytes.compare(bytes, loss.to()) <= 0));
  }

  @Test
  void withoutAManifestEverythingIsFoundAgain() throws IOException {
    for (Predicate<String> gone :
        List.<Predicate<String>>of(
            name -> name.startsWith("MANIFEST"),
            name -> name.startsWith("CURRENT"),
            name -> name.startsWith("MANIFEST") || name.startsWith("CURRENT"))) {
      SimFileSystem disk = store.disk();
      for (String name : List.copyOf(disk.list(SampleStore.DIRECTORY))) {
        if (gone.test(name)) {
          disk.remove(path(name));
        }
      }
      Map<String, Map<String, String>> expected = new TreeMap<>(content);
      Map<String, Map<String, String>> found = repair(disk);
      checkNothingIsLost();
      if (!report.manifestRead()) {
        // Dropped, but the log knows nothing of that.
        found.remove("lost-tree-3");
        // Its name stood in the manifest only; of the empty one nothing did elsewhere.
        expected.put("lost-tree-4", expected.remove("log"));
        expected.remove("empty");
        assertThat(report.notes()).anyMatch(note -> note.contains("'lost-tree-4'"));
      }
      assertThat(found).isEqualTo(expected);
    }
  }

  /** The large values of a tree that was dropped are gone for good. */
  private void checkNothingIsLost() {
    assertThat(report.losses())
        .allMatch(loss -> loss.isHarmless() || "lost-tree-3".equals(loss.tree()));
  }

  @Test
  void aManifestThatIsReadableInPartKeepsNamesAndDrops() throws IOException {
    SimFileSystem disk = store.disk();
    try (Db db = store.open(disk)) {
      db.openTree("late", TreeOptions.DEFAULT);
      SampleStore.put(db, "late", "k", 8, 20);
      db.dropTree("empty");
      db.sync();
    }
    Map<String, Map<String, String>> expected = new TreeMap<>(content);
    expected.remove("empty");
    expected.put("late", Map.of("k", "8:20"));
    String manifest = names(disk, FileNames.Kind.MANIFEST).getFirst();
    byte[] bytes = disk.bytes(path(manifest));
    for (int i = 0; i < 64 + 16 + 400; i += 7) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 1;
      disk.setBytes(path(manifest), damaged);
      Map<String, Map<String, String>> found = repair(disk);
      checkNothingIsLost();
      assertThat(report.manifestRead()).isFalse();
      checkAllThere(found, expected);
      if (i >= 64) {
        assertThat(found.keySet()).as("byte " + i).contains("late").doesNotContain("gone", "empty");
      }
    }
  }

  @Test
  void whatIsMissingCostsNoMoreThanItself() throws IOException {
    for (String name : SampleStore.files(store.disk()).keySet()) {
      if (name.startsWith("MANIFEST")) {
        continue;
      }
      SimFileSystem disk = store.disk();
      disk.remove(path(name));
      Map<String, Map<String, String>> found = repair(disk);
      assertThat(report.isComplete()).as(name).isFalse();
      assertThat(report.losses()).as(name).anyMatch(loss -> loss.file().equals(path(name)));
      assertThat(found.keySet()).isEqualTo(content.keySet());
      if (name.endsWith(".table")) {
        // Blobs that only it refers to are no loss of their own, and other trees are whole.
        String tree = String.valueOf(report.losses().getFirst().tree());
        for (String other : content.keySet()) {
          if (!other.equals(tree)) {
            assertThat(found.get(other)).as(other).isEqualTo(content.get(other));
          }
        }
      } else {
        checkKept(found, name);
      }
    }
  }

  @Test
  void aFileThatIsCutIsReadUpToThere() throws IOException {
    for (String name : names(store.disk(), FileNames.Kind.TABLE)) {
      SimFileSystem disk = store.disk();
      byte[] bytes = disk.bytes(path(name));
      for (int length :
          new int[] {0, 1, 500, bytes.length / 2, bytes.length - 64, bytes.length - 1}) {
        disk.setBytes(path(name), Arrays.copyOf(bytes, length));
        Map<String, Map<String, String>> found = repair(disk);
        checkKeptOrMissing(found, "%s cut to %d".formatted(name, length));
        if (length >= bytes.length - 64) {
          assertThat(found).as("%s cut to %d", name, length).isEqualTo(content);
        }
      }
    }
  }

  @Test
  void aLogThatIsCutIsNotCalledWhole() throws IOException {
    for (String name : names(store.disk(), FileNames.Kind.LOG)) {
      SimFileSystem disk = store.disk();
      byte[] bytes = disk.bytes(path(name));
      for (int length : new int[] {0, 1, 11, 63, 64, 65, 200, bytes.length / 2}) {
        disk.setBytes(path(name), Arrays.copyOf(bytes, length));
        checkKept(repair(disk), "%s cut to %d".formatted(name, length));
      }
    }
  }

  private void checkKeptOrMissing(Map<String, Map<String, String>> found, String at) {
    assertThat(report.losses()).as(at).isNotEmpty();
    for (Map.Entry<String, Map<String, String>> tree : content.entrySet()) {
      Map<String, String> there = found.getOrDefault(tree.getKey(), Map.of());
      for (String key : union(tree.getValue(), there)) {
        if (!java.util.Objects.equals(tree.getValue().get(key), there.get(key))) {
          assertThat(isLost(tree.getKey(), key))
              .as("%s: %s of %s", at, key, tree.getKey())
              .isTrue();
        }
      }
    }
  }

  @Test
  void aFileInAnothersPlaceIsNotTakenForIt() throws IOException {
    SimFileSystem other = new SampleStore(2).disk();
    List<String> tables = names(store.disk(), FileNames.Kind.TABLE);
    for (String name : tables) {
      SimFileSystem disk = store.disk();
      disk.setBytes(
          path(name),
          disk.bytes(path(tables.getFirst().equals(name) ? tables.get(1) : tables.getFirst())));
      checkKeptOrMissing(repair(disk), name + " exchanged");
      SimFileSystem foreign = store.disk();
      foreign.setBytes(path(name), other.bytes(path(name)));
      checkKeptOrMissing(repair(foreign), name + " of another store");
    }
  }

  @Test
  void batchesBeforeAndAfterDamageOfTheLogAreWhole() throws IOException {
    SimFileSystem disk = store.disk();
    try (Db db = store.open(disk)) {
      db.openTree("two", TreeOptions.DEFAULT);
      for (int i = 0; i < 20; i++) {
        WriteBatch batch = db.newBatch();
        batch.put(
            db.tree("one"), SampleStore.key("new%02d".formatted(i)), StoreContent.value(i, 20));
        batch.put(
            db.tree("two"), SampleStore.key("new%02d".formatted(i)), StoreContent.value(i, 20));
        db.write(batch, WriteOptions.SYNC);
      }
    }
    String log = names(disk, FileNames.Kind.LOG).getLast();
    int used = 0;
    for (String name : names(disk, FileNames.Kind.LOG)) {
      Integer bytes = SampleStore.files(disk).get(name);
      if (bytes != null) {
        log = name;
        used = bytes;
      }
    }
    byte[] bytes = disk.bytes(path(log));
    int least = 20;
    for (int i = 64; i < used; i += 29) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 1;
      disk.setBytes(path(log), damaged);
      assertThatThrownBy(() -> store.open(disk.kill()))
          .isInstanceOf(DbException.Corrupt.class)
          .hasMessageContaining("repair the store into a new directory")
          .hasMessageContaining("siltstone repair");
      Map<String, Map<String, String>> found = repair(disk);
      int kept = 0;
      for (int batch = 0; batch < 20; batch++) {
        String key = "new%02d".formatted(batch);
        String value = found.get("one").get(key);
        assertThat(found.get("two").get(key)).as("byte " + i).isEqualTo(value);
        kept += value == null ? 0 : 1;
      }
      least = Math.min(least, kept);
      assertThat(kept).as("byte " + i).isGreaterThanOrEqualTo(19);
      assertThat(report.losses()).anyMatch(loss -> !loss.isHarmless());
    }
    assertThat(least).isEqualTo(19);
  }

  @Test
  void aLostLargeValueDoesNotBringAnOlderOneBack() throws IOException {
    SimFileSystem disk = store.disk();
    try (Db db = store.open(disk)) {
      SampleStore.put(db, "one", "k21", 3, 40);
      db.flush();
      SampleStore.put(db, "one", "k21", 4, SampleStore.APART_BYTES + 700);
    }
    String blob = "";
    for (String name : names(disk, FileNames.Kind.BLOB)) {
      blob = disk.size(path(name)) > SampleStore.APART_BYTES + 700 ? name : blob;
    }
    disk.remove(path(blob));
    Map<String, Map<String, String>> found = repair(disk);
    assertThat(found.get("one")).doesNotContainKey("k21").containsKey("k22");
    assertThat(report.losses())
        .singleElement()
        .satisfies(
            loss -> {
              assertThat(loss.tree()).isEqualTo("one");
              assertThat(loss.from()).isEqualTo(SampleStore.key("k21"));
              assertThat(loss.toString()).contains(".blob: missing");
            });
  }

  @Test
  void itRefusesWhatItMustNotTouch() throws IOException {
    SimFileSystem disk = store.disk();
    Components components = store.components(disk);
    assertThatThrownBy(
            () ->
                Db.repair(SampleStore.DIRECTORY, path("inside"), SampleStore.options(), components))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lies in the damaged store");
    disk.createDirectories(TARGET);
    disk.create(TARGET.resolve("mine")).close();
    assertThatThrownBy(
            () -> Db.repair(SampleStore.DIRECTORY, TARGET, SampleStore.options(), components))
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageContaining("is not empty");
    assertThatThrownBy(
            () -> Db.repair(Path.of("/none"), Path.of("/new"), SampleStore.options(), components))
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageContaining("holds no store");
  }

  @Test
  void aRepairThatFailsLeavesNoStore() throws IOException {
    SimFileSystem disk = store.disk();
    long used = 0;
    for (String name : disk.list(SampleStore.DIRECTORY)) {
      used += disk.size(path(name));
    }
    disk.setQuota(used + 6_000);
    Components components = store.components(disk);
    assertThatThrownBy(
            () -> Db.repair(SampleStore.DIRECTORY, TARGET, SampleStore.options(), components))
        .isInstanceOf(DbException.Unavailable.class);
    assertThat(disk.list(TARGET)).isEmpty();
  }

  @Test
  void aLogLongerThanAMemtableIsSavedToo() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    Options roomy =
        Options.builder()
            .memoryBytes(64L << 20)
            .memtableBytes(8L << 20)
            .logSegmentBytes(64L << 10)
            .build();
    Map<String, Map<String, String>> expected;
    try (Db db = Db.open(SampleStore.DIRECTORY, roomy, store.components(disk))) {
      for (int i = 0; i < 600; i++) {
        SampleStore.put(db, "default", "k%03d".formatted(i * 7 % 400), i, 200);
      }
      db.deleteRange(KeyRange.of(SampleStore.key("k100"), SampleStore.key("k150")));
      expected = StoreContent.read(db);
    }
    assertThat(repair(disk)).isEqualTo(expected);
    assertThat(report.logRecords()).isEqualTo(601);
    assertThat(report.isComplete()).isTrue();
  }
}
