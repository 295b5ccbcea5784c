package dev.siltstone.engine.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.engine.wal.LogFixture.Batch;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Goal: no changed byte and no cut ever gives a wrong batch, a hole, or an exception but Corrupt;
//   what was known to be durable is missed with file and offset.
// Method: every byte of a small log of three segments changed in turn, every length cut to, the
//   result compared with what the watermarks in the log allow.
class LogSweepTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final int SEGMENT = 4096;
  private static final int HEAD_END = SegmentHeader.BYTES + SegmentHead.RECORD_BYTES;

  private final SimFileSystem disk = new SimFileSystem();
  private final LogFixture fixture;
  private final List<Batch> batches = new ArrayList<>();

  LogSweepTest() throws IOException {
    disk.createDirectories(DIRECTORY);
    fixture = new LogFixture(disk, DIRECTORY, 5);
  }

  /** Three segments with a few batches each; the end of each segment's records. */
  private int[] fill(Log log) throws IOException {
    int[] ends = new int[3];
    for (int segment = 0; segment < 3; segment++) {
      for (int i = 0; i < 4; i++) {
        Batch batch = fixture.batch(batches.size() + 1, 850 + i * 11);
        LogFixture.append(log, batch);
        batches.add(batch);
      }
      log.flush();
      ends[segment] = endOf(segment + 1);
    }
    assertThat(log.segments()).hasSize(3);
    return ends;
  }

  private int endOf(long number) throws IOException {
    SegmentReader reader = SegmentReader.open(disk, fixture.log(number), LogKind.WAL);
    while (reader.next()) {
      assertThat(reader.type()).isNotZero();
    }
    return reader.end();
  }

  private interface Check {
    /** Of a change at {@code offset} of a segment (0 to 2): whether it has to be found. */
    boolean isProven(int segment, int offset);
  }

  private void sweepBytes(int[] ends, Check check) throws IOException {
    for (int segment = 0; segment < 3; segment++) {
      Path file = fixture.log(segment + 1);
      byte[] original = disk.bytes(file);
      for (int offset = 0; offset < original.length; offset++) {
        byte[] changed = original.clone();
        changed[offset] ^= (byte) (1 << (offset * 7 % 8));
        disk.setBytes(file, changed);
        check(segment, offset, ends[segment], check.isProven(segment, offset));
      }
      disk.setBytes(file, original);
    }
    assertThat(fixture.read(0)).isEqualTo(batches);
  }

  private void check(int segment, int offset, int end, boolean proven) throws IOException {
    String name = "segment " + segment + ", offset " + offset;
    List<Batch> found = new ArrayList<>();
    try {
      fixture.recover(disk, 0, found);
    } catch (CorruptFileException e) {
      assertThat(proven).as(name + ": " + e.getMessage()).isTrue();
      assertThat(e.file()).as(name).isEqualTo(fixture.log(segment + 1));
      assertThat(e.offset()).as(name).isBetween(0L, (long) offset);
      return;
    }
    assertThat(proven).as(name).isFalse();
    if (offset >= end) {
      assertThat(found).as(name).isEqualTo(batches);
    } else {
      assertThat(found).as(name).isEqualTo(batches.subList(0, found.size()));
      assertThat(found.size()).as(name).isBetween(segment * 4, segment * 4 + 3);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyChangeOfAClosedLogIsFound(boolean mapped) throws IOException {
    Log log = fixture.create(mapped, SEGMENT);
    int[] ends = fill(log);
    log.close();
    // All but the mark at the very end is vouched for by the mark.
    sweepBytes(ends, (segment, offset) -> offset < ends[segment]);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatWasNeverSyncedIsCutAtTheChange(boolean mapped) throws IOException {
    Log log = fixture.create(mapped, SEGMENT);
    int[] ends = fill(log);
    // Opening a log syncs the HEAD of its first segment. Headers are durable with the name.
    sweepBytes(
        ends,
        (segment, offset) -> offset < SegmentHeader.BYTES || (segment == 0 && offset < HEAD_END));
    log.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSyncVouchesForAllSegmentsBefore(boolean mapped) throws IOException {
    Log log = fixture.create(mapped, SEGMENT);
    for (int i = 0; i < 10; i++) {
      batches.add(fixture.batch(i + 1, 850 + i % 4 * 11));
      LogFixture.append(log, batches.getLast());
    }
    log.flush();
    log.sync();
    int synced = endOf(3);
    for (int i = 10; i < 12; i++) {
      batches.add(fixture.batch(i + 1, 850 + i % 4 * 11));
      LogFixture.append(log, batches.getLast());
    }
    log.flush();
    int[] ends = {endOf(1), endOf(2), endOf(3)};
    sweepBytes(ends, (segment, offset) -> offset < (segment < 2 ? ends[segment] : synced));
    log.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyCutIsFoundOrLeavesAPrefix(boolean mapped) throws IOException {
    Log log = fixture.create(mapped, SEGMENT);
    fill(log);
    log.close();
    for (int segment = 0; segment < 3; segment++) {
      Path file = fixture.log(segment + 1);
      byte[] original = disk.bytes(file);
      for (int length = 0; length < original.length; length++) {
        disk.setBytes(file, java.util.Arrays.copyOf(original, length));
        List<Batch> found = new ArrayList<>();
        String name = "segment " + segment + ", length " + length;
        try {
          fixture.recover(disk, 0, found);
          assertThat(found).as(name).isEqualTo(batches.subList(0, found.size()));
          // A mapped file has a fixed length, and a later segment tells the length of this one.
          assertThat(mapped).as(name).isFalse();
          assertThat(segment < 2 && length < endOf(segment + 1)).as(name).isFalse();
        } catch (CorruptFileException e) {
          assertThat(e.file()).as(name).isEqualTo(file);
        }
      }
      disk.setBytes(file, original);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSegmentThatIsMissingIsFound(boolean mapped) throws IOException {
    Log log = fixture.create(mapped, SEGMENT);
    fill(log);
    log.close();
    for (int segment = 1; segment <= 3; segment++) {
      Path file = fixture.log(segment);
      byte[] original = disk.bytes(file);
      disk.remove(file);
      List<Batch> found = new ArrayList<>();
      try {
        LogRecovery.run(disk, DIRECTORY, LogFixture.STORE, 1, 3, (_, _, _, _) -> 0);
        throw new AssertionError("segment " + segment + " is not missed: " + found);
      } catch (CorruptFileException e) {
        assertThat(e.file()).isEqualTo(file);
        assertThat(e).hasMessageContaining("missing");
      }
      fixture.write(file, original);
    }
    assertThat(fixture.read(0)).isEqualTo(batches);
  }
}
