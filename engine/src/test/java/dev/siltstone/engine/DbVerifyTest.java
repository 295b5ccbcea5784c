package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.engine.file.FileNames;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.Seeds;
import dev.siltstone.testkit.run.Simulation;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a verification finds every kind of damage, names file and place, goes on after it, and
 * never speaks of damage where there is none, whatever else the store is doing. Method: a small
 * store with something of everything, whose bytes are flipped, cut, removed and exchanged one at a
 * time; and stores that are verified while they are written.
 */
final class DbVerifyTest {
  /** Every byte would take minutes; a step that shares no factor with any structure meets all. */
  private static final int STEP = Integer.getInteger("siltstone.verify.step", 53);

  private final SampleStore store = new SampleStore(1);

  private static Path path(String name) {
    return SampleStore.DIRECTORY.resolve(name);
  }

  @Test
  void aCleanStoreHasNoProblem() throws IOException {
    SimFileSystem disk = store.disk();
    Verification closed = store.verify(disk);
    assertThat(closed.problems()).isEmpty();
    assertThat(closed.isSound()).isTrue();
    assertThat(closed.unchecked()).isEmpty();
    assertThat(closed.notes()).isEmpty();
    assertThat(closed.trees()).isEqualTo(5);
    assertThat(closed.tables().files()).isEqualTo(6);
    assertThat(closed.tables().entries()).isGreaterThan(90);
    assertThat(closed.blobs().files()).isEqualTo(6);
    assertThat(closed.logs().files()).isGreaterThanOrEqualTo(2);
    assertThat(closed.logs().entries()).isPositive();
    assertThat(closed.manifests()).isEqualTo(new Verification.Checked(1, manifestBytes(disk), 6));
    assertThat(closed.bytes()).isGreaterThan(40_000);
    try (Db db = store.open(disk)) {
      assertThat(db.verify(VerifyOptions.DEFAULT).problems()).isEmpty();
      db.flush();
      db.compact(KeyRange.ALL);
      assertThat(db.verify(VerifyOptions.DEFAULT).problems()).isEmpty();
      try (Db reading =
          Db.openReadOnly(SampleStore.DIRECTORY, SampleStore.options(), store.components(disk))) {
        assertThat(reading.verify(VerifyOptions.DEFAULT).problems()).isEmpty();
      }
    }
  }

  private static long manifestBytes(SimFileSystem disk) throws IOException {
    for (String name : disk.list(SampleStore.DIRECTORY)) {
      if (name.startsWith("MANIFEST")) {
        return disk.size(path(name));
      }
    }
    throw new AssertionError("no manifest");
  }

  @Test
  void aFlippedByteIsFoundWithFileAndOffset() throws IOException {
    flipBytes(STEP);
  }

  @Test
  @Tag("slow")
  void everyFlippedByteIsFoundWithFileAndOffset() throws IOException {
    flipBytes(3);
  }

  private void flipBytes(int step) throws IOException {
    SimFileSystem disk = store.disk();
    for (Map.Entry<String, Integer> file : SampleStore.files(disk).entrySet()) {
      byte[] bytes = disk.bytes(path(file.getKey()));
      for (int i = 0; i < file.getValue(); i += step) {
        byte[] damaged = bytes.clone();
        damaged[i] ^= (byte) (1 << (i % 8));
        disk.setBytes(path(file.getKey()), damaged);
        String at = "byte %d of %d of %s".formatted(i, file.getValue(), file.getKey());
        Verification found = store.verify(disk);
        assertThat(found.problems()).as(at).isNotEmpty();
        Verification.Problem first = found.problems().getFirst();
        assertThat(first.file()).as(at + ": " + first).isEqualTo(path(file.getKey()));
        assertThat(first.offset()).as(at + ": " + first).isBetween(-1L, (long) i);
        assertThat(found.complete()).isTrue();
      }
      disk.setBytes(path(file.getKey()), bytes);
    }
    assertThat(store.verify(disk).isSound()).isTrue();
  }

