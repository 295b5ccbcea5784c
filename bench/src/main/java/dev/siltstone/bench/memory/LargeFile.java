package dev.siltstone.bench.memory;

import dev.siltstone.bench.work.Keys;
import dev.siltstone.bench.work.Scramble;
import dev.siltstone.bench.work.WrongAnswerException;
import dev.siltstone.engine.Cursor;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.KeyRange;
import dev.siltstone.engine.Options;
import dev.siltstone.engine.TreeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A table file beyond 2 GiB, in which offsets no longer fit 31 bits: written, read and scanned. */
final class LargeFile implements Trial {
  private static final int VALUE_BYTES = 200_000;

  @Override
  public void run(Path directory, Size size, Report report) throws IOException {
    Options options =
        Options.builder()
            .tableBytes(1L << 40)
            .defaultTree(TreeOptions.DEFAULT.withCompression("none"))
            .build();
    long entries = size.entries();
    try (Db db = Db.open(directory, options)) {
      // In order, the files would be moved to the last level as they are.
      Scramble order = new Scramble(entries, 1);
      for (long i = 0; i < entries; i++) {
        long number = order.at(i);
        db.put(Keys.key(number), value(number));
      }
      report.phase("fill", entries, db);
      db.compact(KeyRange.ALL);
      report.phase("compact", entries, db);
      long largest = largest(directory);
      report.line("  the largest file has %d bytes", largest);
      if (largest < entries * VALUE_BYTES) {
        throw new IllegalStateException("the largest file has " + largest + " bytes only");
      }
    }
    try (Db db = Db.open(directory, options)) {
      report.phase("open again", 1, db);
      for (long i = entries - 1; i >= 0; i -= 7) {
        require(db.get(Keys.key(i)), i);
      }
      report.phase("get", entries / 7, db);
      long found = 0;
      try (Cursor cursor = db.cursor()) {
        for (boolean more = cursor.last(); more; more = cursor.prev()) {
          found++;
          require(cursor.value(), entries - found);
        }
      }
      if (found != entries) {
        throw new WrongAnswerException("a scan found " + found + " entries of " + entries);
      }
      report.phase("scan backward", entries, db);
    }
  }

  private static byte[] value(long number) {
    byte[] value = new byte[VALUE_BYTES];
    new Random(number).nextBytes(value);
    return value;
  }

  private static void require(byte @Nullable [] value, long number) {
    if (!Arrays.equals(value, value(number))) {
      throw new WrongAnswerException("key " + number + " has another value");
    }
  }

  private static long largest(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.mapToLong(file -> file.toFile().length()).max().orElse(0);
    }
  }
}
