package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.time.SimClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Goal: a tree used as a queue costs the same after an hour as at first, and what is deleted is
 * gone from the files soon. Method: entries are put at the tail and deleted at the head for an hour
 * of simulated time; counted are the records that each look for the head steps over, and the
 * records in files.
 */
final class QueueTest {
  private static final int SECONDS = 3_600;
  private static final int CYCLES_PER_SECOND = 40;
  private static final int WAITING = 500;

  /** A walk of the memo begins after some dead records, and a new one after each birth. */
  private static final int STEPPED_MAX = 64;

  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock, new Seed(1).random("scheduler"));

  private Db open() {
    Options options =
        Options.builder()
            .memoryBytes(4L << 20)
            .memtableBytes(256 << 10)
            .tableBytes(256 << 10)
            .levelBaseBytes(1L << 20)
            .logSegmentBytes(256 << 10)
            .build();
    Components components =
        Components.DEFAULT
            .withFileSystem(new SimFileSystem())
            .withClock(clock)
            .withScheduler(scheduler);
    return Db.open(Path.of("/queue"), options, components);
  }

  @Test
  void headIsFoundAsFastAfterAnHourAsAtFirst() {
    try (Db db = open()) {
      long head = 0;
      long tail = 0;
      long steppedMost = 0;
      long recordsMost = 0;
      byte[] value = new byte[100];
      while (tail < WAITING) {
        db.put(key(tail++), value);
      }
      for (int second = 0; second < SECONDS; second++) {
        for (int i = 0; i < CYCLES_PER_SECOND; i++) {
          db.put(key(tail++), value);
          try (Cursor cursor = db.tree().cursor()) {
            assertThat(cursor.first()).isTrue();
            assertThat(ByteBuffer.wrap(cursor.key()).getLong()).isEqualTo(head);
            steppedMost = Math.max(steppedMost, cursor.steppedOver());
          }
          db.delete(key(head++));
        }
        scheduler.advance(1_000_000_000L);
        recordsMost = Math.max(recordsMost, records(db));
      }
      assertThat(steppedMost).isLessThan(STEPPED_MAX);
      assertThat(recordsMost).isLessThan(2 * WAITING);
    }
  }

  @Test
  void deletedEntriesAreGoneSoon() {
    try (Db db = open()) {
      byte[] value = new byte[100];
      for (int i = 0; i < 20_000; i++) {
        db.put(key(i), value);
      }
      db.compact(KeyRange.ALL);
      for (int i = 0; i < 20_000; i++) {
        db.delete(key(i));
      }
      scheduler.advance(10_000_000_000L);
      assertThat(db.tree().files()).isEmpty();
    }
  }

  @Test
  void deletedRangesAreGoneSoon() {
    try (Db db = open()) {
      for (int i = 0; i < 2_000; i++) {
        db.put(key(i), new byte[100]);
      }
      db.compact(KeyRange.ALL);
      db.deleteRange(KeyRange.of(key(0), key(1_500)));
      scheduler.advance(10_000_000_000L);
      assertThat(records(db)).isEqualTo(500);
    }
  }

  @Test
  void whatTheLogKeepsForWritesIsGivenBackSoon() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    Options options = Options.builder().memoryBytes(64L << 20).logSegmentBytes(4L << 20).build();
    Components components =
        Components.DEFAULT.withFileSystem(disk).withClock(clock).withScheduler(scheduler);
    Path directory = Path.of("/queue");
    try (Db db = Db.open(directory, options, components)) {
      assertThat(logBytes(disk, directory)).as("of a new store").isLessThan(4L << 20);
      for (int i = 0; i < 200; i++) {
        db.put(key(i), new byte[200_000]);
      }
      db.flush();
      assertThat(logBytes(disk, directory)).isGreaterThan(8L << 20);
      scheduler.advance(10_000_000_000L);
      assertThat(logBytes(disk, directory)).isLessThanOrEqualTo(4L << 20);
      for (int i = 0; i < 200; i++) {
        db.put(key(i), new byte[200_000]);
      }
      db.compact(KeyRange.ALL);
      db.awaitQuiet();
      assertThat(logBytes(disk, directory)).as("compacted").isLessThanOrEqualTo(4L << 20);
      db.put(key(1_000), new byte[100]);
      scheduler.advance(1_000_000_000L);
      assertThat(logBytes(disk, directory)).as("with a short next one").isEqualTo(5L << 20);
    }
  }

  private static long logBytes(SimFileSystem disk, Path directory) throws IOException {
    long bytes = 0;
    for (String name : disk.list(directory)) {
      if (name.endsWith(".wal")) {
        bytes += disk.bytes(directory.resolve(name)).length;
      }
    }
    return bytes;
  }

  @Test
  void aTreeThatIsWrittenToIsLeftAlone() {
    try (Db db = open()) {
      for (int i = 0; i < 2_000; i++) {
        db.put(key(i), new byte[100]);
      }
      db.compact(KeyRange.ALL);
      long flushes = db.stats().flushes();
      for (int second = 0; second < 20; second++) {
        for (int i = 0; i < 60; i++) {
          db.delete(key(100 * second + i));
        }
        scheduler.advance(1_000_000_000L);
      }
      assertThat(db.stats().flushes()).isEqualTo(flushes);
      scheduler.advance(10_000_000_000L);
      assertThat(db.stats().flushes()).isEqualTo(flushes + 1);
      assertThat(records(db)).isEqualTo(800);
    }
  }

  @Test
  void fewDeletesAreNotWorthAFlush() {
    try (Db db = open()) {
      for (int i = 0; i < 2_000; i++) {
        db.put(key(i), new byte[100]);
      }
      db.compact(KeyRange.ALL);
      long flushes = db.stats().flushes();
      for (int i = 0; i < 150; i++) {
        db.delete(key(i));
      }
      scheduler.advance(10_000_000_000L);
      assertThat(db.stats().flushes()).isEqualTo(flushes);
    }
  }

  private static long records(Db db) {
    return db.tree().files().stream().mapToLong(file -> file.records().entries()).sum();
  }

  private static byte[] key(long number) {
    return ByteBuffer.allocate(8).putLong(number).array();
  }
}
