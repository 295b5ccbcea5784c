package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the API promises, call by call, on a store in a real directory. */
final class DbTest {
  @TempDir Path directory;

  @Test
  void getReturnsWhatWasPut() {
    try (Db db = Db.open(directory)) {
      db.put(bytes("a"), bytes("1"));
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("1"));
      assertThat(db.get(bytes("b"))).isNull();
      assertThat(db.tree().contains(bytes("a"))).isTrue();
      assertThat(db.tree().contains(bytes(""))).isFalse();
    }
  }

  @Test
  void emptyKeyAndEmptyValueAreOrdinary() {
    try (Db db = Db.open(directory)) {
      db.put(new byte[0], bytes("root"));
      db.put(bytes("k"), new byte[0]);
      db.flush();
      assertThat(db.get(new byte[0])).isEqualTo(bytes("root"));
      assertThat(db.get(bytes("k"))).isEmpty();
      assertThat(keys(db)).containsExactly("", "k");
    }
  }

  @Test
  void laterPutWinsAndDeleteHides() {
    try (Db db = Db.open(directory)) {
      db.put(bytes("a"), bytes("1"));
      db.flush();
      db.put(bytes("a"), bytes("2"));
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("2"));
      db.delete(bytes("a"));
      assertThat(db.get(bytes("a"))).isNull();
      db.flush();
      assertThat(db.get(bytes("a"))).isNull();
      db.compact(KeyRange.ALL);
      assertThat(db.get(bytes("a"))).isNull();
      assertThat(db.tree().stats().tableEntries()).isZero();
    }
  }

  @Test
  void acknowledgedWritesAreThereAfterReopen() {
    try (Db db = Db.open(directory)) {
      for (int i = 0; i < 1_000; i++) {
        db.put(bytes("key" + i), bytes("value" + i));
      }
    }
    try (Db db = Db.open(directory)) {
      for (int i = 0; i < 1_000; i++) {
        assertThat(db.get(bytes("key" + i))).isEqualTo(bytes("value" + i));
      }
      db.flush();
      db.put(bytes("key0"), bytes("new"));
    }
    try (Db db = Db.open(directory)) {
      assertThat(db.get(bytes("key0"))).isEqualTo(bytes("new"));
      assertThat(db.get(bytes("key999"))).isEqualTo(bytes("value999"));
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(1_000);
    }
  }

  @Test
  void batchIsAppliedAsAWholeAcrossTrees() {
    try (Db db = Db.open(directory)) {
      Tree users = db.openTree("users", TreeOptions.DEFAULT);
      Tree index = db.openTree("index", TreeOptions.DEFAULT);
      Snapshot before = db.snapshot();
      db.write(
          db.newBatch().put(users, bytes("1"), bytes("ada")).put(index, bytes("ada"), bytes("1")));
      assertThat(users.get(bytes("1"), before)).isNull();
      assertThat(index.get(bytes("ada"), before)).isNull();
      assertThat(users.get(bytes("1"))).isEqualTo(bytes("ada"));
      assertThat(index.get(bytes("ada"))).isEqualTo(bytes("1"));
      assertThat(db.get(bytes("1"))).isNull();
      before.close();
    }
    try (Db db = Db.open(directory)) {
      assertThat(db.treeNames()).containsExactly("default", "index", "users");
      assertThat(db.tree("users").get(bytes("1"))).isEqualTo(bytes("ada"));
      assertThatThrownBy(() -> db.tree("nobody"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("nobody");
    }
  }

  @Test
  void laterWritesOfABatchWin() {
    try (Db db = Db.open(directory)) {
      db.put(bytes("a3"), bytes("old"));
      Tree tree = db.tree();
      db.write(
          db.newBatch()
              .put(bytes("a1"), bytes("gone"))
              .put(bytes("b"), bytes("1"))
              .put(bytes("b"), bytes("2"))
              .deleteRange(tree, KeyRange.prefix(bytes("a")))
              .put(bytes("a2"), bytes("stays")));
      assertThat(keys(db)).containsExactly("a2", "b");
      assertThat(db.get(bytes("b"))).isEqualTo(bytes("2"));
      db.flush();
      assertThat(keys(db)).containsExactly("a2", "b");
    }
  }

  @Test
  void rangeDeleteHidesOlderOnly() {
    try (Db db = Db.open(directory)) {
      for (String key : List.of("a", "b", "c", "d")) {
        db.put(bytes(key), bytes(key));
      }
      db.flush();
      db.deleteRange(KeyRange.of(bytes("b"), bytes("d")));
      assertThat(keys(db)).containsExactly("a", "d");
      db.put(bytes("c"), bytes("again"));
      assertThat(keys(db)).containsExactly("a", "c", "d");
      assertThat(db.get(bytes("b"))).isNull();
      db.flush();
      assertThat(keys(db)).containsExactly("a", "c", "d");
      db.compact(KeyRange.ALL);
      assertThat(keys(db)).containsExactly("a", "c", "d");
      assertThat(db.tree().stats().tableEntries()).isEqualTo(3);
      db.deleteRange(KeyRange.ALL);
      assertThat(keys(db)).isEmpty();
      assertThatThrownBy(() -> db.deleteRange(KeyRange.of(bytes("z"), bytes("a"))))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void subtreeDeleteOnAPlainTreeHidesThePrefix() {
    try (Db db = Db.open(directory)) {
      for (String key : List.of("p", "p1", "p1x", "p2", "q")) {
        db.put(bytes(key), bytes(key));
      }
      db.tree().deleteSubtree(bytes("p1"));
      assertThat(keys(db)).containsExactly("p", "p2", "q");
      db.tree().putSubtree(bytes("p"), bytes("new"));
      assertThat(keys(db)).containsExactly("p", "q");
      assertThat(db.get(bytes("p"))).isEqualTo(bytes("new"));
    }
  }

  @Test
  void expiredValueIsGone() throws InterruptedException {
    try (Db db = Db.open(directory)) {
      db.tree().put(bytes("long"), bytes("1"), Duration.ofHours(1));
      db.tree().put(bytes("short"), bytes("2"), Duration.ofNanos(1_000));
      Thread.onSpinWait();
      Instant end = Instant.now().plusMillis(2);
      while (Instant.now().isBefore(end)) {
        Thread.onSpinWait();
      }
      assertThat(db.get(bytes("long"))).isEqualTo(bytes("1"));
      assertThat(db.get(bytes("short"))).isNull();
      assertThat(keys(db)).containsExactly("long");
      db.compact(KeyRange.ALL);
      assertThat(keys(db)).containsExactly("long");
      assertThat(db.tree().stats().tableEntries()).isEqualTo(1);
      assertThatThrownBy(() -> db.tree().put(bytes("k"), bytes("v"), Duration.ZERO))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void snapshotSeesItsMomentThroughFlushAndCompaction() {
    try (Db db = Db.open(directory)) {
      db.put(bytes("a"), bytes("1"));
      db.put(bytes("b"), bytes("1"));
      try (Snapshot snapshot = db.snapshot()) {
        db.put(bytes("a"), bytes("2"));
        db.delete(bytes("b"));
        db.put(bytes("c"), bytes("2"));
        db.compact(KeyRange.ALL);
        assertThat(db.get(bytes("a"), snapshot)).isEqualTo(bytes("1"));
        assertThat(db.get(bytes("b"), snapshot)).isEqualTo(bytes("1"));
        assertThat(db.get(bytes("c"), snapshot)).isNull();
        try (Cursor cursor = db.tree().cursor(ReadOptions.DEFAULT.withSnapshot(snapshot))) {
          assertThat(keys(cursor)).containsExactly("a", "b");
        }
      }
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("2"));
      db.compact(KeyRange.ALL);
      assertThat(db.tree().stats().tableEntries()).isEqualTo(2);
    }
  }

  @Test
  void asOfReadsThePastWithinTheRetention() {
    Options options =
        Options.builder()
            .defaultTree(TreeOptions.DEFAULT.withRetention(Duration.ofHours(1)))
            .build();
    try (Db db = Db.open(directory, options)) {
      db.put(bytes("a"), bytes("1"));
      Instant then;
      try (Cursor cursor = db.cursor()) {
        assertThat(cursor.first()).isTrue();
        then = cursor.writeTime();
      }
      Instant later = then.plusNanos(50_000);
      while (!Instant.now().isAfter(later)) {
        Thread.onSpinWait();
      }
      db.put(bytes("a"), bytes("2"));
      db.compact(KeyRange.ALL);
      try (Snapshot past = db.asOf(then)) {
        assertThat(db.get(bytes("a"), past)).isEqualTo(bytes("1"));
      }
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("2"));
    }
  }

  @Test
  void theDefaultTreeKeepsItsOptionsUnlessOthersAreGiven() {
    TreeOptions kept = TreeOptions.DEFAULT.withRetention(Duration.ofHours(1)).withBlockBytes(4096);
    Db.open(directory, Options.builder().defaultTree(kept).build()).close();
    try (Db db = Db.open(directory)) {
      assertThat(db.tree().options()).isEqualTo(kept);
    }
    try (Db db = Db.openReadOnly(directory, Options.DEFAULT)) {
      assertThat(db.tree().options()).isEqualTo(kept);
    }
    Options others = Options.builder().defaultTree(TreeOptions.DEFAULT).build();
    try (Db db = Db.open(directory, others)) {
      assertThat(db.tree().options()).isEqualTo(TreeOptions.DEFAULT);
    }
    try (Db db = Db.open(directory)) {
      assertThat(db.tree().options()).isEqualTo(TreeOptions.DEFAULT);
    }
  }

  @Test
  void asOfBeyondTheRetentionIsRefused() {
    try (Db db = Db.open(directory)) {
      db.put(bytes("a"), bytes("1"));
      Instant then = Instant.now().minusSeconds(5);
      db.compact(KeyRange.ALL);
      assertThatThrownBy(() -> db.asOf(then))
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessageMatching(
              "the history of every tree before 2[-0-9]{9}T[0-9:.]{8,15}Z is gone, asked for "
                  + then
                  + "; a longer TreeOptions.retention keeps more");
      assertThatThrownBy(() -> db.asOf(Instant.EPOCH))
          .hasMessageContaining("asked for 1970-01-01T00:00:00Z;");
    }
  }

  @Test
  void everyTreeHasTheHistoryOfItsOwnRetention() throws InterruptedException {
    Instant then;
    TreeOptions keeping = TreeOptions.DEFAULT.withRetention(Duration.ofHours(1));
    try (Db db = Db.open(directory)) {
      Tree kept = db.openTree("kept", keeping);
      db.put(bytes("a"), bytes("1"));
      kept.put(bytes("a"), bytes("1"));
      then = Instant.now();
      Thread.sleep(Duration.ofMillis(2));
      db.put(bytes("a"), bytes("2"));
      kept.put(bytes("a"), bytes("2"));
      db.compact(KeyRange.ALL);
      kept.compact(KeyRange.ALL);
      requireHistory(db, then);
    }
    try (Db db = Db.open(directory)) {
      requireHistory(db, then);
    }
  }

  private static void requireHistory(Db db, Instant then) {
    try (Snapshot past = db.asOf(then)) {
      assertThat(db.tree("kept").get(bytes("a"), past)).isEqualTo(bytes("1"));
      ReadOptions at = ReadOptions.DEFAULT.withSnapshot(past);
      assertThatThrownBy(() -> db.get(bytes("a"), past))
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessageMatching(
              "the history of tree 'default' before 2\\S+Z is gone, asked for "
                  + then.truncatedTo(ChronoUnit.MICROS)
                  + ";.*");
      assertThatThrownBy(() -> db.tree().cursor(at)).isInstanceOf(DbException.Unavailable.class);
    }
    try (Snapshot future = db.asOf(Instant.MAX)) {
      assertThat(db.get(bytes("a"), future)).isEqualTo(bytes("2"));
    }
    assertThatThrownBy(() -> db.asOf(Instant.MIN)).isInstanceOf(DbException.Unavailable.class);
    assertThatThrownBy(() -> db.asOf(then.minus(Duration.ofHours(2))))
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageContaining("the history of every tree before");
  }

  @Test
  void cursorMovesBothWaysWithinItsBounds() {
    try (Db db = Db.open(directory)) {
      for (int i = 0; i < 100; i++) {
        db.put(key(i), key(i));
        if (i % 25 == 24) {
          db.flush();
        }
      }
      try (Cursor cursor = db.cursor(KeyRange.of(key(10), key(20)))) {
        assertThat(cursor.first()).isTrue();
        assertThat(cursor.key()).isEqualTo(key(10));
        assertThat(cursor.last()).isTrue();
        assertThat(cursor.key()).isEqualTo(key(19));
        assertThat(cursor.next()).isFalse();
        assertThat(cursor.valid()).isFalse();
        assertThatThrownBy(cursor::key).isInstanceOf(IllegalStateException.class);
        assertThat(cursor.seek(key(15))).isTrue();
        assertThat(cursor.prev()).isTrue();
        assertThat(cursor.key()).isEqualTo(key(14));
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.key()).isEqualTo(key(15));
        assertThat(cursor.seekForPrev(bytes("k00012x"))).isTrue();
        assertThat(cursor.key()).isEqualTo(key(12));
        assertThat(cursor.seek(key(0))).isTrue();
        assertThat(cursor.key()).isEqualTo(key(10));
        assertThat(cursor.seekForPrev(key(50))).isTrue();
        assertThat(cursor.key()).isEqualTo(key(19));
        assertThat(cursor.seek(key(20))).isFalse();
        assertThat(cursor.seekForPrev(key(9))).isFalse();
      }
    }
  }

  @Test
  void cursorDoesNotSeeLaterWrites() {
    try (Db db = Db.open(directory)) {
      db.put(bytes("a"), bytes("1"));
      try (Cursor cursor = db.cursor()) {
        db.put(bytes("b"), bytes("1"));
        db.deleteRange(KeyRange.ALL);
        db.compact(KeyRange.ALL);
        assertThat(keys(cursor)).containsExactly("a");
      }
      assertThat(keys(db)).isEmpty();
    }
  }

  @Test
  void cursorPassesManyOldVersionsOfAKeyThatWasBornAgain() {
    try (Db db = Db.open(directory)) {
      db.put(bytes("z"), bytes("end"));
      for (int i = 0; i < 100; i++) {
        db.put(bytes("k"), bytes("v" + i));
        db.delete(bytes("k"));
      }
      try (Snapshot snapshot = db.snapshot()) {
        // Newer than the snapshot: its readers can learn nothing of the key, and must not try on.
        db.put(bytes("k"), bytes("again"));
        try (Cursor cursor = db.tree().cursor(ReadOptions.DEFAULT.withSnapshot(snapshot))) {
          assertThat(keys(cursor)).containsExactly("z");
        }
      }
    }
  }

  @Test
  void shortLivesDoNotPileLogsUp() throws Exception {
    for (int life = 0; life < 30; life++) {
      try (Db db = Db.open(directory)) {
        db.put(bytes("k" + life), bytes("v"));
        db.awaitQuiet();
      }
    }
    assertThat(fileNames().stream().filter(name -> name.endsWith(".wal")).count()).isLessThan(15);
    try (Db db = Db.open(directory)) {
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(30);
    }
  }

  @Test
  void borrowedSegmentsHoldTheValue() {
    try (Db db = Db.open(directory)) {
      db.put(bytes("a"), bytes("value"));
      var segment = db.tree().getSegment(bytes("a"));
      assertThat(segment).isNotNull();
      assertThat(segment.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes("value"));
      assertThat(segment.isReadOnly()).isTrue();
      try (Cursor cursor = db.cursor()) {
        cursor.first();
        assertThat(cursor.keySegment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes("a"));
        assertThat(cursor.valueSegment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes("value"));
      }
    }
  }

  @Test
  void largeValuesAreStoredApartAndComeBack() throws Exception {
    byte[] large = new byte[3 << 20];
    Arrays.fill(large, (byte) 7);
    large[large.length - 1] = 9;
    try (Db db = Db.open(directory)) {
      db.put(bytes("large"), large);
      assertThat(db.get(bytes("large"))).isEqualTo(large);
      assertThat(blobFiles()).isEqualTo(1);
    }
    try (Db db = Db.open(directory)) {
      assertThat(db.get(bytes("large"))).isEqualTo(large);
      db.flush();
      assertThat(db.get(bytes("large"))).isEqualTo(large);
      db.compact(KeyRange.ALL);
      try (Cursor cursor = db.cursor()) {
        assertThat(cursor.first()).isTrue();
        assertThat(cursor.value()).isEqualTo(large);
      }
      db.delete(bytes("large"));
      db.compact(KeyRange.ALL);
      db.awaitQuiet();
      assertThat(db.get(bytes("large"))).isNull();
      assertThat(blobFiles()).isZero();
    }
  }

  @Test
  void limitsAreCheckedAndNamed() {
    try (Db db = Db.open(directory)) {
      assertThatThrownBy(() -> db.put(new byte[WriteBatch.KEY_BYTES_MAX + 1], bytes("v")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("65537");
      byte[] longest = new byte[WriteBatch.KEY_BYTES_MAX];
      db.put(longest, bytes("v"));
      db.flush();
      assertThat(db.get(longest)).isEqualTo(bytes("v"));
      assertThatThrownBy(() -> Options.builder().levelFanout(1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("levelFanout 1: 2 to 100");
    }
  }

  @Test
  void secondOpenIsRefusedWithTheOwnersName() {
    try (Db db = Db.open(directory)) {
      assertThatThrownBy(() -> Db.open(directory))
          .isInstanceOf(DbException.Busy.class)
          .hasMessageContaining(Long.toString(ProcessHandle.current().pid()));
      db.put(bytes("a"), bytes("1"));
    }
    try (Db db = Db.open(directory)) {
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("1"));
    }
  }

  @Test
  void everyHandleOfAClosedStoreThrowsClosed() {
    Db db = Db.open(directory);
    Tree tree = db.tree();
    tree.put(bytes("a"), bytes("1"));
    Cursor cursor = db.cursor();
    cursor.first();
    Snapshot snapshot = db.snapshot();
    WriteBatch batch = db.newBatch().put(bytes("b"), bytes("2"));
    db.close();
    db.close();
    assertThatThrownBy(() -> db.get(bytes("a"))).isInstanceOf(DbException.Closed.class);
    assertThatThrownBy(() -> tree.put(bytes("a"), bytes("1")))
        .isInstanceOf(DbException.Closed.class);
    assertThatThrownBy(cursor::next).isInstanceOf(DbException.Closed.class);
    assertThatThrownBy(() -> tree.get(bytes("a"), snapshot)).isInstanceOf(DbException.Closed.class);
    assertThatThrownBy(() -> db.write(batch)).isInstanceOf(DbException.Closed.class);
    assertThatThrownBy(db::snapshot).isInstanceOf(DbException.Closed.class);
    assertThatThrownBy(db::flush).isInstanceOf(DbException.Closed.class);
    assertThatThrownBy(db::stats).isInstanceOf(DbException.Closed.class);
    assertThatThrownBy(db::cursor).isInstanceOf(DbException.Closed.class);
    cursor.close();
    snapshot.close();
  }

  @Test
  void droppedTreeIsGoneForGood() {
    try (Db db = Db.open(directory)) {
      Tree tree = db.openTree("t", TreeOptions.DEFAULT);
      tree.put(bytes("a"), bytes("1"));
      tree.flush();
      tree.put(bytes("b"), bytes("1"));
      Cursor cursor = tree.cursor();
      db.dropTree("t");
      assertThatThrownBy(() -> tree.get(bytes("a"))).isInstanceOf(DbException.Closed.class);
      assertThatThrownBy(() -> tree.put(bytes("a"), bytes("2")))
          .isInstanceOf(DbException.Closed.class);
      assertThat(keys(cursor)).containsExactly("a", "b");
      cursor.close();
      assertThat(db.openTree("t", TreeOptions.DEFAULT).get(bytes("a"))).isNull();
      assertThatThrownBy(() -> db.dropTree("default")).isInstanceOf(IllegalArgumentException.class);
    }
    try (Db db = Db.open(directory)) {
      assertThat(db.tree("t").count(KeyRange.ALL)).isZero();
    }
  }

  @Test
  void readOnlyOpenSeesALiveWritersDataAndWritesNothing() throws Exception {
    try (Db db = Db.open(directory)) {
      db.put(bytes("flushed"), bytes("1"));
      db.flush();
      db.put(bytes("logged"), bytes("2"));
      List<String> before = fileNames();
      try (Db reader = Db.openReadOnly(directory, Options.DEFAULT)) {
        assertThat(reader.get(bytes("flushed"))).isEqualTo(bytes("1"));
        assertThat(reader.get(bytes("logged"))).isEqualTo(bytes("2"));
        db.put(bytes("later"), bytes("3"));
        assertThat(reader.get(bytes("later"))).isNull();
        db.deleteRange(KeyRange.ALL);
        db.compact(KeyRange.ALL);
        assertThat(keys(reader)).containsExactly("flushed", "logged");
        assertThatThrownBy(() -> reader.put(bytes("x"), bytes("y")))
            .isInstanceOf(DbException.Unsupported.class)
            .hasMessageContaining("reading only");
      }
      assertThat(before).isNotEmpty();
    }
    List<String> closed = fileNames();
    try (Db reader = Db.openReadOnly(directory, Options.DEFAULT)) {
      assertThat(keys(reader)).isEmpty();
    }
    assertThat(fileNames()).isEqualTo(closed);
  }

  @Test
  void openOptionsDecideAboutMissingAndExistingStores() {
    Options never = Options.builder().createIfMissing(false).build();
    assertThatThrownBy(() -> Db.open(directory.resolve("none"), never))
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageContaining("none");
    assertThat(Files.exists(directory.resolve("none"))).isFalse();
    Db.open(directory).close();
    Options fresh = Options.builder().errorIfExists(true).build();
    assertThatThrownBy(() -> Db.open(directory, fresh)).isInstanceOf(DbException.Unavailable.class);
    Db.open(directory, never).close();
  }

  @Test
  void destroyRemovesOwnFilesOnly() throws Exception {
    Path store = directory.resolve("store");
    try (Db db = Db.open(store)) {
      db.put(bytes("a"), bytes("1"));
      db.flush();
      assertThatThrownBy(() -> Db.destroy(store)).isInstanceOf(DbException.Busy.class);
    }
    Files.writeString(store.resolve("notes.txt"), "mine");
    Db.destroy(store);
    assertThat(store.resolve("notes.txt")).exists();
    try (var left = Files.list(store)) {
      assertThat(left).hasSize(1);
    }
    Files.delete(store.resolve("notes.txt"));
    Db.open(store).close();
    Db.destroy(store);
    assertThat(store).doesNotExist();
  }

  @Test
  void syncWritesAndStatsAreCounted() {
    try (Db db = Db.open(directory)) {
      db.write(db.newBatch().put(bytes("a"), bytes("1")), WriteOptions.SYNC);
      db.sync();
      db.get(bytes("a"));
      db.get(bytes("b"));
      db.flush();
      DbStats stats = db.stats();
      assertThat(stats.logSyncs()).isGreaterThanOrEqualTo(2);
      assertThat(stats.batches()).isEqualTo(1);
      assertThat(stats.gets()).isEqualTo(2);
      assertThat(stats.getHits()).isEqualTo(1);
      assertThat(stats.flushes()).isEqualTo(1);
      assertThat(stats.trees()).hasSize(1);
      assertThat(stats.trees().getFirst().tableEntries()).isEqualTo(1);
    }
  }

  @Test
  void approximateBytesGrowsWithTheRange() {
    try (Db db = Db.open(directory)) {
      byte[] value = new byte[1_000];
      for (int i = 0; i < 5_000; i++) {
        value[i % 1_000] = (byte) i;
        db.put(key(i), value);
      }
      db.flush();
      long all = db.tree().approximateBytes(KeyRange.ALL);
      long half = db.tree().approximateBytes(KeyRange.of(key(0), key(2_500)));
      assertThat(half).isBetween(all / 3, all * 2 / 3);
      assertThat(db.tree().approximateBytes(KeyRange.prefix(bytes("zzz")))).isZero();
    }
  }

  private long blobFiles() throws Exception {
    return fileNames().stream().filter(name -> name.endsWith(".blob")).count();
  }

  private List<String> fileNames() throws Exception {
    try (var files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static List<String> keys(Db db) {
    try (Cursor cursor = db.cursor()) {
      return keys(cursor);
    }
  }

  private static List<String> keys(Cursor cursor) {
    List<String> forward = new ArrayList<>();
    for (boolean more = cursor.first(); more; more = cursor.next()) {
      forward.add(new String(cursor.key(), UTF_8));
    }
    List<String> backward = new ArrayList<>();
    for (boolean more = cursor.last(); more; more = cursor.prev()) {
      backward.addFirst(new String(cursor.key(), UTF_8));
    }
    assertThat(backward).isEqualTo(forward);
    return forward;
  }

  private static byte[] key(int i) {
    return bytes("k%05d".formatted(i));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
