package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.testkit.disk.CrashMode;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.Seeds;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.run.Simulation;
import dev.siltstone.testkit.time.SimClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Goal: whatever else happens to a tree, what was ingested reads as if it had been written as one
 * batch at that moment, for readers of all times; and a crash or a failure at any point of it
 * leaves all of it or nothing. Method: random writes, ingestions, flushes, compactions, snapshots
 * and cursors in a simulation against a sorted map; then power losses and failures at every
 * operation.
 */
final class IngestModelTest {
  private static final Path DIRECTORY = Path.of("/home/store");
  private static final int KEYS = 60;
  private static final int APART_BYTES = 1 << 10;

  private SplittableRandom random = new SplittableRandom();
  private Simulation machine;
  private Db db;
  private long nextValue = 1;
  private int nextFile = 1;
  private TreeMap<String, String> model = new TreeMap<>();

  private static Options options(Durability durability) {
    return Options.builder()
        .memoryBytes(4L << 20)
        .memtableBytes(16L << 10)
        .tableBytes(16L << 10)
        .levelBaseBytes(64L << 10)
        .levelFanout(2)
        .logSegmentBytes(64L << 10)
        .separateValueBytes(APART_BYTES)
        .compactionThreads(2)
        .gapDeadMin(1)
        .durability(durability)
        .build();
  }

  private Components components(dev.siltstone.base.io.FileSystem disk, Simulation with) {
    SplittableRandom ids = random.split();
    return Components.DEFAULT
        .withFileSystem(disk)
        .withClock(with.clock())
        .withScheduler(with.scheduler())
        .withRandom(ids::nextLong);
  }

  private Db open(dev.siltstone.base.io.FileSystem disk, Simulation with, Durability durability) {
    return Db.open(DIRECTORY, options(durability), components(disk, with));
  }

  private static String key(int i) {
    return "k" + (100 + i);
  }

  private static byte[] bytes(String key) {
    return key.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  }

  @Test
  void readsLikeBatches() {
    Seeds.forEach(1, 60, this::run);
  }

  private void run(Seed seed) {
    random = seed.random("ingest");
    machine = Simulation.of(seed);
    model = new TreeMap<>();
    db = open(machine.fileSystem(), machine, Durability.PERIODIC);
    Map<Snapshot, TreeMap<String, String>> snapshots = new LinkedHashMap<>();
    List<Cursor> cursors = new ArrayList<>();
    for (int step = 0; step < 150; step++) {
      int dice = random.nextInt(100);
      if (dice < 45) {
        write();
      } else if (dice < 65) {
        ingest(machine.fileSystem(), db, content());
      } else if (dice < 70) {
        db.flush();
      } else if (dice < 73) {
        db.compact(KeyRange.ALL);
      } else if (dice < 85) {
        machine.scheduler().runOne();
      } else if (dice < 90) {
        snapshots.put(db.snapshot(), new TreeMap<>(model));
      } else if (dice < 95) {
        Cursor cursor = db.cursor();
        cursor.first();
        cursors.add(cursor);
      } else {
        cursors.forEach(IngestModelTest::walk);
        cursors.clear();
        if (snapshots.size() > 3) {
          Snapshot oldest = snapshots.keySet().iterator().next();
          snapshots.remove(oldest);
          oldest.close();
        }
        assertThat(read(db, null)).as("step %d", step).isEqualTo(model);
      }
    }
    assertThat(StoreContent.read(db).get("default")).isEqualTo(model);
    snapshots.forEach((snapshot, then) -> assertThat(read(db, snapshot)).isEqualTo(then));
    cursors.forEach(Cursor::close);
    machine.scheduler().runAll();
    snapshots.forEach((snapshot, then) -> assertThat(read(db, snapshot)).isEqualTo(then));
    snapshots.keySet().forEach(Snapshot::close);
    db.compact(KeyRange.ALL);
    assertThat(StoreContent.read(db).get("default")).isEqualTo(model);
    db.close();
    try (Db again = open(machine.fileSystem(), machine, Durability.PERIODIC)) {
      assertThat(StoreContent.read(again).get("default")).isEqualTo(model);
    }
  }

