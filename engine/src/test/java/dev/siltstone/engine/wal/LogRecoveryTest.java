package dev.siltstone.engine.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.wal.LogFixture.Batch;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

// Goal: what recovery does with files that no crash leaves: foreign, newer, hostile, out of place.
// Method: files made by hand on a simulated disk.
class LogRecoveryTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final int HEAD_END = SegmentHeader.BYTES + SegmentHead.RECORD_BYTES;

  private final SimFileSystem disk = new SimFileSystem();
  private LogFixture fixture;

  @BeforeEach
  void setUp() throws IOException {
    disk.createDirectories(DIRECTORY);
    fixture = new LogFixture(disk, DIRECTORY, 1);
  }

  private List<Batch> fill(int batches) throws IOException {
    List<Batch> written = new ArrayList<>();
    try (Log log = fixture.create(false, 1 << 20)) {
      for (int i = 1; i <= batches; i++) {
        written.add(fixture.batch(i, 100));
        LogFixture.append(log, written.getLast());
      }
    }
    return written;
  }

  private LogWriter writer(long number, long store) throws IOException {
    SegmentHeader header = new SegmentHeader(LogKind.WAL, store, number, 99, 0);
    WritableFile file = disk.create(fixture.log(number));
    file.write(header.encode(), 0, SegmentHeader.BYTES);
    return LogWriter.written(file, header, 1 << 20);
  }

  private static void appendHead(LogWriter writer, SegmentHead head) throws IOException {
    writer.append(LogFormat.HEAD, head.encode(), 0, SegmentHead.BYTES);
  }

  @Test
  void unknownTypesFrom128OnAreSkippedAndOthersRefused() throws IOException {
    LogWriter writer = writer(1, LogFixture.STORE);
    appendHead(writer, new SegmentHead(0, 0, 0, 0));
    Batch batch = fixture.batch(7, 20);
    writer.append(200, new byte[9], 0, 9);
    writer.append(LogFormat.DATA, batch.payload(), 0, 20);
    writer.append(129, new byte[0], 0, 0);
    writer.flush();
    assertThat(fixture.read(0)).containsExactly(batch);

    writer.append(127, new byte[1], 0, 1);
    writer.flush();
    assertThatThrownBy(() -> fixture.read(0))
        .isInstanceOf(UnsupportedFileException.class)
        .hasMessageContaining("000001.wal")
        .hasMessageContaining("type 127");
  }

  @Test
  void aNewerFormatIsUnsupportedAndNotCorrupt() throws IOException {
    fill(3);
    byte[] bytes = disk.bytes(fixture.log(1));
    Fixed.putInt(bytes, 8, 2);
    Fixed.putInt(bytes, 60, Crc32c.of(bytes, 0, 60));
    disk.setBytes(fixture.log(1), bytes);
    assertThatThrownBy(() -> fixture.read(0))
        .isInstanceOf(UnsupportedFileException.class)
        .hasMessageContaining("version 2");
  }

  @Test
  void segmentsOfOtherStoresAndUnderOtherNumbersAreReportedAndNotReplayed() throws IOException {
    List<Batch> written = fill(5);
    LogWriter other = writer(9, 12345);
    appendHead(other, new SegmentHead(0, 0, 0, 0));
    Batch batch = fixture.batch(7, 20);
    other.append(LogFormat.DATA, batch.payload(), 0, 20);
    other.flush();
    disk.create(fixture.log(8)).close();
    disk.setBytes(fixture.log(8), disk.bytes(fixture.log(1)));

    List<Batch> found = new ArrayList<>();
    LogRecovery recovered = fixture.recover(disk, 0, found);
    assertThat(found).isEqualTo(written);
    assertThat(recovered.foreign()).containsExactlyInAnyOrder(8L, 9L);
    assertThat(recovered.ignored()).isEmpty();
  }

  @Test
  void aRecordTwiceInItsPlaceInTheChainIsRefused() throws IOException {
    LogWriter writer = writer(1, LogFixture.STORE);
    appendHead(writer, new SegmentHead(0, 0, 0, 0));
    appendHead(writer, new SegmentHead(0, 0, 0, 0));
    writer.flush();
    assertThatThrownBy(() -> fixture.read(0))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("out of place");
  }

  @Test
  void headsThatCannotBeAreRefused() throws IOException {
    for (SegmentHead head :
        List.of(
            new SegmentHead(5, 100, 0, 0),
            new SegmentHead(-1, 100, 0, 0),
            new SegmentHead(3, 63, 0, 0),
            new SegmentHead(3, 1L << 40, 0, 0),
            new SegmentHead(3, 100, 0, 101),
            new SegmentHead(3, 100, 0, -1))) {
      LogWriter writer = writer(5, LogFixture.STORE);
      appendHead(writer, head);
      writer.flush();
      assertThatThrownBy(() -> fixture.read(0))
          .isInstanceOf(CorruptFileException.class)
          .hasMessageContaining("impossible");
    }
  }

  @Test
  void anOlderCopyOfASegmentIsFoundByItsChecksum() throws IOException {
    LogWriter first = writer(1, LogFixture.STORE);
    appendHead(first, new SegmentHead(0, 0, 0, 0));
    Batch batch = fixture.batch(1, 20);
    first.append(LogFormat.DATA, batch.payload(), 0, 20);
    first.flush();
    LogWriter second = writer(2, LogFixture.STORE);
    appendHead(second, new SegmentHead(1, first.end(), first.checksum() + 1, 0));
    second.flush();
    assertThatThrownBy(() -> fixture.read(0))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("segment 2")
        .extracting(e -> ((CorruptFileException) e).file())
        .isEqualTo(fixture.log(1));
  }

  @Test
  void damageTellsHowManyRecordsFollow() throws IOException {
    fill(10);
    byte[] bytes = disk.bytes(fixture.log(1));
    bytes[HEAD_END + 20]++;
    disk.setBytes(fixture.log(1), bytes);
    assertThatThrownBy(() -> fixture.read(0))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("intact records after it: 10")
        .extracting(e -> ((CorruptFileException) e).offset())
        .isEqualTo((long) HEAD_END);
  }

  @Test
  @Timeout(20)
  void hostileBytesAfterATornTailTakeLinearTime() throws IOException {
    LogWriter writer = writer(1, LogFixture.STORE);
    appendHead(writer, new SegmentHead(0, 0, 0, 0));
    writer.flush();
    byte[] bytes = java.util.Arrays.copyOf(disk.bytes(fixture.log(1)), 3 << 20);
    // Every sixteen bytes a header that claims half of the file, and only its checksum is wrong.
    for (int at = HEAD_END; at + 16 <= bytes.length / 2; at += 16) {
      LogFormat.putFields(bytes, at, LogFormat.DATA, SegmentHeader.BYTES, bytes.length / 2 - 16);
    }
    disk.setBytes(fixture.log(1), bytes);
    assertThat(fixture.read(0)).isEmpty();
  }

  @Test
  void theSinkIsToldWhereInTheFileAPayloadIs() throws IOException {
    List<Batch> written = fill(2);
    List<Integer> offsets = new ArrayList<>();
    LogRecovery recovered =
        LogRecovery.run(
            disk,
            DIRECTORY,
            LogFixture.STORE,
            0,
            1,
            (file, array, offset, length) -> {
              assertThat(file).isEqualTo(fixture.log(1));
              assertThat(length).isEqualTo(100);
              offsets.add(offset);
              return Fixed.getLong(array, offset);
            });
    byte[] bytes = disk.bytes(fixture.log(1));
    assertThat(offsets).hasSize(2);
    assertThat(Fixed.getLong(bytes, offsets.getLast())).isEqualTo(written.getLast().time());
    assertThat(recovered.segments()).containsExactly(new LogSegment(1, bytes.length, 2));
  }
}