  @Test
  void whatIsCutOrTooLongIsFound() throws IOException {
    SimFileSystem disk = store.disk();
    for (Map.Entry<String, Integer> file : SampleStore.files(disk).entrySet()) {
      byte[] bytes = disk.bytes(path(file.getKey()));
      boolean grows = file.getKey().startsWith("MANIFEST");
      for (int length : new int[] {0, 1, 63, file.getValue() / 2, file.getValue() - 1, -1}) {
        if (length == -1 && grows) {
          continue;
        }
        int newLength = length < 0 ? bytes.length + 1 : length;
        if (grows && length > 64) {
          // A manifest that ends within an edit has a torn tail, which is no damage.
          continue;
        }
        disk.setBytes(path(file.getKey()), Arrays.copyOf(bytes, newLength));
        Verification found = store.verify(disk);
        assertThat(found.problems())
            .as("%s of %d bytes", file.getKey(), newLength)
            .anyMatch(problem -> problem.file().equals(path(file.getKey())));
      }
      disk.setBytes(path(file.getKey()), bytes);
    }
  }

  @Test
  void aManifestThatDoesNotChangeIsReadOnce() throws IOException {
    SimFileSystem disk = store.disk();
    for (String name : SampleStore.files(disk).keySet()) {
      if (name.endsWith(".table")) {
        // Whether damage matters is looked up in the present state.
        disk.setBytes(path(name), new byte[100]);
      }
    }
    FaultFileSystem faults = new FaultFileSystem(disk);
    Fault opens = faults.add(Fault.on(DiskOperation.OPEN).name("MANIFEST-.*").at(Long.MAX_VALUE));
    Components components = store.components(disk).withFileSystem(faults);
    Verification found = Db.verify(SampleStore.DIRECTORY, components, VerifyOptions.DEFAULT);
    assertThat(found.problems()).hasSizeGreaterThan(5);
    assertThat(opens.matched()).isOne();
  }

  @Test
  void whatNobodyMayReadIsNotCheckedWhichIsNoDamage() throws IOException {
    SimFileSystem disk = store.disk();
    for (String name : SampleStore.files(disk).keySet()) {
      FileNames.Parsed parsed = FileNames.parse(name);
      assertThat(parsed).isNotNull();
      if (parsed.kind() != FileNames.Kind.TABLE && parsed.kind() != FileNames.Kind.BLOB) {
        continue;
      }
      FaultFileSystem faults = new FaultFileSystem(disk);
      faults.add(
          Fault.on(DiskOperation.OPEN)
              .name(name)
              .always()
              .failing(() -> new AccessDeniedException(path(name).toString())));
      Components components = store.components(disk).withFileSystem(faults);
      Verification found = Db.verify(SampleStore.DIRECTORY, components, VerifyOptions.DEFAULT);
      assertThat(found.problems()).as(name).isEmpty();
      assertThat(found.complete()).isTrue();
      assertThat(found.isSound()).isFalse();
      assertThat(found.unchecked())
          .containsExactly(new Verification.Unchecked(path(name), "access denied"));
    }
  }

  @Test
  void whatIsMissingIsFound() throws IOException {
    for (String name : SampleStore.files(store.disk()).keySet()) {
      SimFileSystem disk = store.disk();
      disk.remove(path(name));
      Verification found = store.verify(disk);
      assertThat(found.problems())
          .as(name)
          .anySatisfy(problem -> assertThat(problem.file()).isEqualTo(path(name)));
      assertThat(found.complete()).isTrue();
    }
  }

  @Test
  void aFileOfAnotherStoreOrPlaceIsFound() throws IOException {
    SimFileSystem other = new SampleStore(2).disk();
    List<String> names = List.copyOf(SampleStore.files(store.disk()).keySet());
    for (String name : names) {
      SimFileSystem disk = store.disk();
      if (other.exists(path(name))) {
        disk.setBytes(path(name), other.bytes(path(name)));
        assertThat(store.verify(disk).problems()).as("other " + name).isNotEmpty();
      }
      String kind = name.substring(name.indexOf('.') + 1);
      for (String neighbour : names) {
        if (!neighbour.equals(name) && !name.startsWith("M") && neighbour.endsWith(kind)) {
          SimFileSystem swapped = store.disk();
          swapped.setBytes(path(name), swapped.bytes(path(neighbour)));
          assertThat(store.verify(swapped).problems())
              .as("%s under the name %s", neighbour, name)
              .anyMatch(problem -> problem.file().equals(path(name)));
        }
      }
    }
  }

