package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.run.Simulation;
import dev.siltstone.testkit.time.SimClock;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Goal: a disk that is full for a while costs the writes that needed space meanwhile, each with an
 * error that says so, and nothing else: reads go on, what was acknowledged stays, and once there is
 * space again the store takes writes, flushes and compacts without being opened anew. Method: one
 * workload, run again and again; from the n-th operation that needs space on all of them fail, for
 * some steps, for many n.
 */
final class DbFullDiskTest {
  private static final int STEP = Integer.getInteger("siltstone.full.step", 3);
  private static final int STEPS = 60;
  private static final int FULL_STEPS = 12;

  private int refused;

  @Test
  void storeGoesOnWhenThereIsSpaceAgain() {
    int runs = 0;
    for (long seed = 1; seed <= 3; seed++) {
      boolean fired = true;
      for (long at = new SplittableRandom(seed).nextInt(STEP); fired; at += STEP) {
        try {
          fired = run(new Seed(seed), at);
          runs++;
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError("full from " + at + ", seed " + seed + ": " + e, e);
        }
      }
    }
    assertThat(refused).isGreaterThan(runs);
    System.out.println("DbFullDiskTest: " + runs + " runs, " + refused + " refusals");
  }

  private boolean run(Seed seed, long at) {
    Simulation machine = Simulation.of(seed);
    FaultFileSystem disk = new FaultFileSystem(machine.fileSystem());
    StoreWorkload workload = new StoreWorkload(seed, machine, disk);
    Fault full =
        disk.add(
            Fault.on(
                    DiskOperation.CREATE_DIRECTORIES,
                    DiskOperation.CREATE,
                    DiskOperation.MAP,
                    DiskOperation.RENAME,
                    DiskOperation.WRITE)
                .at(at)
                .always()
                .partly()
                .failing(() -> new NoSpaceException("injected: full")));
    int left = FULL_STEPS;
    for (int i = 0; i < STEPS && left > 0; i++) {
      attempt(workload);
      if (full.fired()) {
        left--;
        if (workload.isOpen()) {
          workload.checkWorlds(StoreContent.read(workload.db()));
        }
      }
    }
    boolean fired = full.fired();
    disk.clear();
    if (!workload.isOpen()) {
      workload.open();
    }
    workload.checkWorlds(StoreContent.read(workload.db()));
    // The pause after the last failure ends by itself.
    machine.scheduler().advance(10_000_000_000L);
    workload.writeOne();
    workload.db().flush();
    workload.db().compact(KeyRange.ALL);
    workload.db().awaitQuiet();
    workload.checkWorlds(StoreContent.read(workload.db()));
    workload.close();
    check(workload, machine.fileSystem(), machine);
    return fired;
  }

  private void attempt(StoreWorkload workload) {
    try {
      if (workload.isOpen()) {
        workload.step();
      } else {
        workload.open();
      }
    } catch (DbException.Unavailable e) {
      refused++;
      assertThat(e).hasMessageContaining("full");
    } catch (DbException.DurabilityLost e) {
      // Of a close: its last mark found no space.
      refused++;
      assertThat(e).hasMessageContaining("full");
    }
  }

  private static void check(StoreWorkload workload, SimFileSystem disk, Simulation machine) {
    SimClock clock = new SimClock(machine.clock().wallMicros());
    SimScheduler scheduler = new SimScheduler(clock, new SplittableRandom(7));
    try (Db db = workload.open(disk, new Simulation(new Seed(7), disk, clock, scheduler))) {
      workload.checkWorlds(StoreContent.read(db));
    }
  }
}
