package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.engine.spi.EventListener;
import dev.siltstone.testkit.disk.CrashMode;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.run.Simulation;
import dev.siltstone.testkit.time.SimClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

// Goal: records that the log brings back count against the budget like any others, and a log that
// holds more than memtables may take is read in turns, which no crash and no failure cuts.
// Method: a log written with a large budget, opened with a small one, by a disk in memory.
final class ReplayBudgetTest {
  private static final Path STORE = Path.of("/store");
  private static final int TREES = 3;
  private static final int ROUNDS = 300;
  private static final int VALUE_BYTES = 5_000;

  private static final Options LARGE = Options.builder().memoryBytes(256 << 20).build();
  private static final Options SMALL = Options.builder().memoryBytes(4 << 20).build();

  private final SplittableRandom random = new SplittableRandom(7);
  private final Simulation machine = Simulation.of(new Seed(7));

  @Test
  void whatTheLogBringsBackIsCounted() {
    write();
    try (Db db = open(machine.fileSystem(), LARGE, EventListener.NONE)) {
      long written = (long) TREES * ROUNDS * VALUE_BYTES;
      assertThat(db.stats().memtableBytes()).isBetween(written, 2 * written);
      assertThat(db.stats().flushes()).isZero();
      db.flush();
      trees(db).forEach(Tree::flush);
      assertThat(db.stats().memtableBytes()).isLessThan(100 << 10);
    }
  }

  @Test
  void aLogBeyondTheBudgetIsFlushedOnTheWay() {
    write();
    List<Long> flushed = new ArrayList<>();
    EventListener listener =
        new EventListener() {
          @Override
          public void flushed(String tree, long bytes, long nanos) {
            flushed.add(bytes);
          }
        };
    long share = SMALL.memoryBytes() / 100 * 40;
    try (Db db = open(machine.fileSystem(), SMALL, listener)) {
      assertThat(flushed).hasSizeGreaterThan(2 * TREES).allMatch(bytes -> bytes < share);
      assertThat(db.stats().memtableBytes()).isLessThan(share + (64 << 10));
      requireAll(db);
      db.put(key(ROUNDS), value(ROUNDS, 0));
    }
    // Whoever only reads cannot flush: to him the rest of the log is in memory.
    try (Db db =
        Db.openReadOnly(STORE, SMALL, components(machine.fileSystem(), EventListener.NONE))) {
      requireAll(db);
      assertThat(db.get(key(ROUNDS))).isEqualTo(value(ROUNDS, 0));
    }
  }

  @Test
  void noCrashOnTheWayLosesARecord() {
    write();
    SimFileSystem disk = machine.fileSystem();
    int[] states = {0};
    disk.onOperation(
        (_, _, _) -> {
          for (CrashMode mode : CrashMode.values()) {
            if (random.nextInt(16) == 0) {
              states[0]++;
              try (Db db = open(disk.crash(random, mode), SMALL, EventListener.NONE)) {
                requireAll(db);
              }
            }
          }
        });
    Db db = open(disk, SMALL, EventListener.NONE);
    disk.onOperation(null);
    db.close();
    assertThat(states[0]).isGreaterThan(8);
  }

  @Test
  void anOpenThatFailsOnTheWayCanBeRepeated() {
    write();
    int failed = 0;
    for (int at = 1; at < 200; at += 29) {
      FaultFileSystem faulty = new FaultFileSystem(machine.fileSystem().kill());
      faulty.add(
          Fault.on(
                  DiskOperation.CREATE,
                  EnumSet.allOf(DiskOperation.class).toArray(new DiskOperation[0]))
              .at(at));
      try {
        Db.open(STORE, SMALL, components(faulty, EventListener.NONE)).close();
      } catch (DbException e) {
        failed++;
      }
      faulty.clear();
      try (Db db = Db.open(STORE, SMALL, components(faulty, EventListener.NONE))) {
        requireAll(db);
      }
    }
    assertThat(failed).isGreaterThan(3);
  }

  /** Batches across all trees, none of them flushed. */
  private void write() {
    try (Db db = open(machine.fileSystem(), LARGE, EventListener.NONE)) {
      List<Tree> trees = trees(db);
      for (int i = 0; i < ROUNDS; i++) {
        WriteBatch batch = db.newBatch();
        for (int t = 0; t < TREES; t++) {
          batch.put(trees.get(t), key(i), value(i, t));
          batch.delete(trees.get(t), key(i - 1 - t * 20));
        }
        db.write(batch, WriteOptions.SYNC);
      }
      assertThat(db.stats().flushes()).isZero();
    }
  }

  private static List<Tree> trees(Db db) {
    List<Tree> trees = new ArrayList<>(List.of(db.tree()));
    for (int t = 1; t < TREES; t++) {
      trees.add(db.openTree("tree " + t, TreeOptions.DEFAULT));
    }
    return trees;
  }

  private static void requireAll(Db db) {
    List<Tree> trees = trees(db);
    for (int t = 0; t < TREES; t++) {
      for (int i = 0; i < ROUNDS; i++) {
        boolean live = i >= ROUNDS - 1 - t * 20;
        byte[] found = trees.get(t).get(key(i));
        if (live) {
          assertThat(found).as("tree %d, key %d", t, i).isEqualTo(value(i, t));
        } else {
          assertThat(found).as("tree %d, key %d", t, i).isNull();
        }
      }
    }
  }

  private static byte[] key(int i) {
    return "%05d".formatted(i).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] value(int i, int tree) {
    byte[] value = new byte[VALUE_BYTES];
    new SplittableRandom(i * 31L + tree).nextBytes(value);
    return value;
  }

  private Db open(SimFileSystem disk, Options options, EventListener listener) {
    return Db.open(STORE, options, components(disk, listener));
  }

  private Components components(FileSystem disk, EventListener listener) {
    SimClock clock = new SimClock(machine.clock().wallMicros());
    return Components.DEFAULT
        .withFileSystem(disk)
        .withClock(clock)
        .withScheduler(new SimScheduler(clock, new Seed(random.nextLong()).random("scheduler")))
        .withListener(listener);
  }
}
