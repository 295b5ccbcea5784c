package dev.siltstone.engine.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.io.FilterFileSystem;
import dev.siltstone.base.io.MappedFile;
import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.base.io.TooManyFilesException;
import dev.siltstone.engine.wal.LogFixture.Batch;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Goal: a failed operation loses nothing that was acknowledged, and what failed for want of space
//   leaves no trace.
// Method: a simulated disk whose n-th operation fails, for every n; and one that fills up.
class LogFaultTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final int SEGMENT = 4096;

  private SimFileSystem disk;
  private LogFixture fixture;

  @BeforeEach
  void setUp() throws IOException {
    disk = new SimFileSystem();
    disk.createDirectories(DIRECTORY);
    fixture = new LogFixture(disk, DIRECTORY, 5);
  }

  private List<Batch> readAfterKill() throws IOException {
    List<Batch> found = new ArrayList<>();
    fixture.recover(disk.kill(), 0, found);
    return found;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noFailedOperationLosesWhatWasAcknowledged(boolean mapped) throws IOException {
    for (int failing = 0; ; failing++) {
      setUp();
      long fail = disk.operations() + failing;
      boolean[] reached = new boolean[1];
      disk.onOperation(
          (_, _, index) -> {
            if (index == fail) {
              reached[0] = true;
              throw new IOException("operation " + index);
            }
          });
      Outcome outcome = new Outcome();
      run(mapped, outcome);
      disk.onOperation(null);
      List<Batch> found = readAfterKill();
      String name = "operation " + failing + ", mapped " + mapped;
      int sure = outcome.sure.size();
      assertThat(found.size()).as(name).isGreaterThanOrEqualTo(sure);
      assertThat(found.subList(0, sure)).as(name).isEqualTo(outcome.sure);
      assertThat(found.subList(sure, found.size()))
          .as(name)
          .isEqualTo(outcome.unsure.subList(0, found.size() - sure));
      if (!reached[0]) {
        assertThat(outcome.unsure).isEmpty();
        assertThat(failing).isGreaterThan(50);
        return;
      }
    }
  }

  /** What a run with one failure acknowledged, and what it did not. */
  private static final class Outcome {
    final List<Batch> sure = new ArrayList<>();
    final List<Batch> unsure = new ArrayList<>();
  }

  private void run(boolean mapped, Outcome outcome) {
    SplittableRandom random = new SplittableRandom(2);
    try (Log log = fixture.create(mapped, SEGMENT)) {
      for (int i = 1; i <= 60; i++) {
        Batch batch = fixture.batch(i, random.nextInt(100, 600));
        append(log, batch, outcome);
        if (i % 10 == 0) {
          prepare(log);
        }
        if (i % 3 == 0) {
          if (i % 4 == 0) {
            log.flushThrough();
          } else {
            log.flush();
          }
          outcome.sure.addAll(outcome.unsure);
          outcome.unsure.clear();
        }
        if (i % 7 == 0) {
          log.sync();
        }
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("operation");
    }
  }

  private static void append(Log log, Batch batch, Outcome outcome) throws IOException {
    LogSegment before = log.segments().getLast();
    try {
      LogFixture.append(log, batch);
      outcome.unsure.add(batch);
    } catch (IOException e) {
      try {
        // If no segment could be made, the log goes on without the batch.
        log.flush();
      } catch (IOException broken) {
        assertThat(broken).hasRootCauseMessage(e.getMessage());
        outcome.unsure.add(batch);
        throw e;
      }
      outcome.sure.addAll(outcome.unsure);
      outcome.unsure.clear();
      assertThat(log.segments().getLast().number()).isEqualTo(before.number());
    }
  }

  private static void prepare(Log log) {
    try {
      log.prepare();
    } catch (IOException e) {
      assertThat(log.needsPrepare()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFullDiskFailsBatchesWholeAndLeavesTheLogUsable(boolean mapped) throws IOException {
    int failures = 0;
    for (long seed = 1; seed <= 30; seed++) {
      setUp();
      SplittableRandom random = new SplittableRandom(seed);
      List<Batch> sure = new ArrayList<>();
      List<Batch> group = new ArrayList<>();
      long used = 4096;
      Log log = fixture.create(mapped, SEGMENT);
      for (int i = 1; i <= 200; i++) {
        if (random.nextInt(20) == 0) {
          used += random.nextInt(12_000);
          disk.setQuota(used);
        }
        Batch batch = fixture.batch(i, random.nextInt(8, 900));
        try {
          LogFixture.append(log, batch);
          group.add(batch);
        } catch (NoSpaceException e) {
          failures++;
        }
        if (random.nextInt(3) == 0) {
          try {
            log.flush();
            sure.addAll(group);
          } catch (NoSpaceException e) {
            failures++;
          }
          group.clear();
        }
        if (random.nextInt(15) == 0) {
          log.sync();
        }
      }
      disk.setQuota(Long.MAX_VALUE);
      Batch last = fixture.batch(1000, 500);
      LogFixture.append(log, last);
      log.flush();
      sure.addAll(group);
      sure.add(last);
      assertThat(readAfterKill()).as("seed %d", seed).isEqualTo(sure);
      log.close();
      assertThat(fixture.read(0)).as("seed %d", seed).isEqualTo(sure);
    }
    assertThat(failures).isGreaterThan(100);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void afterAFailedSyncNothingIsSyncedForCredit(boolean mapped) throws IOException {
    Log log = fixture.create(mapped, SEGMENT);
    LogFixture.append(log, fixture.batch(1, 100));
    log.flush();
    disk.onOperation(
        (operation, _, _) -> {
          if (operation == DiskOperation.SYNC || operation == DiskOperation.FORCE) {
            throw new IOException("no sync");
          }
        });
    assertThatThrownBy(log::sync).isInstanceOf(LogSyncException.class).hasMessage("no sync");
    disk.onOperation(
        (operation, path, _) -> {
          throw new AssertionError(operation + " of " + path + " after a failed sync");
        });
    assertThatThrownBy(log::sync).hasRootCauseMessage("no sync");
    assertThatThrownBy(log::flush).hasRootCauseMessage("no sync");
    assertThatThrownBy(() -> LogFixture.append(log, fixture.batch(2, 100)))
        .isInstanceOf(IOException.class)
        .hasRootCauseMessage("no sync");
    log.prepare();
    log.close();
    disk.onOperation(null);
    assertThat(fixture.read(0)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void afterAFailedFlushThroughNothingIsSyncedForCredit(boolean mapped) throws IOException {
    Log log = fixture.create(mapped, SEGMENT);
    LogFixture.append(log, fixture.batch(1, 100));
    log.flushThrough();
    LogFixture.append(log, fixture.batch(2, 100));
    disk.onOperation(
        (operation, _, _) -> {
          if (operation == DiskOperation.SYNC || operation == DiskOperation.FORCE) {
            throw new IOException("no sync");
          }
        });
    assertThatThrownBy(log::flushThrough)
        .isInstanceOf(LogSyncException.class)
        .hasRootCauseMessage("no sync");
    disk.onOperation(
        (operation, path, _) -> {
          throw new AssertionError(operation + " of " + path + " after a failed sync");
        });
    assertThatThrownBy(log::flushThrough).hasRootCauseMessage("no sync");
    assertThatThrownBy(log::sync).hasRootCauseMessage("no sync");
    log.close();
    disk.onOperation(null);
    assertThat(fixture.read(0)).hasSizeBetween(1, 2);
  }

  @Test
  void whereFilesCannotBeMappedTheWrittenLogIsUsed() throws IOException {
    List<Batch> batches = new ArrayList<>();
    for (RuntimeException unsupported :
        new RuntimeException[] {new UnsupportedOperationException("no mapping"), null}) {
      FilterFileSystem unmappable =
          new FilterFileSystem(disk) {
            @Override
            public MappedFile map(Path file, long bytes) throws IOException {
              if (unsupported != null) {
                throw unsupported;
              }
              throw new IOException("no pre-allocation");
            }
          };
      LogRecovery recovered = fixture.recover(disk, 0, new ArrayList<>());
      try (Log log = Log.open(fixture.config(unmappable, true, SEGMENT), recovered)) {
        for (int i = 0; i < 20; i++) {
          batches.add(fixture.batch(batches.size() + 1, 700));
          LogFixture.append(log, batches.getLast());
        }
        log.flush();
        log.sync();
      }
      assertThat(fixture.read(0)).isEqualTo(batches);
    }
    assertThat(disk.list(DIRECTORY)).noneMatch(name -> name.endsWith(".tmp"));
  }

  @Test
  void wantOfSpaceOrHandlesIsNoReasonToGiveUpMapping() throws IOException {
    Log log = fixture.create(true, SEGMENT);
    for (IOException lack :
        new IOException[] {new NoSpaceException("full"), new TooManyFilesException("many")}) {
      disk.onOperation(
          (operation, _, _) -> {
            if (operation == DiskOperation.MAP) {
              throw lack;
            }
            assertThat(operation).isNotEqualTo(DiskOperation.CREATE);
          });
      assertThatThrownBy(log::prepare).isSameAs(lack);
    }
    disk.onOperation(null);
    log.prepare();
    assertThat(disk.size(fixture.log(log.fileNumbers().getFirst()))).isEqualTo(SEGMENT);
    log.close();
  }
}
