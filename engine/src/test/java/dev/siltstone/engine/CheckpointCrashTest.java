package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.testkit.disk.CrashMode;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.run.Simulation;
import dev.siltstone.testkit.time.SimClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: whatever ends a checkpoint, its target is there complete or not at all, the original holds
 * all it held, and the next checkpoint succeeds. Method: power is lost, or an operation fails, at
 * every file operation of one checkpoint of a store with tables, blobs and memtables; with hard
 * links and without.
 */
final class CheckpointCrashTest {
  private static final Path SOURCE = Path.of("/home/store");
  private static final Path TARGET = Path.of("/backups/monday");

  private static final Options OPTIONS =
      Options.builder()
          .memoryBytes(4L << 20)
          .memtableBytes(16L << 10)
          .tableBytes(16L << 10)
          .levelBaseBytes(64L << 10)
          .logSegmentBytes(64L << 10)
          .separateValueBytes(1 << 10)
          .durability(Durability.SYNC)
          .build();

  private final SplittableRandom random = new SplittableRandom(7);
  private Map<String, Map<String, String>> expected = Map.of();

  private static Db open(Path directory, FileSystem disk, Simulation machine) {
    SplittableRandom ids = new SplittableRandom(directory.hashCode());
    return Db.open(
        directory,
        OPTIONS,
        Components.DEFAULT
            .withFileSystem(disk)
            .withClock(machine.clock())
            .withScheduler(machine.scheduler())
            .withRandom(ids::nextLong));
  }

  private static byte[] key(int i) {
    return "k%03d".formatted(i).getBytes(UTF_8);
  }

  private Db fill(FileSystem disk, Simulation machine) {
    Db db = open(SOURCE, disk, machine);
    for (int i = 0; i < 60; i++) {
      db.put(key(i), StoreContent.value(i, i % 20 == 0 ? 1_500 : 400));
    }
    db.compact(KeyRange.ALL);
    Tree other = db.openTree("other", TreeOptions.DEFAULT);
    for (int i = 0; i < 20; i++) {
      other.put(key(i), StoreContent.value(i + 100, i == 3 ? 1_200 : 50));
    }
    db.flush();
    db.put(key(1), StoreContent.value(200, 90));
    db.put(key(2), StoreContent.value(201, 1_100));
    db.deleteRange(KeyRange.of(key(5), key(9)));
    other.delete(key(4));
    expected = StoreContent.read(db);
    return db;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void powerLossLeavesTheCopyCompleteOrNotThere(boolean links) {
    Simulation machine = Simulation.of(new Seed(1));
    FaultFileSystem disk = new FaultFileSystem(machine.fileSystem());
    if (!links) {
      disk.add(Fault.on(DiskOperation.LINK).always());
    }
    Db db = fill(disk, machine);
    int[] states = new int[2];
    machine
        .fileSystem()
        .onOperation(
            (operation, path, _) -> {
              for (CrashMode mode : CrashMode.values()) {
                String at = operation + " " + path + ", " + mode;
                boolean found = check(at, machine.fileSystem().crash(random, mode), machine);
                states[found ? 1 : 0]++;
              }
              check(operation + " " + path + ", killed", machine.fileSystem().kill(), machine);
            });
    db.checkpoint(TARGET);
    machine.fileSystem().onOperation(null);
    for (CrashMode mode : CrashMode.values()) {
      assertThat(check("the end", machine.fileSystem().crash(random, mode), machine)).isTrue();
    }
    assertThat(states[0]).isGreaterThan(20);
  }

  /** Opens what was left; returns whether the copy is there. */
  private boolean check(String at, SimFileSystem left, Simulation before) {
    try {
      boolean found = left.exists(TARGET);
      Simulation machine = on(left, before);
      if (found) {
        try (Db copy = open(TARGET, left, machine)) {
          assertThat(StoreContent.read(copy)).isEqualTo(expected);
        }
      }
      try (Db db = open(SOURCE, left, machine)) {
        assertThat(StoreContent.read(db)).isEqualTo(expected);
        Path next = found ? TARGET.resolveSibling("tuesday") : TARGET;
        db.checkpoint(next);
        db.put(key(300), StoreContent.value(300, 20));
        db.compact(KeyRange.ALL);
        try (Db copy = open(next, left, machine)) {
          assertThat(StoreContent.read(copy)).isEqualTo(expected);
        }
      }
      assertThat(left.list(TARGET.getParent()))
          .as("what was left over is gone")
          .isSubsetOf("monday", "tuesday", found ? "monday" + Checkpoint.SUFFIX : "monday");
      return found;
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError("at " + at + ": " + e, e);
    }
  }

  private static Simulation on(SimFileSystem disk, Simulation before) {
    SimClock clock = new SimClock(before.clock().wallMicros());
    Seed seed = new Seed(5);
    return new Simulation(seed, disk, clock, new SimScheduler(clock, seed.random("scheduler")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"fails", "full", "after effect", "partly"})
  void failureLeavesTheOriginalAndNoHalfCopy(String how) throws IOException {
    boolean fired = true;
    for (int at = 0; fired; at++) {
      Simulation machine = Simulation.of(new Seed(2));
      FaultFileSystem disk = new FaultFileSystem(machine.fileSystem());
      Db db = fill(disk, machine);
      // Of the checkpoint only, which runs on the calling thread alone.
      Fault fault = disk.add(fault(how, at).path(path -> path.startsWith(TARGET.getParent())));
      boolean failed = false;
      try {
        db.checkpoint(TARGET);
      } catch (DbException.Unavailable e) {
        failed = true;
      }
      fired = fault.fired();
      disk.clear();
      String as = how + " at " + at;
      assertThat(StoreContent.read(db)).as(as).isEqualTo(expected);
      boolean found = machine.fileSystem().exists(TARGET);
      assertThat(found || failed).as(as).isTrue();
      if (found) {
        try (Db copy = open(TARGET, disk, on(machine.fileSystem(), machine))) {
          assertThat(StoreContent.read(copy)).as(as).isEqualTo(expected);
        }
      }
      Path next = TARGET.resolveSibling("tuesday");
      db.put(key(2), StoreContent.value(999, 30));
      db.checkpoint(next);
      try (Db copy = open(next, disk, on(machine.fileSystem(), machine))) {
        assertThat(StoreContent.read(copy)).as(as).isEqualTo(StoreContent.read(db));
      }
      db.close();
      assertThat(List.of(found, failed)).as(as).contains(true);
    }
  }

  private static Fault fault(String how, int at) {
    DiskOperation[] rest = DiskOperation.values();
    if (how.equals("after effect")) {
      // A lock whose answer is lost is held for ever, by nobody.
      rest =
          java.util.Arrays.stream(rest)
              .filter(o -> o != DiskOperation.LOCK)
              .toArray(DiskOperation[]::new);
    }
    Fault fault = Fault.on(rest[0], rest).at(at);
    return switch (how) {
      case "full" -> fault.partly().failing(() -> new NoSpaceException("injected: full"));
      case "after effect" -> fault.afterEffect();
      case "partly" -> fault.partly();
      default -> fault;
    };
  }
}
