package dev.siltstone.bench.memory;

import dev.siltstone.bench.work.Keys;
import dev.siltstone.bench.work.Values;
import dev.siltstone.bench.work.WrongAnswerException;
import dev.siltstone.engine.Cursor;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.WriteBatch;
import java.nio.file.Path;

/**
 * One batch as large as a batch may be, written, replayed from the log by the next open, flushed
 * and read. The heap has to hold it twice: as the batch of the caller, and in the memtable.
 */
final class LargeBatch implements Trial {
  private static final int VALUE_BYTES = 1000;
  private static final long MIB = 1 << 20;

  private final Values values = new Values(VALUE_BYTES);

  @Override
  public void run(Path directory, Size size, Report report) {
    long count = write(directory, size.entries() * MIB - VALUE_BYTES - 100, report);
    read(directory, count, report);
  }

  private long write(Path directory, long most, Report report) {
    try (Db db = Db.open(directory)) {
      long count = write(db, most);
      report.phase("write", count, db);
      scan(db, count);
      report.phase("scan", count, db);
      return count;
    }
  }

  private void read(Path directory, long count, Report report) {
    try (Db db = Db.open(directory)) {
      report.phase("open again", 1, db);
      scan(db, count);
      report.phase("scan", count, db);
      db.flush();
      report.phase("flush", 1, db);
      scan(db, count);
      report.phase("scan", count, db);
    }
  }

  private long write(Db db, long most) {
    WriteBatch batch = db.newBatch();
    long count = 0;
    while (batch.bytes() < most) {
      batch.put(Keys.key(count), values.value(count, 0));
      count++;
    }
    db.write(batch);
    return count;
  }

  private void scan(Db db, long count) {
    long found = 0;
    try (Cursor cursor = db.cursor()) {
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        values.require(cursor.value(), found);
        found++;
      }
    }
    if (found != count) {
      throw new WrongAnswerException("a scan found " + found + " entries of " + count);
    }
  }
}
