package dev.siltstone.engine.wal;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.file.FileNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** A log in a directory, with numbers and unique ids that follow from a seed. */
final class LogFixture {
  static final long STORE = 0x1122334455667788L;

  final FileSystem fs;
  final Path directory;
  final AtomicLong numbers = new AtomicLong(1);
  private final SplittableRandom random;

  LogFixture(FileSystem fs, Path directory, long seed) {
    this.fs = fs;
    this.directory = directory;
    this.random = new SplittableRandom(seed);
  }

  /** A batch, and what recovery gave back of it. */
  record Batch(long time, byte[] payload) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Batch that
          && time == that.time
          && Arrays.equals(payload, that.payload);
    }

    @Override
    public int hashCode() {
      return Long.hashCode(time);
    }

    @Override
    public String toString() {
      return time + ":" + payload.length + " bytes";
    }
  }

  /** A batch of {@code length} bytes, at least 8, whose first eight are its time. */
  Batch batch(long time, int length) {
    byte[] payload = new byte[length];
    random.nextBytes(payload);
    Fixed.putLong(payload, 0, time);
    return new Batch(time, payload);
  }

  LogConfig config(boolean mapped, int segmentBytes) {
    return config(fs, mapped, segmentBytes);
  }

  LogConfig config(FileSystem other, boolean mapped, int segmentBytes) {
    return new LogConfig(
        other, directory, STORE, mapped, segmentBytes, numbers::getAndIncrement, random::nextLong);
  }

  Log create(boolean mapped, int segmentBytes) throws IOException {
    return Log.open(config(mapped, segmentBytes), LogRecovery.none(fs, directory, STORE));
  }

  static void append(Log log, Batch batch) throws IOException {
    log.append(batch.payload, 0, batch.payload.length, batch.time);
  }

  /** The batches in the log, from segment {@code oldest} on. */
  List<Batch> read(long oldest) throws IOException {
    List<Batch> batches = new ArrayList<>();
    recover(fs, oldest, batches);
    return batches;
  }

  LogRecovery recover(FileSystem from, long oldest, List<Batch> batches) throws IOException {
    return LogRecovery.run(
        from,
        directory,
        STORE,
        oldest,
        0,
        (_, array, offset, length) -> {
          long time = Fixed.getLong(array, offset);
          batches.add(new Batch(time, Bytes.copy(array, offset, length)));
          return time;
        });
  }

  Path log(long number) {
    return directory.resolve(FileNames.log(number));
  }

  byte[] bytes(Path file) throws IOException {
    try (ReadableFile input = fs.open(file)) {
      byte[] bytes = new byte[(int) input.size()];
      input.read(0, bytes, 0, bytes.length);
      return bytes;
    }
  }

  void write(Path file, byte[] bytes) throws IOException {
    try (WritableFile output = fs.create(file)) {
      output.write(bytes, 0, bytes.length);
    }
  }
}