  @Test
  void itGoesOnAfterAProblem() throws IOException {
    SimFileSystem disk = store.disk();
    List<String> tables = new ArrayList<>();
    for (String name : SampleStore.files(disk).keySet()) {
      if (name.endsWith(".table")) {
        byte[] bytes = disk.bytes(path(name));
        bytes[40] ^= 1;
        bytes[bytes.length - 180] ^= 1;
        disk.setBytes(path(name), bytes);
        tables.add(name);
      }
    }
    Verification found = store.verify(disk);
    for (String name : tables) {
      assertThat(found.problems().stream().filter(p -> p.file().equals(path(name))).count())
          .as(name)
          .isEqualTo(2);
    }
    assertThat(found.problemCount()).isEqualTo(found.problems().size());
    assertThat(found.notes()).anyMatch(note -> note.what().contains("of tree 'one'"));
    assertThat(found.isSound()).isFalse();
  }

  @Test
  void everyDamagedChunkOfABlobIsFound() throws IOException {
    SimFileSystem disk = store.disk();
    int length = (2 << 20) + 5;
    try (Db db = store.open(disk)) {
      db.put(SampleStore.key("huge"), StoreContent.value(9, length));
    }
    String blob = "";
    for (String name : SampleStore.files(disk).keySet()) {
      blob = name.endsWith(".blob") && disk.size(path(name)) > length ? name : blob;
    }
    byte[] bytes = disk.bytes(path(blob));
    bytes[100] ^= 1;
    bytes[bytes.length - 1] ^= 1;
    disk.setBytes(path(blob), bytes);
    assertThat(store.verify(disk).problems())
        .extracting(Verification.Problem::offset)
        .containsExactly(36L, 36L + 2 * ((1 << 20) + 4));
  }

  @Test
  void withoutAManifestTheRestIsCheckedAllTheSame() throws IOException {
    SimFileSystem disk = store.disk();
    String table = "";
    for (String name : List.copyOf(disk.list(SampleStore.DIRECTORY))) {
      if (name.startsWith("MANIFEST") || name.startsWith("CURRENT")) {
        disk.remove(path(name));
      } else if (name.endsWith(".table")) {
        table = name;
      }
    }
    byte[] bytes = disk.bytes(path(table));
    bytes[30] ^= 4;
    disk.setBytes(path(table), bytes);
    Verification found = store.verify(disk);
    assertThat(found.problems()).hasSize(2);
    assertThat(found.problems().get(0).what()).contains("no manifest");
    assertThat(found.problems().get(1)).matches(p -> p.toString().contains(".table at offset 0:"));
    assertThat(found.trees()).isZero();
  }

  @Test
  void filesThatNobodyNeedsAreNotes() throws IOException {
    SimFileSystem disk = store.disk();
    for (String name : new String[] {"900000.table", "900001.blob", "900002.tmp", "notes.txt"}) {
      disk.create(path(name)).close();
    }
    Verification found = store.verify(disk);
    assertThat(found.isSound()).isTrue();
    assertThat(found.notes())
        .extracting(note -> note.file().getFileName().toString())
        .containsExactlyInAnyOrder("900000.table", "900001.blob", "900002.tmp", "notes.txt");
  }

