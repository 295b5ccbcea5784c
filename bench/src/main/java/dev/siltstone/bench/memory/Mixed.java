package dev.siltstone.bench.memory;

import dev.siltstone.bench.measure.Footprint;
import dev.siltstone.bench.report.Units;
import dev.siltstone.bench.work.Keys;
import dev.siltstone.bench.work.Values;
import dev.siltstone.bench.work.WrongAnswerException;
import dev.siltstone.engine.Cursor;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.DbStats;
import dev.siltstone.engine.KeyRange;
import dev.siltstone.engine.Options;
import java.nio.file.Path;
import java.util.Random;

/**
 * Writes, reads, scans and deletes mixed, for as long as is wanted, while the resident memory of
 * the process is written down: after the first half minute it must stay below the budget and 150
 * MiB.
 *
 * <p>Everything counts that is resident, mapped files too: segments of the log, which are therefore
 * short here, and the libraries of the JVM. What no file backs is printed beside it.
 */
final class Mixed implements Trial {
  private static final int VALUE_BYTES = 100;
  private static final int SAMPLES = 20;
  private static final long SETTLE_NANOS = 30_000_000_000L;
  private static final long BEYOND_BUDGET = 150L << 20;
  private static final long SEGMENT_BYTES = 2L << 20;
  private static final int SCAN_ENTRIES = 100;
  private static final int DELETED_ENTRIES = 1000;

  private final Values values = new Values(VALUE_BYTES);
  private final Random random = new Random(1);
  private long ops;
  private long most;

  @Override
  public void run(Path directory, Size size, Report report) {
    long budget = Runtime.getRuntime().maxMemory() / 5 * 4;
    Options options = Options.builder().memoryBytes(budget).logSegmentBytes(SEGMENT_BYTES).build();
    try (Db db = Db.open(directory, options)) {
      report.line("%8s %9s %11s %11s %11s", "minutes", "ops", "anonymous", "resident", "of");
      long begun = report.nanoTime();
      long end = begun + size.seconds() * 1_000_000_000L;
      long every = (end - begun) / SAMPLES;
      long next = begun + every;
      for (long now = begun; now < end; now = report.nanoTime()) {
        step(db, size.entries());
        if (now >= next) {
          next += every;
          sample(now - begun, budget, report);
        }
      }
      DbStats stats = db.stats();
      report.line(
          "%d batches, %d flushes, %d compactions of %s",
          stats.batches(),
          stats.flushes(),
          stats.compactions(),
          Units.bytes(stats.compactionBytesIn()));
      report.line("resident at most %s after the first half minute", Units.bytes(most));
      if (most > budget + BEYOND_BUDGET) {
        throw new IllegalStateException(
            "%s of memory with a budget of %s".formatted(Units.bytes(most), Units.bytes(budget)));
      }
    }
  }

  private void sample(long nanos, long budget, Report report) {
    long resident = Footprint.residentBytes();
    if (nanos > SETTLE_NANOS) {
      most = Math.max(most, resident);
    }
    report.line(
        "%8.1f %9s %11s %11s %11s",
        nanos / 60e9,
        Units.count((double) ops),
        Units.bytes(Footprint.residentAnonymousBytes()),
        Units.bytes(resident),
        Units.bytes(budget + BEYOND_BUDGET));
  }

  /** A hundred operations: 40 puts, 50 gets, 5 scans, 4 deletes and a range delete now and then. */
  private void step(Db db, long entries) {
    for (int i = 0; i < 100; i++) {
      long number = random.nextLong(entries);
      ops++;
      if (i < 40) {
        db.put(Keys.key(number), values.value(number, i));
      } else if (i < 90) {
        get(db, number);
      } else if (i < 95) {
        scan(db, number);
      } else if (i < 99) {
        db.delete(Keys.key(number));
      } else if (random.nextInt(100) == 0) {
        db.deleteRange(KeyRange.of(Keys.key(number), Keys.key(number + DELETED_ENTRIES)));
      }
    }
  }

  private void get(Db db, long number) {
    byte[] found = db.get(Keys.key(number));
    if (found != null) {
      values.require(found, number);
    }
  }

  private void scan(Db db, long number) {
    try (Cursor cursor = db.cursor()) {
      boolean more = cursor.seek(Keys.key(number));
      for (int i = 0; more && i < SCAN_ENTRIES; i++) {
        if (cursor.value().length != VALUE_BYTES) {
          throw new WrongAnswerException("a value of " + cursor.value().length + " bytes");
        }
        more = cursor.next();
      }
    }
  }
}
