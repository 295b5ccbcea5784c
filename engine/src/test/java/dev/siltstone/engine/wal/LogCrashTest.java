package dev.siltstone.engine.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.wal.LogFixture.Batch;
import dev.siltstone.testkit.disk.CrashMode;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Goal: after a power loss or a kill at any operation, also in the middle of recovering from one,
//   the log holds a prefix of what was appended, with all that was acknowledged.
// Method: a random workload on a simulated disk; at each operation the disk is crashed and read,
//   and from some of these the next life goes on, up to four deep.
class LogCrashTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final int SEGMENT = 4096;
  private static final int LIVES_MAX = 4;

  @ParameterizedTest
  @CsvSource({
    "true, SYNCED_ONLY", "true, PREFIX", "true, SUBSET",
    "false, SYNCED_ONLY", "false, PREFIX", "false, SUBSET"
  })
  void everyCrashLeavesAPrefixWithAllThatWasAcknowledged(boolean mapped, CrashMode mode)
      throws IOException {
    for (long seed = 1; seed <= 12; seed++) {
      SimFileSystem disk = new SimFileSystem();
      disk.createDirectories(DIRECTORY);
      disk.syncDirectory(Path.of("/"));
      new Lives(seed, mapped, mode).live(disk, new Truth(), 1);
    }
  }

  /** What must be true of the log; times of batches are 1, 2, 3 and so on. */
  private static final class Truth {
    final List<Batch> appended = new ArrayList<>();

    /** Up to these times the batches were acknowledged. */
    long flushed;

    long synced;

    /** What the manifest would say: durable in tables up to here; segments from here on. */
    long inTables;

    long oldest;

    Truth copy() {
      Truth copy = new Truth();
      copy.appended.addAll(appended);
      copy.flushed = flushed;
      copy.synced = synced;
      copy.inTables = inTables;
      copy.oldest = oldest;
      return copy;
    }
  }

  /** One seed's workload. */
  private static final class Lives {
    private final long seed;
    private final Random random;
    private final boolean mapped;
    private final CrashMode mode;

    Lives(long seed, boolean mapped, CrashMode mode) {
      this.seed = seed;
      this.random = new Random(seed);
      this.mapped = mapped;
      this.mode = mode;
    }

    /**
     * Opens the log on a disk and works with it; each operation may end in a crash and a new life.
     */
    private void live(SimFileSystem disk, Truth truth, int life) throws IOException {
      disk.onOperation(
          (_, _, _) -> {
            // Crashing costs more the more lives there are to come.
            if (life == 1 || random.nextInt(10) == 0) {
              try {
                crash(disk, truth.copy(), life);
              } catch (IOException e) {
                // An I/O failure is what the log copes with.
                throw new AssertionError("seed " + seed + ", mapped " + mapped + ", " + mode, e);
              }
            }
          });
      LogRecovery recovered = recover(disk, truth, truth.flushed);
      LogFixture fixture = fixture(disk);
      Log log = Log.open(fixture.config(disk, mapped, SEGMENT), recovered);
      truth.flushed = truth.appended.size();
      truth.synced = truth.flushed;
      int steps = life == 1 ? 60 : 15;
      for (int step = 0; step < steps; step++) {
        step(log, fixture, truth);
      }
      if (random.nextBoolean()) {
        log.flush();
        truth.flushed = truth.appended.size();
        log.close();
        truth.synced = truth.flushed;
      }
      disk.onOperation(null);
      crash(disk, truth.copy(), LIVES_MAX);
    }

    private void step(Log log, LogFixture fixture, Truth truth) throws IOException {
      int kind = random.nextInt(20);
      if (kind < 14) {
        int length = random.nextInt(30) == 0 ? random.nextInt(4000, 9000) : random.nextInt(8, 900);
        Batch batch = fixture.batch(truth.appended.size() + 1, length);
        truth.appended.add(batch);
        LogFixture.append(log, batch);
      } else if (kind < 16) {
        log.prepare();
      } else if (kind == 19) {
        long time = Math.max(truth.inTables, random.nextLong(truth.flushed + 1));
        // A flush: tables durable, then the manifest, then the log lets go.
        truth.inTables = time;
        truth.oldest = log.oldestNeeded(time);
        log.release(truth.oldest);
      }
      if (random.nextInt(3) == 0) {
        log.flush();
        truth.flushed = truth.appended.size();
      }
      if (random.nextInt(8) == 0) {
        log.sync();
        truth.synced = truth.flushed;
      }
      if (random.nextInt(8) == 0) {
        log.flushThrough();
        truth.flushed = truth.appended.size();
        truth.synced = truth.flushed;
      }
    }

    private void crash(SimFileSystem disk, Truth truth, int life) throws IOException {
      SimFileSystem killed = disk.kill();
      recover(killed, truth.copy(), truth.flushed);
      SimFileSystem survivor = disk.crash(random, mode);
      Truth found = truth.copy();
      recover(survivor, found, truth.synced);
      if (life < LIVES_MAX && random.nextInt(4) == 0) {
        boolean kill = random.nextInt(3) == 0;
        Truth next = truth.copy();
        next.flushed = kill ? truth.flushed : truth.synced;
        live(kill ? killed : survivor, next, life + 1);
      }
    }

    /** Recovers, compares with the truth, and cuts the truth to what was found. */
    private LogRecovery recover(SimFileSystem disk, Truth truth, long acknowledged)
        throws IOException {
      List<Batch> found = new ArrayList<>();
      LogRecovery recovered = fixture(disk).recover(disk, truth.oldest, found);
      String name = "seed " + seed + ", mapped " + mapped + ", " + mode;
      long last = truth.inTables;
      long before = 0;
      for (Batch batch : found) {
        assertThat(batch.time()).as(name).isGreaterThan(before);
        assertThat(batch).as(name).isEqualTo(truth.appended.get((int) batch.time() - 1));
        before = batch.time();
        if (before > truth.inTables) {
          // What tables hold may be missing here; a power loss may take it from the log.
          assertThat(before).as(name).isEqualTo(last + 1);
          last = before;
        }
      }
      assertThat(last).as(name).isGreaterThanOrEqualTo(acknowledged);
      truth.appended.subList((int) last, truth.appended.size()).clear();
      return recovered;
    }

    private LogFixture fixture(SimFileSystem disk) throws IOException {
      LogFixture fixture = new LogFixture(disk, DIRECTORY, random.nextLong());
      for (String name : disk.list(DIRECTORY)) {
        FileNames.Parsed parsed = FileNames.parse(name);
        if (parsed != null) {
          fixture.numbers.accumulateAndGet(parsed.number() + 1, Math::max);
        }
      }
      return fixture;
    }
  }
}
