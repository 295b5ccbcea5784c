package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: no cursor ever jumps over a live key, whatever is written beside it. Method: writers put
 * and delete stretches of a small key space; readers scan it at a snapshot both ways and compare
 * with point lookups at the same snapshot, which do not know of gaps; flushes and compactions in
 * between.
 */
final class GapStressTest {
  private static final int KEYS = 400;
  private static final int SCANS = Integer.getInteger("siltstone.gap.scans", 1_200);

  @TempDir Path directory;

  @Test
  void scansBesideWritersAgreeWithPointLookups() throws Exception {
    Options options =
        Options.builder().memtableBytes(64 << 10).gapDeadMin(2).tableBytes(64 << 10).build();
    AtomicBoolean done = new AtomicBoolean();
    try (Db db = Db.open(directory, options);
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> running = new ArrayList<>();
      for (int writer = 0; writer < 2; writer++) {
        long seed = writer;
        running.add(threads.submit(() -> write(db, new SplittableRandom(seed), done)));
      }
      running.add(threads.submit(() -> compact(db, done)));
      try {
        for (int scan = 0; scan < SCANS; scan++) {
          compare(db, scan % 2 == 0);
        }
      } finally {
        done.set(true);
      }
      for (Future<?> thread : running) {
        thread.get();
      }
      assertThat(db.stats().gaps().learned()).isPositive();
      assertThat(db.stats().gaps().jumps()).isPositive();
      assertThat(db.stats().gaps().clips()).isPositive();
    }
  }

  private static void write(Db db, SplittableRandom random, AtomicBoolean done) {
    while (!done.get()) {
      int from = random.nextInt(KEYS);
      int to = Math.min(KEYS, from + random.nextInt(60));
      switch (random.nextInt(6)) {
        case 0 -> db.deleteRange(KeyRange.of(key(from), key(Math.max(to, from + 1))));
        case 1, 2, 3 -> {
          for (int i = from; i < to; i++) {
            db.delete(key(i));
          }
        }
        default -> db.put(key(from), key(random.nextInt(1_000)));
      }
    }
  }

  private static void compact(Db db, AtomicBoolean done) {
    while (!done.get()) {
      db.flush();
      db.compact(KeyRange.ALL);
    }
  }

  private static void compare(Db db, boolean forward) {
    try (Snapshot snapshot = db.snapshot();
        Cursor cursor = db.tree().cursor(ReadOptions.DEFAULT.withSnapshot(snapshot))) {
      List<Integer> scanned = new ArrayList<>();
      for (boolean more = forward ? cursor.first() : cursor.last();
          more;
          more = forward ? cursor.next() : cursor.prev()) {
        int key = ByteBuffer.wrap(cursor.key()).getInt();
        scanned.add(forward ? scanned.size() : 0, key);
      }
      List<Integer> live = new ArrayList<>();
      for (int i = 0; i < KEYS; i++) {
        if (db.get(key(i), snapshot) != null) {
          live.add(i);
        }
      }
      assertThat(scanned).isEqualTo(live);
    }
  }

  private static byte[] key(int i) {
    return ByteBuffer.allocate(4).putInt(i).array();
  }
}
