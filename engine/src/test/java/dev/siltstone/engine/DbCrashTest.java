package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.testkit.disk.CrashMode;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.Seeds;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.run.Simulation;
import dev.siltstone.testkit.time.SimClock;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Goal: whenever power is lost or the process killed, during recovery too, the next open finds
 * whole batches in order, all that was acknowledged as durable among them, and does not change its
 * mind later. Method: a workload on a simulated disk; at every operation that changes the disk, one
 * state for each kind of loss is opened and read, and some are crashed again while they recover.
 */
final class DbCrashTest {
  private static final int SEEDS = Integer.getInteger("siltstone.crash.seeds", 3);
  private static final int STEPS = 120;
  private static final int DEPTH = 2;

  private SplittableRandom random = new SplittableRandom();
  private StoreWorkload workload;
  private Simulation machine;
  private long states;

  @Test
  void everyCrashLeavesAPrefixThatHoldsAllThatWasSynced() {
    Seeds.forEach(1, SEEDS, this::run);
    System.out.println("DbCrashTest: " + states + " states opened and read");
  }

  private void run(Seed seed) {
    random = seed.random("crashes");
    machine = Simulation.of(seed);
    workload = new StoreWorkload(seed, machine, machine.fileSystem());
    machine.fileSystem().onOperation((operation, path, _) -> crash(operation + " " + path));
    workload.open();
    for (int i = 0; i < STEPS; i++) {
      workload.step();
      checkSynced();
    }
    workload.close();
    checkSynced();
    workload.checkPrefix(read(machine.fileSystem().kill()), workload.acknowledged());
  }

  /** What was acknowledged as durable survives even if nothing else does. */
  private void checkSynced() {
    SimFileSystem left = machine.fileSystem().crash(random, CrashMode.SYNCED_ONLY);
    check(left, workload.synced(), "after a step", 0);
  }

  private void crash(String at) {
    for (CrashMode mode : CrashMode.values()) {
      SimFileSystem left = machine.fileSystem().crash(random, mode);
      check(left, workload.synced(), at + ", " + mode, DEPTH);
    }
    check(machine.fileSystem().kill(), workload.acknowledged(), at + ", killed", DEPTH);
  }

  /** Opens what was left; with some, loses power again meanwhile. */
  private void check(SimFileSystem left, int least, String at, int depth) {
    try {
      int durable = Math.min(least, workload.synced());
      if (depth > 0 && random.nextInt(12) == 0) {
        left.onOperation(
            (operation, path, _) -> {
              if (random.nextInt(3) == 0) {
                CrashMode mode = CrashMode.values()[random.nextInt(CrashMode.values().length)];
                String again = at + "; then " + operation + " " + path + ", " + mode;
                check(left.crash(random, mode), durable, again, depth - 1);
              }
            });
      }
      Simulation with = machineOn(left);
      Db db = workload.open(left, with);
      left.onOperation(null);
      Map<String, Map<String, String>> found = StoreContent.read(db);
      states++;
      workload.checkPrefix(found, least);
      if (random.nextInt(4) == 0) {
        // Recovery has decided; from here on nothing may come or go.
        assertThat(read(left.crash(random, CrashMode.SYNCED_ONLY))).isEqualTo(found);
        assertThat(read(left.crash(random, CrashMode.SUBSET))).isEqualTo(found);
      }
      if (random.nextInt(8) == 0) {
        goOn(db, left, with, found);
      }
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("at " + at + ": " + e.getMessage(), e);
    }
  }

  /** A store that was recovered works like any other. */
  private void goOn(
      Db db, SimFileSystem disk, Simulation with, Map<String, Map<String, String>> found) {
    Map<String, String> tree = found.get("default");
    db.tree().put(new byte[] {'n', 'e', 'w'}, StoreContent.value(7, 100), WriteOptions.SYNC);
    tree.put("new", "7:100");
    assertThat(read(disk.crash(random, CrashMode.SYNCED_ONLY))).isEqualTo(found);
    db.flush();
    with.scheduler().runAll();
    assertThat(read(disk.crash(random, CrashMode.SYNCED_ONLY))).isEqualTo(found);
    db.compact(KeyRange.ALL);
    db.close();
    assertThat(read(disk)).isEqualTo(found);
  }

  private Map<String, Map<String, String>> read(SimFileSystem disk) {
    states++;
    Db db = workload.open(disk, machineOn(disk));
    return StoreContent.read(db);
  }

  private Simulation machineOn(SimFileSystem disk) {
    SimClock clock = new SimClock(machine.clock().wallMicros());
    Seed seed = new Seed(random.nextLong());
    return new Simulation(seed, disk, clock, new SimScheduler(clock, seed.random("scheduler")));
  }
}
