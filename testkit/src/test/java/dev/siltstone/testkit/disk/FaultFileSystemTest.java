package dev.siltstone.testkit.disk;

// Goal: faults strike where and when they are told to, and do what they say.
// Method: examples on the simulated disk.

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.io.MappedFile;
import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.WritableFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FaultFileSystemTest {
  private static final Path DB = Path.of("/db");
  private static final Path FILE = DB.resolve("1.log");

  private final SimFileSystem disk = new SimFileSystem();
  private final FaultFileSystem faulty = new FaultFileSystem(disk);

  @BeforeEach
  void createDirectory() throws IOException {
    disk.createDirectories(DB);
    disk.syncDirectory(Path.of("/"));
  }

  private static void write(WritableFile file, String text) throws IOException {
    file.write(text.getBytes(UTF_8), 0, text.length());
  }

  private String text(Path path) throws IOException {
    return new String(disk.bytes(path), UTF_8);
  }

  @Test
  void faultStrikesOnceAtItsPlace() throws Exception {
    Fault fault = faulty.add(Fault.on(DiskOperation.SYNC).name(".*\\.log").at(1));
    WritableFile log = faulty.create(FILE);
    WritableFile other = faulty.create(DB.resolve("1.table"));
    other.sync();
    log.sync();
    assertThat(fault.fired()).isFalse();
    assertThatThrownBy(log::sync).isInstanceOf(IOException.class).hasMessageContaining("SYNC");
    log.sync();
    other.sync();

    assertThat(fault.fired()).isTrue();
    assertThat(fault.matched()).isEqualTo(3);
    assertThat(faulty.count(DiskOperation.SYNC)).isEqualTo(5);
  }

  @Test
  void stickyFaultStrikesUntilItIsCleared() throws Exception {
    faulty.add(
        Fault.on(DiskOperation.CREATE).always().failing(() -> new NoSpaceException("planned")));
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> faulty.create(FILE)).isInstanceOf(NoSpaceException.class);
    }
    assertThat(disk.exists(FILE)).isFalse();
    faulty.clear();
    faulty.create(FILE).close();
  }

  @Test
  void failedWriteStoresNothingHalfOrAll() throws Exception {
    for (int i = 0; i < 3; i++) {
      Fault fault = Fault.on(DiskOperation.WRITE).at(1);
      faulty.clear();
      faulty.add(i == 1 ? fault.partly() : i == 2 ? fault.afterEffect() : fault);
      WritableFile file = faulty.create(FILE);
      write(file, "good");
      assertThatThrownBy(() -> write(file, "lost")).isInstanceOf(IOException.class);
      assertThat(file.size()).isEqualTo(4);
      assertThat(text(FILE)).isEqualTo(List.of("good", "goodlo", "goodlost").get(i));
      file.sync();
      file.close();
    }
  }

  @Test
  void mappedWritesFailLikeOthers() throws Exception {
    faulty.add(Fault.on(DiskOperation.MAPPED_WRITE).partly());
    MappedFile mapped = faulty.map(FILE, 6);
    assertThatThrownBy(() -> mapped.write(1, "abcd".getBytes(UTF_8), 0, 4))
        .isInstanceOf(IOException.class);
    assertThat(text(FILE)).isEqualTo("\0ab\0\0\0");
    mapped.write(1, "wxyz".getBytes(UTF_8), 0, 4);
    faulty.add(Fault.on(DiskOperation.FORCE).losingUnsynced());
    assertThatThrownBy(() -> mapped.force(0, 6)).isInstanceOf(IOException.class);
    mapped.force(0, 6);

    disk.syncDirectory(DB);
    SimFileSystem crashed = disk.crash(new SplittableRandom(1), CrashMode.SYNCED_ONLY);
    assertThat(crashed.bytes(FILE)).containsOnly(0);
  }

  @Test
  void failedSyncMayTakeTheBytesWithIt() throws Exception {
    WritableFile file = faulty.create(FILE);
    disk.syncDirectory(DB);
    write(file, "one");
    faulty.add(Fault.on(DiskOperation.SYNC).losingUnsynced());
    assertThatThrownBy(file::sync).isInstanceOf(IOException.class);
    file.sync();
    SimFileSystem crashed = disk.crash(new SplittableRandom(1), CrashMode.SYNCED_ONLY);
    assertThat(crashed.bytes(FILE)).isEmpty();

    write(file, "two");
    faulty.clear();
    faulty.add(Fault.on(DiskOperation.SYNC).losingUnsynced());
    assertThatThrownBy(() -> faulty.syncFile(FILE)).isInstanceOf(IOException.class);
    assertThat(disk.crash(new SplittableRandom(1), CrashMode.SUBSET).bytes(FILE)).isEmpty();
  }

  @Test
  void answerMayBeLostAfterTheEffect() throws Exception {
    faulty.add(Fault.on(DiskOperation.RENAME).afterEffect());
    faulty.create(FILE).close();
    assertThatThrownBy(() -> faulty.rename(FILE, DB.resolve("2.log")))
        .isInstanceOf(IOException.class);
    assertThat(disk.list(DB)).containsExactly("2.log");
  }

  @Test
  void errorsAreThrownAsTheyAre() {
    faulty.add(Fault.on(DiskOperation.LIST).throwing(() -> new OutOfMemoryError("planned")));
    assertThatThrownBy(() -> faulty.list(DB)).isInstanceOf(OutOfMemoryError.class);
  }

  @Test
  void slowOperationsWaitAndSucceed() throws Exception {
    List<String> events = new ArrayList<>();
    faulty.add(Fault.on(DiskOperation.READ).pausing(() -> events.add("waited")));
    write(disk.create(FILE), "text");
    ReadableFile file = faulty.open(FILE);
    byte[] bytes = new byte[4];
    assertThat(file.read(0, bytes, 0, 4)).isEqualTo(4);
    assertThat(events).containsExactly("waited");
  }

  @Test
  void damagedReadDiffersInOneBit() throws Exception {
    faulty.add(Fault.on(DiskOperation.READ).damaging());
    write(disk.create(FILE), "text");
    ReadableFile file = faulty.open(FILE);
    byte[] bytes = new byte[4];
    file.read(0, bytes, 0, 4);
    int bits = 0;
    for (int i = 0; i < 4; i++) {
      bits += Integer.bitCount((bytes[i] ^ "text".charAt(i)) & 0xFF);
    }
    assertThat(bits).isEqualTo(1);
    file.read(0, bytes, 0, 4);
    assertThat(new String(bytes, UTF_8)).isEqualTo("text");
  }

  @Test
  void everyChangeOfAWorkIsVisitedByCounting() throws Exception {
    int struck = 0;
    while (true) {
      FaultFileSystem fresh = new FaultFileSystem(disk.kill());
      Fault fault = fresh.add(Fault.onChanges().at(struck));
      try {
        WritableFile file = fresh.create(FILE);
        write(file, "text");
        file.sync();
        fresh.syncDirectory(DB);
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("injected");
      }
      if (!fault.fired()) {
        break;
      }
      struck++;
    }
    assertThat(struck).isEqualTo(4);
  }

  @Test
  void onlyASimulatedDiskLosesWhatWasNotSynced(@TempDir Path directory) throws Exception {
    FaultFileSystem real = new FaultFileSystem(new OsFileSystem());
    real.add(Fault.on(DiskOperation.SYNC).losingUnsynced());
    try (WritableFile file = real.create(directory.resolve("f"))) {
      assertThatThrownBy(file::sync).isInstanceOf(IllegalStateException.class);
    }
  }
}
