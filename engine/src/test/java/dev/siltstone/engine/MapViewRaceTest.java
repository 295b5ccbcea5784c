package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: no update by a map view is lost, whichever views of a tree make them, and iterators bear
 * it. Method: threads that count in the same few keys in different ways, each by a view of its own,
 * while others iterate and flush; the sum must be right, and every key polled once.
 */
final class MapViewRaceTest {
  private static final int ROUNDS = 400;
  private static final int KEYS = 5;

  @TempDir Path directory;

  @Test
  void noUpdateIsLost() throws Exception {
    try (Db db = Db.open(directory);
        ExecutorService threads = Executors.newFixedThreadPool(5)) {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        int way = t;
        running.add(threads.submit(() -> count(view(db.tree("default")), way)));
      }
      running.add(
          threads.submit(
              () -> {
                for (int i = 0; i < ROUNDS / 10; i++) {
                  for (Map.Entry<Integer, Long> entry : view(db.tree()).entrySet()) {
                    assertThat(entry.getValue()).isPositive();
                  }
                  db.flush();
                }
              }));
      for (Future<?> future : running) {
        future.get();
      }
      ConcurrentNavigableMap<Integer, Long> map = view(db.tree());
      assertThat(map.values().stream().mapToLong(v -> v).sum()).isEqualTo(3L * ROUNDS * KEYS);
      assertThat(db.stats().openCursors()).isZero();
    }
  }

  private static void count(ConcurrentNavigableMap<Integer, Long> map, int way) {
    for (int i = 0; i < ROUNDS * KEYS; i++) {
      int key = i % KEYS;
      switch (way) {
        case 0 -> map.merge(key, 1L, Long::sum);
        case 1 -> map.descendingMap().compute(key, (_, v) -> v == null ? 1 : v + 1);
        default -> {
          while (true) {
            Long before = map.putIfAbsent(key, 1L);
            if (before == null || map.replace(key, before, before + 1)) {
              break;
            }
          }
        }
      }
    }
  }

  @Test
  void everyEntryIsPolledOnce() throws Exception {
    try (Db db = Db.open(directory);
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      ConcurrentNavigableMap<Integer, Long> map = view(db.tree());
      for (int i = 0; i < 1_000; i++) {
        map.put(i, 1L);
      }
      List<Callable<Integer>> polling = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        boolean first = t % 2 == 0;
        polling.add(
            () -> {
              int polled = 0;
              while ((first ? map.pollFirstEntry() : map.pollLastEntry()) != null) {
                polled++;
              }
              return polled;
            });
      }
      int polled = 0;
      for (Future<Integer> future : threads.invokeAll(polling)) {
        polled += future.get();
      }
      assertThat(polled).isEqualTo(1_000);
    }
  }

  private static ConcurrentNavigableMap<Integer, Long> view(Tree tree) {
    return tree.asMap(Codec.int32(), Codec.int64());
  }
}
