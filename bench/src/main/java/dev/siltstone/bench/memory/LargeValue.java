package dev.siltstone.bench.memory;

import dev.siltstone.bench.work.WrongAnswerException;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.KeyRange;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Values of 300 MiB are put, got, found again by the next open, compacted and replaced. The engine
 * keeps none of them: the heap has to hold the one value that the caller holds, or the one that he
 * is given.
 */
final class LargeValue implements Trial {
  private static final int MIB = 1 << 20;
  private static final byte[] KEY = {1};

  @Override
  public void run(Path directory, Size size, Report report) {
    int bytes = (int) size.entries() * MIB;
    try (Db db = Db.open(directory)) {
      db.put(KEY, value(bytes, 1));
      report.phase("put", 1, db);
      require(db.get(KEY), bytes, 1);
      report.phase("get", 1, db);
    }
    try (Db db = Db.open(directory)) {
      report.phase("open again", 1, db);
      require(db.get(KEY), bytes, 1);
      report.phase("get", 1, db);
      db.put(KEY, value(bytes, 2));
      db.flush();
      report.phase("put and flush", 1, db);
      db.compact(KeyRange.ALL);
      report.phase("compact", 1, db);
      require(db.get(KEY), bytes, 2);
      report.phase("get", 1, db);
    }
  }

  private static byte[] value(int bytes, int seed) {
    byte[] value = new byte[bytes];
    for (int at = 0; at < bytes; at++) {
      value[at] = at(at, seed);
    }
    return value;
  }

  private static byte at(int at, int seed) {
    return (byte) (at * 31 + (at >>> 12) + seed);
  }

  private static void require(byte @Nullable [] value, int bytes, int seed) {
    if (value == null || value.length != bytes) {
      throw new WrongAnswerException("a value of " + bytes + " bytes is missing");
    }
    for (int at = 0; at < bytes; at++) {
      if (value[at] != at(at, seed)) {
        throw new WrongAnswerException("a value of " + bytes + " bytes is wrong at " + at);
      }
    }
  }
}
