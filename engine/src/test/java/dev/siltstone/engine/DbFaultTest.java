package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.base.io.TooManyFilesException;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.run.Simulation;
import dev.siltstone.testkit.time.SimClock;
import java.util.EnumSet;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: whichever file operation fails, in whatever way, only {@link DbException} leaves the API,
 * nobody waits for ever, reads end with an error or in full, and everything that was acknowledged
 * is there after the next open. Method: one workload, run again and again; the n-th operation
 * fails, for every n.
 */
final class DbFaultTest {
  private static final int STEP = Integer.getInteger("siltstone.fault.step", 4);
  private static final int STEPS = 70;

  /** The ways in which an operation fails. */
  enum Way {
    IO_ERROR,
    NO_SPACE,
    TOO_MANY_FILES,
    PARTLY,
    AFTER_EFFECT,
    SYNC_LOSES,
    ERROR;

    Fault fault(long at) {
      Fault fault = all().at(at);
      return switch (this) {
        case IO_ERROR -> fault;
        case NO_SPACE -> fault.partly().failing(() -> new NoSpaceException("injected: full"));
        case TOO_MANY_FILES ->
            fault.failing(() -> new TooManyFilesException("injected: no handle"));
        case PARTLY -> fault.partly();
        case AFTER_EFFECT -> fault.afterEffect();
        case SYNC_LOSES ->
            Fault.on(DiskOperation.SYNC, DiskOperation.FORCE).at(at).losingUnsynced();
        case ERROR -> fault.throwing(() -> new InjectedError());
      };
    }

    private Fault all() {
      EnumSet<DiskOperation> operations = EnumSet.allOf(DiskOperation.class);
      if (this == NO_SPACE) {
        // What needs space; a sync that fails for want of it has lost writes like any other.
        operations =
            EnumSet.of(
                DiskOperation.CREATE_DIRECTORIES,
                DiskOperation.CREATE,
                DiskOperation.MAP,
                DiskOperation.RENAME,
                DiskOperation.WRITE);
      }
      if (this == AFTER_EFFECT) {
        // A lock whose answer is lost is held for ever, by nobody.
        operations.remove(DiskOperation.LOCK);
      }
      DiskOperation[] rest = operations.toArray(new DiskOperation[0]);
      return Fault.on(rest[0], rest);
    }
  }

  private static final class InjectedError extends Error {
    private static final long serialVersionUID = 1L;
  }

  private int refusing;
  private int healed;

  @ParameterizedTest
  @EnumSource(Way.class)
  void everyFailedOperationLeavesWhatWasAcknowledged(Way way) {
    int runs = 0;
    for (long seed = 1; seed <= 3; seed++) {
      boolean fired = true;
      for (long at = new SplittableRandom(seed).nextInt(STEP); fired; at += STEP) {
        try {
          fired = run(new Seed(seed), way, at);
          runs++;
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError(way + " at operation " + at + ", seed " + seed + ": " + e, e);
        }
      }
    }
    System.out.println(
        "DbFaultTest: " + way + ", " + runs + " runs, refusing " + refusing + ", on " + healed);
  }

  private boolean run(Seed seed, Way way, long at) {
    Simulation machine = Simulation.of(seed);
    FaultFileSystem disk = new FaultFileSystem(machine.fileSystem());
    StoreWorkload workload = new StoreWorkload(seed, machine, disk);
    Fault fault = disk.add(way.fault(at));
    for (int i = 0; i < STEPS; i++) {
      attempt(workload);
      if (workload.isOpen() && fault.fired() && i % 4 == 0) {
        readSafely(workload);
      }
    }
    disk.clear();
    if (workload.isOpen()) {
      afterwards(way, machine, workload);
    }
    if (workload.isOpen()) {
      closeSafely(workload);
    }
    check(workload, machine.fileSystem().kill(), machine);
    check(workload, machine.fileSystem(), machine);
    return fault.fired();
  }

  private static void attempt(StoreWorkload workload) {
    try {
      if (workload.isOpen()) {
        workload.step();
      } else {
        workload.open();
      }
    } catch (DbException | InjectedError e) {
      // As promised; what is known of the store is checked later.
    }
  }

  private static void closeSafely(StoreWorkload workload) {
    try {
      workload.close();
    } catch (DbException | InjectedError e) {
      // As promised.
    }
  }

  /** A reader gets everything or a failure. */
  private static void readSafely(StoreWorkload workload) {
    Map<String, Map<String, String>> found;
    try {
      found = StoreContent.read(workload.db());
    } catch (DbException | InjectedError e) {
      return;
    }
    workload.checkWorlds(found);
  }

  /** Once the disk works again the store goes on, unless the failure was one that it keeps. */
  private void afterwards(Way way, Simulation machine, StoreWorkload workload) {
    workload.checkWorlds(StoreContent.read(workload.db()));
    machine.scheduler().advance(20_000_000_000L);
    try {
      workload.writeOne();
      workload.db().flush();
      workload.db().compact(KeyRange.ALL);
      workload.db().awaitQuiet();
      healed++;
    } catch (DbException e) {
      assertThat(way)
          .as("a full disk is no reason to refuse for ever: %s", e)
          .isNotEqualTo(Way.NO_SPACE);
      refusing++;
    }
    workload.checkWorlds(StoreContent.read(workload.db()));
  }

  private static void check(StoreWorkload workload, SimFileSystem disk, Simulation machine) {
    SimClock clock = new SimClock(machine.clock().wallMicros());
    Seed seed = new Seed(7);
    Simulation with =
        new Simulation(seed, disk, clock, new SimScheduler(clock, seed.random("scheduler")));
    Db db = workload.open(disk, with);
    workload.checkWorlds(StoreContent.read(db));
    db.tree().put(new byte[] {'z'}, StoreContent.value(1, 9), WriteOptions.SYNC);
    db.flush();
    db.compact(KeyRange.ALL);
    db.close();
  }
}