  /** An old view, walked to its end, so that it would teach the memo of gaps if it could. */
  private static void walk(Cursor cursor) {
    for (boolean more = cursor.first(); more; more = cursor.next()) {
      assertThat(cursor.key()).isNotNull();
    }
    cursor.close();
  }

  private static Map<String, String> read(
      Db db, @org.jspecify.annotations.Nullable Snapshot snapshot) {
    Map<String, String> found = new TreeMap<>();
    try (Cursor cursor = db.tree().cursor(ReadOptions.DEFAULT.withSnapshot(snapshot))) {
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        String key = new String(cursor.key(), java.nio.charset.StandardCharsets.US_ASCII);
        found.put(key, StoreContent.describe(cursor.value()));
      }
    }
    return found;
  }

  private void write() {
    int i = random.nextInt(KEYS);
    int dice = random.nextInt(10);
    if (dice < 5) {
      long number = nextValue++;
      int length = random.nextInt(600);
      db.put(bytes(key(i)), StoreContent.value(number, length));
      model.put(key(i), StoreContent.describe(StoreContent.value(number, length)));
    } else if (dice < 8) {
      db.delete(bytes(key(i)));
      model.remove(key(i));
    } else {
      int to = i + 1 + random.nextInt(8);
      db.deleteRange(KeyRange.of(bytes(key(i)), bytes(key(to))));
      model.subMap(key(i), key(to)).clear();
    }
  }

  /** What one file holds: lengths of values by key, -1 for a delete, and a range delete. */
  private record Content(TreeMap<String, Integer> keys, String from, String to) {}

  private Content content() {
    TreeMap<String, Integer> keys = new TreeMap<>();
    int first = random.nextInt(KEYS);
    int span = 1 + random.nextInt(random.nextBoolean() ? 4 : 30);
    for (int i = first; i < Math.min(KEYS, first + span); i++) {
      int dice = random.nextInt(6);
      if (dice < 4) {
        keys.put(key(i), dice == 0 ? APART_BYTES + random.nextInt(500) : random.nextInt(800));
      } else if (dice == 4) {
        keys.put(key(i), -1);
      }
    }
    boolean range = keys.isEmpty() || random.nextInt(4) == 0;
    int from = first + random.nextInt(3);
    return new Content(keys, key(from), range ? key(from + 1 + random.nextInt(6)) : key(from));
  }

  /** Ingests, and brings the model to the state after it. */
  private void ingest(SimFileSystem disk, Db into, Content content) {
    Path file = Path.of("/home/in" + nextFile++);
    long number = nextValue;
    TreeMap<String, String> next = new TreeMap<>(model);
    try (TableFileWriter writer =
        TableFileWriter.create(
            file, TreeOptions.DEFAULT.withBlockBytes(512), components(disk, machine))) {
      next.subMap(content.from, content.to).clear();
      for (Map.Entry<String, Integer> entry : content.keys.entrySet()) {
        if (entry.getValue() < 0) {
          writer.delete(bytes(entry.getKey()));
          next.remove(entry.getKey());
        } else {
          byte[] value = StoreContent.value(number++, entry.getValue());
          writer.put(bytes(entry.getKey()), value);
          next.put(entry.getKey(), StoreContent.describe(value));
        }
      }
      if (Bytes.compare(bytes(content.from), bytes(content.to)) < 0) {
        writer.deleteRange(KeyRange.of(bytes(content.from), bytes(content.to)));
      }
      writer.finish();
    }
    nextValue = number;
    ingested = next;
    into.tree().ingest(List.of(file));
    model = next;
  }

  /** The model as it is when the ingestion under way has succeeded. */
  private TreeMap<String, String> ingested = new TreeMap<>();

  @Test
  void powerLossLeavesAllOfItOrNothing() {
    for (long seed = 1; seed <= 4; seed++) {
      prepare(new Seed(seed), null, Durability.SYNC);
      TreeMap<String, String> before = new TreeMap<>(model);
      ingested = before;
      boolean[] after = new boolean[2];
      machine
          .fileSystem()
          .onOperation(
              (operation, path, _) -> {
                for (CrashMode mode : CrashMode.values()) {
                  SimFileSystem left = machine.fileSystem().crash(random, mode);
                  Map<String, String> found = found(left);
                  assertThat(found).as("%s %s, %s", operation, path, mode).isIn(before, ingested);
                  after[found.equals(ingested) ? 1 : 0] = true;
                }
              });
      ingest(machine.fileSystem(), db, wide());
      machine.fileSystem().onOperation(null);
      assertThat(found(machine.fileSystem().crash(random, CrashMode.SYNCED_ONLY)))
          .as("durable when it returns")
          .isEqualTo(model);
      assertThat(after[0]).isTrue();
      db.close();
    }
  }

  /** What was not synced and older must not be lost when what was ingested is there. */
  @Test
  void powerLossKeepsAPrefix() {
    for (long seed = 1; seed <= 4; seed++) {
      prepare(new Seed(seed), null, Durability.BUFFERED);
      ingest(machine.fileSystem(), db, content());
      assertThat(found(machine.fileSystem().crash(random, CrashMode.SYNCED_ONLY))).isEqualTo(model);
      db.close();
    }
  }

  private Map<String, String> found(SimFileSystem left) {
    SimClock clock = new SimClock(machine.clock().wallMicros());
    Simulation with =
        new Simulation(
            machine.seed(), left, clock, new SimScheduler(clock, new SplittableRandom(3)));
    try (Db opened = open(left, with, Durability.SYNC)) {
      Map<String, String> found = StoreContent.read(opened).get("default");
      opened.compact(KeyRange.ALL);
      assertThat(StoreContent.read(opened).get("default")).isEqualTo(found);
      return found;
    }
  }

  private Content wide() {
    TreeMap<String, Integer> keys = new TreeMap<>();
    for (int i = 0; i < KEYS; i += 2) {
      keys.put(key(i), i % 20 == 0 ? APART_BYTES + 100 : 700);
    }
    return new Content(keys, key(31), key(36));
  }

  private void prepare(
      Seed seed, @org.jspecify.annotations.Nullable FaultFileSystem disk, Durability durability) {
    random = seed.random("prepare");
    if (disk == null) {
      machine = Simulation.of(seed);
    }
    model = new TreeMap<>();
    db = open(disk == null ? machine.fileSystem() : disk, machine, durability);
    for (int i = 0; i < 40; i++) {
      write();
      if (i % 10 == 9) {
        db.flush();
      }
    }
    write();
    write();
  }

  @Test
  void failureLeavesAllOfItOrNothing() {
    boolean fired = true;
    for (int at = 0; fired; at++) {
      Seed seed = new Seed(1 + at % 3);
      machine = Simulation.of(seed);
      FaultFileSystem disk = new FaultFileSystem(machine.fileSystem());
      prepare(seed, disk, Durability.SYNC);
      TreeMap<String, String> before = new TreeMap<>(model);
      Fault fault = disk.add(Fault.onChanges().path(path -> path.startsWith(DIRECTORY)).at(at));
      boolean failed = false;
      try {
        ingest(machine.fileSystem(), db, wide());
      } catch (DbException e) {
        failed = true;
      }
      fired = fault.fired();
      disk.clear();
      assertThat(StoreContent.read(db).get("default"))
          .as("failure %d", at)
          .isEqualTo(failed ? before : ingested);
      assertThat(found(machine.fileSystem().kill())).as("failure %d", at).isIn(before, ingested);
      try {
        db.close();
      } catch (DbException e) {
        assertThat(failed).isTrue();
      }
      assertThat(found(machine.fileSystem())).as("failure %d", at).isIn(before, ingested);
    }
  }
}
