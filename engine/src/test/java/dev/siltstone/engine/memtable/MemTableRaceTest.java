package dev.siltstone.engine.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: readers beside the writer miss no published record and see none out of order or in pieces.
 * Method: one writer, two readers that find, scan both ways and seek all the while; the value of
 * every record repeats its number, and all keys and times are fixed beforehand.
 */
final class MemTableRaceTest {
  private static final int READERS = 2;

  @ParameterizedTest
  @EnumSource(
      value = Keys.class,
      names = {"LONG"},
      mode = EnumSource.Mode.EXCLUDE)
  void readersMissNothing(Keys keys) {
    Seeds.forEach(1, 3, seed -> new Race(keys, seed).run());
  }

  private static final class Race {
    private static final int RECORDS = 20_000;

    private final Seed seed;
    private final byte[][] keys = new byte[RECORDS][];
    private final MemTable table = new MemTable(1, 4 << 20);

    /** All records with an index less than this are published; record i has time i + 1. */
    private final AtomicLong published = new AtomicLong();

    Race(Keys shape, Seed seed) {
      this.seed = seed;
      SplittableRandom random = seed.random(shape.name());
      for (int i = 0; i < RECORDS; i++) {
        keys[i] = shape.next(random, i);
      }
    }

    void run() throws Exception {
      CountDownLatch start = new CountDownLatch(1);
      try (ExecutorService threads = Executors.newFixedThreadPool(READERS)) {
        List<Future<Long>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
          SplittableRandom random = seed.random("reader " + i);
          readers.add(
              threads.submit(
                  () -> {
                    start.await();
                    return read(random);
                  }));
        }
        start.countDown();
        try {
          write();
        } finally {
          published.set(RECORDS);
        }
        for (Future<Long> reader : readers) {
          assertThat(reader.get()).isPositive();
        }
      }
      scan(RECORDS, true);
      scan(RECORDS, false);
    }

    private void write() throws IOException {
      Feed feed = new Feed();
      byte[] value = new byte[20];
      for (int i = 0; i < RECORDS; i++) {
        Fixed.putLong(value, 0, i);
        Fixed.putLong(value, 12, i);
        feed.batch().add(Feed.TREE, KeyKind.PUT, keys[i], value);
        feed.commit(table, i + 1);
        published.setRelease(i + 1);
      }
    }

    private long read(SplittableRandom random) throws IOException {
      long rounds = 0;
      while (true) {
        long known = published.getAcquire();
        if (known > 0) {
          for (int i = 0; i < 50; i++) {
            find((int) random.nextLong(known), known);
            seek((int) random.nextLong(known), random.nextBoolean());
          }
          scan(known, random.nextBoolean());
          rounds++;
        }
        if (known == RECORDS) {
          return rounds;
        }
      }
    }

    private void find(int index, long known) throws IOException {
      byte[] key = keys[index];
      PointResult result = new PointResult();
      long hash = Hash64.of(key, 0, key.length);
      check(table.find(key, 0, key.length, hash, index + 1, 0, result), "lost", index);
      check(Trailer.time(result.trailer()) == index + 1, "wrong time of", index);
      checkValue(result.valueArray(), result.valueOffset(), index);
      check(table.find(key, 0, key.length, hash, known, 0, result), "lost newest of", index);
      check(Trailer.time(result.trailer()) >= index + 1, "older than", index);
    }

    private void seek(int index, boolean forward) throws IOException {
      byte[] key = keys[index];
      InternalIterator iterator = table.iterator();
      if (forward) {
        iterator.seek(key, 0, key.length, Trailer.seekAt(index + 1));
      } else {
        iterator.seekBefore(key, 0, key.length, Trailer.of(index + 1, 0));
      }
      check(iterator.valid(), "seek lost", index);
      check(Trailer.time(iterator.trailer()) == index + 1, "seek missed", index);
      checkValue(iterator.valueArray(), iterator.valueOffset(), index);
    }

    private void scan(long known, boolean forward) throws IOException {
      InternalIterator iterator = table.iterator();
      if (forward) {
        iterator.first();
      } else {
        iterator.last();
      }
      long seen = 0;
      int last = -1;
      while (iterator.valid()) {
        long time = Trailer.time(iterator.trailer());
        int index = (int) time - 1;
        checkValue(iterator.valueArray(), iterator.valueOffset(), index);
        if (last >= 0) {
          check(order(last, index) < 0 == forward, "out of order after " + last, index);
        }
        last = index;
        if (time <= known) {
          seen++;
        }
        if (forward) {
          iterator.next();
        } else {
          iterator.prev();
        }
      }
      check(seen == known, "scan saw " + seen + " of " + known + ", the last one", last);
    }

    private int order(int a, int b) {
      int order = Bytes.compare(keys[a], keys[b]);
      return order != 0 ? order : Integer.compare(b, a);
    }

    private static void checkValue(byte[] array, int offset, int index) {
      check(Fixed.getLong(array, offset) == index, "wrong value of", index);
      check(Fixed.getLong(array, offset + 12) == index, "torn value of", index);
    }

    private static void check(boolean holds, String what, int index) {
      if (!holds) {
        throw new AssertionError(what + " record " + index);
      }
    }
  }
}
