package dev.siltstone.engine.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a value stored apart comes back whole or not at all. Method: values around the size of a
 * chunk, each flip and each cut of a file, files in each other's place, and disks that fail.
 */
final class BlobFilesTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final long STORE_ID = 0x1122334455667788L;

  private final SimFileSystem disk = new SimFileSystem();
  private final FaultFileSystem faults = new FaultFileSystem(disk);
  private final AtomicLong numbers = new AtomicLong();
  private final BlobFiles blobs =
      new BlobFiles(faults, DIRECTORY, STORE_ID, numbers::incrementAndGet);

  @BeforeEach
  void createDirectory() throws IOException {
    disk.createDirectories(DIRECTORY);
    disk.syncDirectory(Path.of("/"));
  }

  @Test
  void valuesOfAllLengthsComeBack() throws IOException {
    int chunk = BlobFormat.CHUNK_BYTES;
    for (int length : new int[] {0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk + 5}) {
      byte[] value = value(length);
      BlobReference reference = blobs.write(value);
      assertThat(reference.valueLength()).isEqualTo(length);
      assertThat(disk.size(file(reference))).isEqualTo(BlobFormat.fileBytes(length));
      assertThat(blobs.read(reference)).isEqualTo(value);
    }
  }

  @Test
  void syncedValueSurvivesAPowerLoss() throws IOException {
    byte[] value = value(1000);
    BlobReference reference = blobs.write(value);
    blobs.sync();
    assertThat(disk.unsynced()).isEmpty();
    assertThat(blobs.read(reference)).isEqualTo(value);
  }

  @Test
  void everyFlipIsFound() throws IOException {
    BlobReference reference = blobs.write(value(100));
    byte[] bytes = disk.bytes(file(reference));
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      disk.setBytes(file(reference), flipped);
      assertThatExceptionOfType(CorruptFileException.class)
          .as("bit %d", bit)
          .isThrownBy(() -> blobs.read(reference))
          .satisfies(e -> assertThat(e.file()).isEqualTo(file(reference)));
    }
  }

  @Test
  void everyCutIsFound() throws IOException {
    BlobReference reference = blobs.write(value(100));
    byte[] bytes = disk.bytes(file(reference));
    for (int length = 0; length <= bytes.length + 1; length++) {
      if (length != bytes.length) {
        disk.setBytes(file(reference), Arrays.copyOf(bytes, length));
        assertCorrupt(reference);
      }
    }
  }

  @Test
  void swappedChunksAreFoundAtTheirPlace() throws IOException {
    int chunk = BlobFormat.CHUNK_BYTES;
    BlobReference reference = blobs.write(value(2 * chunk));
    byte[] bytes = disk.bytes(file(reference));
    int stride = chunk + BlobFormat.CHECKSUM_BYTES;
    byte[] swapped = bytes.clone();
    System.arraycopy(bytes, BlobFormat.HEADER_BYTES, swapped, swapped.length - stride, stride);
    System.arraycopy(bytes, bytes.length - stride, swapped, BlobFormat.HEADER_BYTES, stride);
    disk.setBytes(file(reference), swapped);
    assertThatExceptionOfType(CorruptFileException.class)
        .isThrownBy(() -> blobs.read(reference))
        .satisfies(e -> assertThat(e.offset()).isEqualTo(BlobFormat.HEADER_BYTES));
  }

  @Test
  void fileOfAnotherNumberOrStoreIsRefused() throws IOException {
    BlobReference first = blobs.write(value(100));
    BlobReference second = blobs.write(value(100));
    disk.setBytes(file(first), disk.bytes(file(second)));
    assertCorrupt(first);
    BlobFiles other = new BlobFiles(disk, DIRECTORY, STORE_ID + 1, numbers::incrementAndGet);
    assertThatThrownBy(() -> other.read(second)).isInstanceOf(CorruptFileException.class);
  }

  @Test
  void intactFileWithAnotherValueIsRefused() throws IOException {
    BlobReference reference = blobs.write(value(100));
    assertCorrupt(new BlobReference(reference.fileNumber(), 100, reference.checksum() + 1));
    assertCorrupt(new BlobReference(reference.fileNumber(), 99, reference.checksum()));
    assertCorrupt(new BlobReference(reference.fileNumber(), 1 << 30, reference.checksum()));
    assertCorrupt(new BlobReference(999, 100, reference.checksum()));
  }

  @Test
  void impossibleReferenceIsDamageAndNothingElse() {
    assertThatThrownBy(() -> blobs.read(new byte[BlobReference.BYTES], 0))
        .isInstanceOf(CorruptFileException.class);
  }

  @Test
  void laterFormatIsUnsupported() throws IOException {
    BlobReference reference = blobs.write(value(100));
    byte[] bytes = disk.bytes(file(reference));
    Fixed.putInt(bytes, 8, BlobFormat.VERSION + 1);
    Fixed.putInt(bytes, 32, Crc32c.of(bytes, 0, 32));
    disk.setBytes(file(reference), bytes);
    assertThatThrownBy(() -> blobs.read(reference)).isInstanceOf(UnsupportedFileException.class);
  }

  @Test
  void failedWriteLeavesNothing() throws IOException {
    DiskOperation[] operations = {DiskOperation.CREATE, DiskOperation.WRITE, DiskOperation.SYNC};
    for (DiskOperation operation : operations) {
      faults.add(Fault.on(operation));
      assertThatThrownBy(() -> blobs.write(value(100))).isInstanceOf(IOException.class);
      assertThat(blobs.inFlight()).isEmpty();
      assertThat(disk.list(DIRECTORY)).isEmpty();
      faults.clear();
    }
  }

  @Test
  void failedReadIsTheDisksFault() throws IOException {
    BlobReference reference = blobs.write(value(100));
    faults.add(Fault.on(DiskOperation.READ).at(1));
    assertThatThrownBy(() -> blobs.read(reference))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(CorruptFileException.class);
    assertThat(blobs.read(reference)).isEqualTo(value(100));
  }

  @Test
  void blobIsInFlightUntilSettled() throws IOException {
    BlobReference first = blobs.write(value(1));
    BlobReference second = blobs.write(value(2));
    assertThat(blobs.inFlight()).containsOnly(first.fileNumber(), second.fileNumber());
    blobs.settled(new long[] {first.fileNumber()});
    assertThat(blobs.inFlight()).containsOnly(second.fileNumber());
  }

  @Test
  void heldFileIsOpenedOnce() throws IOException {
    BlobReference reference = blobs.write(value(100));
    blobs.hold(reference.fileNumber());
    blobs.hold(reference.fileNumber());
    assertThat(blobs.read(reference)).isEqualTo(value(100));
    assertThat(faults.count(DiskOperation.OPEN)).isEqualTo(1);
    blobs.close();
    assertThat(blobs.read(reference)).isEqualTo(value(100));
    assertThat(faults.count(DiskOperation.OPEN)).isEqualTo(2);
  }

  private void assertCorrupt(BlobReference reference) {
    assertThatThrownBy(() -> blobs.read(reference)).isInstanceOf(CorruptFileException.class);
  }

  private static Path file(BlobReference reference) {
    return DIRECTORY.resolve("%06d.blob".formatted(reference.fileNumber()));
  }

  private static byte[] value(int length) {
    byte[] value = new byte[length];
    new SplittableRandom(length).nextBytes(value);
    return value;
  }
}
