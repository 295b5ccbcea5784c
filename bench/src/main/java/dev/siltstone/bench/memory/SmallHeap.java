package dev.siltstone.bench.memory;

import dev.siltstone.bench.work.Keys;
import dev.siltstone.bench.work.Scramble;
import dev.siltstone.bench.work.Values;
import dev.siltstone.bench.work.WrongAnswerException;
import dev.siltstone.engine.Cursor;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.KeyRange;
import java.nio.file.Path;

/**
 * A whole life of a store with the default options: it is filled in random order, opened again,
 * read, scanned both ways, overwritten in part, and compacted down to one level.
 */
final class SmallHeap implements Trial {
  private static final int VALUE_BYTES = 100;
  private static final int OVERWRITTEN_PART = 5;
  private static final int READ_PART = 20;

  private final Values values = new Values(VALUE_BYTES);

  @Override
  public void run(Path directory, Size size, Report report) {
    long entries = size.entries();
    try (Db db = Db.open(directory)) {
      report.phase("open", 1, db);
      fill(db, entries);
      report.phase("fill", entries, db);
    }
    try (Db db = Db.open(directory)) {
      report.phase("open again", 1, db);
      read(db, entries, 2);
      report.phase("get", entries / READ_PART, db);
      scan(db, entries, false);
      report.phase("scan", entries, db);
      overwrite(db, entries);
      report.phase("overwrite", entries / OVERWRITTEN_PART, db);
      db.compact(KeyRange.ALL);
      report.phase("compact", entries, db);
      scan(db, entries, true);
      report.phase("scan backward", entries, db);
      read(db, entries, 3);
      report.phase("get", entries / READ_PART, db);
    }
  }

  private void fill(Db db, long entries) {
    Scramble order = new Scramble(entries, 1);
    for (long i = 0; i < entries; i++) {
      long number = order.at(i);
      db.put(Keys.key(number), values.value(number, 0));
    }
  }

  private void overwrite(Db db, long entries) {
    Scramble order = new Scramble(entries, 4);
    for (long i = 0; i < entries / OVERWRITTEN_PART; i++) {
      long number = order.at(i);
      db.put(Keys.key(number), values.value(number, 1));
    }
  }

  private void read(Db db, long entries, long seed) {
    Scramble order = new Scramble(entries, seed);
    for (long i = 0; i < entries / READ_PART; i++) {
      long number = order.at(i);
      values.require(db.get(Keys.key(number)), number);
    }
  }

  private void scan(Db db, long entries, boolean backward) {
    long found = 0;
    try (Cursor cursor = db.cursor()) {
      boolean more = backward ? cursor.last() : cursor.first();
      while (more) {
        long number = backward ? entries - 1 - found : found;
        if (!Keys.is(cursor.key(), number)) {
          throw new WrongAnswerException("key " + number + " is missing from a scan");
        }
        values.require(cursor.value(), number);
        found++;
        more = backward ? cursor.prev() : cursor.next();
      }
    }
    if (found != entries) {
      throw new WrongAnswerException("a scan found " + found + " entries of " + entries);
    }
  }
}
