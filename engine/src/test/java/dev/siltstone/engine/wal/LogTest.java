package dev.siltstone.engine.wal;

import static dev.siltstone.engine.wal.LogFixture.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.wal.LogFixture.Batch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Goal: what was appended comes back, whole and in order, across segments, reopening and recycling.
// Method: both writers on the real file system; recovery as the reader.
class LogTest {
  private static final int SEGMENT = 4096;

  @TempDir Path directory;
  private LogFixture fixture;

  @BeforeEach
  void setUp() {
    fixture = new LogFixture(new OsFileSystem(), directory, 42);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void givesBackWhatWasAppendedAcrossManySegments(boolean mapped) throws IOException {
    List<Batch> batches = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(1);
    try (Log log = fixture.create(mapped, SEGMENT)) {
      for (int i = 1; i <= 500; i++) {
        Batch batch = fixture.batch(i, random.nextInt(8, 300));
        append(log, batch);
        batches.add(batch);
        if (random.nextInt(4) == 0) {
          log.flush();
        }
        if (random.nextInt(50) == 0) {
          log.sync();
        }
        if (random.nextInt(20) == 0) {
          log.prepare();
        }
      }
      log.flush();
      assertThat(log.segments()).hasSizeGreaterThan(10);
      assertThat(fixture.read(0)).isEqualTo(batches);
    }
    assertThat(fixture.read(0)).isEqualTo(batches);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void goesOnAfterEachReopening(boolean mapped) throws IOException {
    List<Batch> batches = new ArrayList<>();
    LogRecovery recovered = LogRecovery.none(fixture.fs, directory, LogFixture.STORE);
    for (int life = 0; life < 5; life++) {
      Log log = Log.open(fixture.config(mapped, SEGMENT), recovered);
      for (int i = 0; i < 40; i++) {
        Batch batch = fixture.batch(batches.size() + 1, 200);
        append(log, batch);
        batches.add(batch);
      }
      log.flush();
      if (life % 2 == 0) {
        // The other lives end as a killed process does: nothing is synced, nothing is closed.
        log.close();
      }
      List<Batch> found = new ArrayList<>();
      recovered = fixture.recover(fixture.fs, 0, found);
      assertThat(found).isEqualTo(batches);
      assertThat(recovered.ignored()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRecordLargerThanASegmentGetsOneOfItsOwn(boolean mapped) throws IOException {
    List<Batch> batches = new ArrayList<>();
    try (Log log = fixture.create(mapped, SEGMENT)) {
      for (int length : new int[] {100, 5000, 100, 64 * 1024, 1 << 20, 200, 3 << 20, 100_001, 9}) {
        log.prepare();
        Batch batch = fixture.batch(batches.size() + 1, length);
        append(log, batch);
        batches.add(batch);
      }
      log.flush();
      log.sync();
      assertThat(log.totalBytes()).isBetween(4L << 20, 6L << 20);
    }
    assertThat(fixture.read(0)).isEqualTo(batches);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void payloadsOfEveryPaddingComeBack(boolean mapped) throws IOException {
    List<Batch> batches = new ArrayList<>();
    try (Log log = fixture.create(mapped, 1 << 20)) {
      for (int length = 8; length < 64; length++) {
        batches.add(fixture.batch(length, length));
        append(log, batches.getLast());
      }
      for (int length = 4070; length < 4090; length++) {
        batches.add(fixture.batch(length, length));
        append(log, batches.getLast());
      }
    }
    assertThat(fixture.read(0)).isEqualTo(batches);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsDurableIsTheNewestSegmentThatWasSynced(boolean mapped) throws IOException {
    try (Log log = fixture.create(mapped, SEGMENT)) {
      long first = log.activeNumber();
      long time = 1;
      while (log.segments().size() < 3) {
        append(log, fixture.batch(time++, 200));
        log.flush();
      }
      // Only the head of the first one: a segment that nobody has synced vouches for nothing.
      assertThat(log.durable().number()).isEqualTo(first);
      log.sync();
      LogTail durable = log.durable();
      assertThat(durable.number()).isEqualTo(log.activeNumber());
      LogTail found = fixture.recover(fixture.fs, 0, new ArrayList<>()).tail();
      assertThat(durable.length()).isBetween(1L, found.length());
      assertThat(durable.number()).isEqualTo(found.number());
    }
  }

  @Test
  void recycledFilesNeverShowTheirEarlierLife() throws IOException {
    SplittableRandom random = new SplittableRandom(3);
    long oldest = 0;
    long flushed = 0;
    try (Log log = fixture.create(true, SEGMENT)) {
      List<Batch> kept = new ArrayList<>();
      for (int time = 1; time <= 2000; time++) {
        // Equal lengths, so that records of all lives begin at the same offsets.
        Batch batch = fixture.batch(time, 232);
        append(log, batch);
        kept.add(batch);
        if (random.nextInt(40) == 0) {
          log.flush();
          flushed = Math.max(flushed, time - random.nextInt(30));
          oldest = log.oldestNeeded(flushed);
          log.release(oldest);
          log.prepare();
          List<Batch> found = fixture.read(oldest);
          assertThat(found)
              .as("at %d", time)
              .isEqualTo(kept.subList(kept.size() - found.size(), kept.size()));
          assertThat(found.getFirst().time()).isLessThanOrEqualTo(Math.max(1, flushed + 1));
        }
      }
    }
    // Without reuse every segment ever made would still be there, since nothing sweeps here.
    assertThat(fixture.fs.list(directory)).hasSizeLessThan((int) fixture.numbers.get() * 3 / 4);
  }

  @Test
  void segmentsBeginShortAndGrow() throws IOException {
    int mib = 1 << 20;
    long time = 1;
    try (Log log = fixture.create(true, 4 * mib)) {
      while (log.segments().size() < 5) {
        append(log, fixture.batch(time++, mib / 4));
        log.flush();
      }
      assertThat(log.segments().stream().map(each -> (int) each.bytes()))
          .containsExactly(mib, 2 * mib, 4 * mib, 4 * mib, 4 * mib);
      assertThat(fixture.read(0)).hasSize((int) time - 1);
    }
  }

  @Test
  void whatIsKeptForReuseIsGivenBackOnRequest() throws IOException {
    int mib = 1 << 20;
    long time = 1;
    try (Log log = fixture.create(true, 2 * mib)) {
      while (log.segments().size() < 6) {
        append(log, fixture.batch(time++, mib / 4));
        log.flush();
      }
      log.prepare();
      log.release(log.oldestNeeded(time));
      assertThat(log.fileNumbers()).as("active, prepared, two for reuse").hasSize(4);
      log.shrink();
      assertThat(log.fileNumbers()).containsExactly(log.activeNumber());
      assertThat(log.needsPrepare()).isTrue();
      log.prepare();
      long prepared = log.fileNumbers().getFirst();
      assertThat(bytesOf(prepared)).isEqualTo(mib);
      log.shrink();
      assertThat(log.fileNumbers()).as("one that is short stays").contains(prepared);
      long oldest = log.activeNumber();
      while (log.activeNumber() == oldest) {
        append(log, fixture.batch(time++, mib / 4));
        log.flush();
      }
      assertThat(log.activeNumber()).isEqualTo(prepared);
      assertThat(fixture.read(oldest).getLast().time()).isEqualTo(time - 1);
    }
  }

  private long bytesOf(long number) throws IOException {
    return fixture.bytes(fixture.log(number)).length;
  }

  @Test
  void theOldestNeededSegmentFollowsFromTheTimeThatIsFlushed() throws IOException {
    try (Log log = fixture.create(false, SEGMENT)) {
      for (int time = 10; time <= 100; time += 10) {
        append(log, fixture.batch(time, 1500));
      }
      log.flush();
      List<LogSegment> segments = log.segments();
      assertThat(log.oldestNeeded(0)).isEqualTo(segments.getFirst().number());
      for (int i = 0; i + 1 < segments.size(); i++) {
        LogSegment segment = segments.get(i);
        assertThat(log.oldestNeeded(segment.maxTime() - 1)).isEqualTo(segment.number());
        assertThat(log.oldestNeeded(segment.maxTime())).isEqualTo(segments.get(i + 1).number());
      }
      assertThat(log.oldestNeeded(1000)).isEqualTo(log.activeNumber());

      log.release(segments.get(2).number());
      assertThat(log.segments()).isEqualTo(segments.subList(2, segments.size()));
      log.release(Long.MAX_VALUE);
      assertThat(log.segments()).hasSize(1);
    }
  }

  @Test
  void aPreparedSegmentThatWasNeverUsedIsPassedOver() throws IOException {
    Log log = fixture.create(true, SEGMENT);
    append(log, fixture.batch(1, 100));
    log.prepare();
    log.prepare();
    assertThat(log.needsPrepare()).isFalse();
    assertThat(log.fileNumbers()).containsExactlyInAnyOrder(1L, 2L);
    log.close();

    List<Batch> found = new ArrayList<>();
    LogRecovery recovered = fixture.recover(fixture.fs, 0, found);
    assertThat(found).hasSize(1);
    assertThat(recovered.ignored()).containsExactly(2L);
    assertThat(recovered.segments()).extracting(LogSegment::number).containsExactly(1L);
    assertThat(recovered.tail().number()).isEqualTo(1);
  }

  @Test
  void aStoreWithoutALogHasNoSegments() throws IOException {
    LogRecovery recovered = fixture.recover(fixture.fs, 0, new ArrayList<>());
    assertThat(recovered.segments()).isEmpty();
    assertThat(recovered.tail()).isEqualTo(LogTail.NONE);
  }

  @Test
  void syncMayRunBesideAppends() throws Exception {
    List<Batch> batches = new ArrayList<>();
    try (Log log = fixture.create(true, 1 << 16)) {
      List<Throwable> failures = new ArrayList<>();
      Thread syncer =
          new Thread(
              () -> {
                try {
                  while (!Thread.currentThread().isInterrupted()) {
                    log.sync();
                    log.prepare();
                  }
                } catch (IOException e) {
                  failures.add(e);
                }
              });
      syncer.start();
      for (int i = 1; i <= 20_000; i++) {
        Batch batch = fixture.batch(i, 40);
        append(log, batch);
        batches.add(batch);
        log.flush();
      }
      syncer.interrupt();
      syncer.join();
      assertThat(failures).isEmpty();
    }
    assertThat(fixture.read(0)).isEqualTo(batches);
  }

  @Test
  void aLogIsClosedOnce() throws IOException {
    Log log = fixture.create(true, SEGMENT);
    log.close();
    log.close();
    assertThat(directory.resolve(FileNames.log(1))).exists();
    assertThatThrownBy(() -> append(log, fixture.batch(1, 100))).isInstanceOf(IOException.class);
  }

  @Test
  void segmentLengthsThatCannotBeAreRefused() {
    for (int bytes : new int[] {0, 4095, 5000, (1 << 30) + 4096}) {
      assertThatThrownBy(() -> fixture.config(true, bytes))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
