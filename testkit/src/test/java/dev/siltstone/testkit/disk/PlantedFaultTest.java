package dev.siltstone.testkit.disk;

// Goal: crash tests on the simulated disk find the mistakes they are there for, and soon; and they
// find nothing in a store that makes none.
// Method: a toy store (log, snapshot, pointer) with one mistake planted at a time; a crash in every
// mode before every operation; what is recovered must be a prefix of what was written and hold all
// that was acknowledged.

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.testkit.run.Seed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PlantedFaultTest {
  private static final Path DB = Path.of("/db");
  private static final int SEEDS = 6;
  private static final int COMMITS = 60;

  /** Mistakes, each of them made by some store once. */
  private enum Plant {
    NONE,
    LOG_NOT_SYNCED,
    NAME_OF_NEW_LOG_NOT_SYNCED,
    SNAPSHOT_NOT_SYNCED,
    POINTER_NOT_SYNCED_BEFORE_RENAME,
    RENAME_NOT_SYNCED,
    POINTER_WRITTEN_IN_PLACE,
    OLD_LOG_REMOVED_TOO_EARLY,
    LOG_READ_WITHOUT_CHECKSUM,
    DIRECTORY_NOT_SYNCED
  }

  private int states;
  private int bad;
  private int firstBad = -1;

  @ParameterizedTest
  @EnumSource
  void plantedFaultIsFoundAndNothingElse(Plant plant) throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      run(plant, new Seed(seed));
    }
    if (plant == Plant.NONE) {
      assertThat(bad).as("of %d states", states).isZero();
      assertThat(states).isGreaterThan(5_000);
    } else {
      assertThat(bad).as("of %d states", states).isPositive();
      assertThat(firstBad).isLessThan(1_000);
    }
  }

  private void run(Plant plant, Seed seed) throws IOException {
    SimFileSystem disk = new SimFileSystem();
    SplittableRandom random = seed.random("crash");
    Toy toy = new Toy(disk, plant, seed.random("values"));
    disk.onOperation(
        (_, _, _) -> {
          for (CrashMode mode : CrashMode.values()) {
            check(toy, disk.crash(random, mode));
          }
          check(toy, disk.kill());
        });
    toy.start();
    for (int i = 0; i < COMMITS; i++) {
      toy.commit();
      if (i % 7 == 6) {
        toy.checkpoint();
      }
    }
  }

  private void check(Toy toy, SimFileSystem found) {
    states++;
    boolean good;
    try {
      List<byte[]> recovered = toy.started ? Toy.recover(found, toy.plant) : List.of();
      good = recovered.size() >= toy.acknowledged && recovered.size() <= toy.written.size();
      for (int i = 0; good && i < recovered.size(); i++) {
        good = Arrays.equals(recovered.get(i), toy.written.get(i));
      }
    } catch (IOException e) {
      good = false;
    }
    if (!good) {
      bad++;
      firstBad = firstBad < 0 ? states : firstBad;
    }
  }

  /** An append-only list of values. Files of generation n: log-n goes on where snapshot-n ends. */
  private static final class Toy {
    private final FileSystem disk;
    private final Plant plant;
    private final SplittableRandom random;
    private final List<byte[]> written = new ArrayList<>();
    private int acknowledged;
    private int generation;
    private boolean started;
    private WritableFile log;

    Toy(FileSystem disk, Plant plant, SplittableRandom random) {
      this.disk = disk;
      this.plant = plant;
      this.random = random;
    }

    void start() throws IOException {
      disk.createDirectories(DB);
      if (plant != Plant.DIRECTORY_NOT_SYNCED) {
        disk.syncDirectory(Path.of("/"));
      }
      log = disk.create(DB.resolve("log-0"));
      disk.syncDirectory(DB);
      started = true;
    }

    void commit() throws IOException {
      byte[] value = new byte[1 + random.nextInt(80)];
      random.nextBytes(value);
      written.add(value);
      byte[] record = record(value);
      log.write(record, 0, record.length);
      if (plant != Plant.LOG_NOT_SYNCED) {
        log.sync();
      }
      acknowledged = written.size();
    }

    void checkpoint() throws IOException {
      int next = generation + 1;
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (byte[] value : written) {
        all.writeBytes(record(value));
      }
      write("snapshot-" + next, all.toByteArray(), plant != Plant.SNAPSHOT_NOT_SYNCED);
      if (plant == Plant.NAME_OF_NEW_LOG_NOT_SYNCED) {
        disk.syncDirectory(DB);
      }
      log.close();
      log = disk.create(DB.resolve("log-" + next));
      if (plant != Plant.NAME_OF_NEW_LOG_NOT_SYNCED) {
        disk.syncDirectory(DB);
      }
      if (plant == Plant.OLD_LOG_REMOVED_TOO_EARLY) {
        disk.remove(DB.resolve("log-" + generation));
      }
      byte[] pointer = record(String.valueOf(next).getBytes(UTF_8));
      if (plant == Plant.POINTER_WRITTEN_IN_PLACE) {
        write("CURRENT", pointer, true);
        disk.syncDirectory(DB);
      } else {
        write("CURRENT.new", pointer, plant != Plant.POINTER_NOT_SYNCED_BEFORE_RENAME);
        disk.rename(DB.resolve("CURRENT.new"), DB.resolve("CURRENT"));
        if (plant != Plant.RENAME_NOT_SYNCED && plant != Plant.NAME_OF_NEW_LOG_NOT_SYNCED) {
          disk.syncDirectory(DB);
        }
      }
      if (plant != Plant.OLD_LOG_REMOVED_TOO_EARLY) {
        disk.remove(DB.resolve("log-" + generation));
      }
      if (generation > 0) {
        disk.remove(DB.resolve("snapshot-" + generation));
      }
      generation = next;
    }

    private void write(String name, byte[] bytes, boolean sync) throws IOException {
      try (WritableFile file = disk.create(DB.resolve(name))) {
        file.write(bytes, 0, bytes.length);
        if (sync) {
          file.sync();
        }
      }
    }

    private static byte[] record(byte[] value) {
      byte[] record = new byte[8 + value.length];
      Fixed.putInt(record, 0, Crc32c.of(value, 0, value.length));
      Fixed.putInt(record, 4, value.length);
      System.arraycopy(value, 0, record, 8, value.length);
      return record;
    }

    static List<byte[]> recover(FileSystem disk, Plant plant) throws IOException {
      List<byte[]> values = new ArrayList<>();
      int generation = 0;
      if (disk.exists(DB.resolve("CURRENT"))) {
        List<byte[]> pointer = read(disk, "CURRENT", true, true);
        generation = Integer.parseInt(new String(pointer.getFirst(), UTF_8));
        values.addAll(read(disk, "snapshot-" + generation, true, true));
      }
      boolean checked = plant != Plant.LOG_READ_WITHOUT_CHECKSUM;
      values.addAll(read(disk, "log-" + generation, checked, false));
      return values;
    }

    /** The records of a file; a bad one is damage if the file must be whole, else its end. */
    private static List<byte[]> read(FileSystem disk, String name, boolean checked, boolean whole)
        throws IOException {
      byte[] bytes;
      try (ReadableFile file = disk.open(DB.resolve(name))) {
        bytes = new byte[(int) file.size()];
        file.read(0, bytes, 0, bytes.length);
      }
      List<byte[]> values = new ArrayList<>();
      int at = 0;
      while (at + 8 <= bytes.length) {
        int length = Fixed.getInt(bytes, at + 4);
        if (length <= 0
            || length > bytes.length - at - 8
            || (checked && Crc32c.of(bytes, at + 8, length) != Fixed.getInt(bytes, at))) {
          break;
        }
        values.add(Arrays.copyOfRange(bytes, at + 8, at + 8 + length));
        at += 8 + length;
      }
      if (whole && (at < bytes.length || values.isEmpty())) {
        throw new IOException(name + " is damaged at " + at);
      }
      return values;
    }
  }
}