  @Test
  void aDirectoryWithoutAStoreIsRefused() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    assertThatThrownBy(() -> store.verify(disk))
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageContaining("holds no store");
    disk.createDirectories(SampleStore.DIRECTORY);
    assertThatThrownBy(() -> store.verify(disk))
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageContaining("holds no store");
  }

  @Test
  void aLiveLogMustReachToWhereItIsDurable() throws IOException {
    SimFileSystem disk = store.disk();
    try (Db db = store.open(disk)) {
      db.tree().put(SampleStore.key("last"), new byte[100], WriteOptions.SYNC);
      assertThat(db.verify(VerifyOptions.DEFAULT).problems()).isEmpty();
      String log = newestLog(disk);
      byte[] bytes = disk.bytes(path(log));
      int end = bytes.length;
      while (bytes[end - 1] == 0) {
        end--;
      }
      bytes[end - 60] ^= 1;
      disk.setBytes(path(log), bytes);
      // To a next open this is a torn tail; only the store knows better.
      assertThat(db.verify(VerifyOptions.DEFAULT).problems())
          .singleElement()
          .matches(problem -> problem.file().equals(path(log)) && problem.offset() > 0);
    }
  }

  private static String newestLog(SimFileSystem disk) throws IOException {
    String newest = "";
    for (String name : disk.list(SampleStore.DIRECTORY)) {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed != null
          && parsed.kind() == FileNames.Kind.LOG
          && disk.bytes(path(name))[64] != 0
          && name.compareTo(newest) > 0) {
        newest = name;
      }
    }
    return newest;
  }

  @Test
  void itCanBeStopped() {
    SimFileSystem disk = store.disk();
    AtomicLong calls = new AtomicLong();
    VerifyOptions twice =
        VerifyOptions.DEFAULT.withProgress(
            (file, bytes, total) -> {
              assertThat(file.startsWith(SampleStore.DIRECTORY)).isTrue();
              assertThat(bytes).isBetween(0L, total);
              return calls.incrementAndGet() < 10;
            });
    Verification found = Db.verify(SampleStore.DIRECTORY, store.components(disk), twice);
    assertThat(calls.get()).isEqualTo(10);
    assertThat(found.complete()).isFalse();
    assertThat(found.isSound()).isFalse();
    assertThat(found.problems()).isEmpty();
  }

  @Test
  void closingTheStoreEndsIt() {
    Db db = store.open(store.disk());
    VerifyOptions closing =
        VerifyOptions.DEFAULT.withProgress(
            (_, _, _) -> {
              db.close();
              return true;
            });
    assertThatThrownBy(() -> db.verify(closing)).isInstanceOf(DbException.Closed.class);
    assertThatThrownBy(() -> db.verify(VerifyOptions.DEFAULT))
        .isInstanceOf(DbException.Closed.class);
  }

  @Test
  void theBlockCacheIsNeitherAskedNorFilled() {
    try (Db db = store.open(store.disk())) {
      DbStats before = db.stats();
      db.verify(VerifyOptions.DEFAULT);
      DbStats after = db.stats();
      assertThat(after.cacheHits()).isEqualTo(before.cacheHits());
      assertThat(after.cacheMisses()).isEqualTo(before.cacheMisses());
      assertThat(after.cacheBytes()).isEqualTo(before.cacheBytes());
    }
  }

  @Test
  void whateverTheStoreDoesMeanwhileIsNoProblem() {
    Seeds.forEach(
        1,
        6,
        seed -> {
          Simulation machine = Simulation.of(seed);
          StoreWorkload workload = new StoreWorkload(seed, machine, machine.fileSystem());
          workload.open();
          for (int round = 0; round < 12; round++) {
            for (int i = 0; i < 25; i++) {
              workload.step();
            }
            AtomicLong calls = new AtomicLong();
            VerifyOptions busy =
                VerifyOptions.DEFAULT.withProgress(
                    (_, _, _) -> {
                      if (calls.incrementAndGet() % 5 == 0) {
                        workload.stepOpen();
                      }
                      return true;
                    });
            assertThat(workload.db().verify(busy).problems()).isEmpty();
            // As another process would, without a lock.
            Components foreign = Components.DEFAULT.withFileSystem(machine.fileSystem());
            assertThat(Db.verify(StoreWorkload.DIRECTORY, foreign, busy).problems()).isEmpty();
          }
          workload.close();
        });
  }

  @Test
  void writersOnOtherThreadsAreNoProblem(@TempDir Path directory) throws InterruptedException {
    Options options =
        Options.builder()
            .memoryBytes(8L << 20)
            .memtableBytes(64L << 10)
            .tableBytes(64L << 10)
            .levelBaseBytes(256L << 10)
            .logSegmentBytes(64L << 10)
            .separateValueBytes(4 << 10)
            .build();
    try (Db db = Db.open(directory, options)) {
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < 20_000; i++) {
                      int length = i % 500 == 0 ? 5_000 : 100;
                      db.put(SampleStore.key("k" + i * 7919 % 3_000), new byte[length]);
                    }
                  });
      int rounds = 0;
      while (writer.isAlive() || rounds == 0) {
        assertThat(db.verify(VerifyOptions.DEFAULT).problems()).isEmpty();
        assertThat(Db.verify(directory, Components.DEFAULT, VerifyOptions.DEFAULT).problems())
            .isEmpty();
        rounds++;
      }
      writer.join();
      db.awaitQuiet();
      assertThat(db.verify(VerifyOptions.DEFAULT).isSound()).isTrue();
    }
  }
}
