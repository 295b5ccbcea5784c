package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.testkit.disk.SimFileSystem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

// Goal: what a range delete covers is passed by a seek, by the first reader and in both directions,
// and nothing else is.
// Method: the cursor's count of records it has stepped over; and random histories beside a map.
final class CoveredKeysTest {
  private static final int KEYS = 10_000;
  private static final int STEPS_MAX = 100;

  private final SimFileSystem disk = new SimFileSystem();

  @Test
  void keysBelowARangeDeleteAreNotWalked() {
    try (Db db = open()) {
      fill(db);
      db.flush();
      db.deleteRange(KeyRange.of(key(10), key(KEYS - 10)));
      requireFewSteps(db, 20);
      db.put(key(5_000), key(1));
      requireFewSteps(db, 21);
      db.flush();
      requireFewSteps(db, 21);
    }
  }

  @Test
  void keysOfOneMemtableAreNotWalkedEither() {
    try (Db db = open()) {
      fill(db);
      db.deleteRange(KeyRange.of(key(10), key(KEYS - 10)));
      requireFewSteps(db, 20);
    }
  }

  @Test
  void manyNeighbouringRangeDeletesArePassedOneByOne() {
    try (Db db = open()) {
      fill(db);
      db.flush();
      for (int i = 0; i < KEYS; i += 1_000) {
        db.deleteRange(KeyRange.of(key(i), key(i + 1_000)));
      }
      requireFewSteps(db, 0);
      db.put(key(KEYS + 1), key(1));
      requireFewSteps(db, 1);
    }
  }

  @Test
  void aSnapshotBeforeTheRangeDeleteSeesEverything() {
    try (Db db = open();
        Snapshot before = fillAndSnapshot(db)) {
      db.flush();
      db.deleteRange(KeyRange.of(key(10), key(KEYS - 10)));
      try (Cursor cursor = db.tree().cursor(ReadOptions.DEFAULT.withSnapshot(before))) {
        int count = 0;
        for (boolean more = cursor.first(); more; more = cursor.next()) {
          count++;
        }
        assertThat(count).isEqualTo(KEYS);
      }
      db.flush();
      requireFewSteps(db, 20);
    }
  }

  @Test
  void randomHistoriesReadAsAMapDoes() {
    for (int seed = 0; seed < 40; seed++) {
      try (Db db = Db.open(Path.of("/random" + seed), options(seed), components())) {
        history(db, new SplittableRandom(seed));
      }
    }
  }

  private static Options options(int seed) {
    return Options.builder().gapMemo(seed % 2 == 0).gapDeadMin(seed % 4 == 0 ? 4 : 64).build();
  }

  private static void history(Db db, SplittableRandom random) {
    TreeMap<String, String> model = new TreeMap<>();
    for (int step = 0; step < 60; step++) {
      int at = random.nextInt(300);
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> {
          for (int i = at; i < at + random.nextInt(1, 100); i++) {
            db.put(key(i), key(step));
            model.put(text(i), text(step));
          }
        }
        case 3, 4 -> {
          int to = at + random.nextInt(1, 200);
          db.deleteRange(KeyRange.of(key(at), key(to)));
          model.subMap(text(at), text(to)).clear();
        }
        case 5 -> {
          db.delete(key(at));
          model.remove(text(at));
        }
        case 6 -> db.flush();
        default -> {
          if (random.nextInt(4) == 0) {
            db.compact(KeyRange.ALL);
          }
        }
      }
      requireSame(db, model, random.nextInt(300));
    }
  }

  private static void requireSame(Db db, TreeMap<String, String> model, int at) {
    try (Cursor cursor = db.cursor()) {
      List<String> forward = new ArrayList<>();
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        forward.add(text(cursor.key()) + "=" + text(cursor.value()));
      }
      List<String> backward = new ArrayList<>();
      for (boolean more = cursor.last(); more; more = cursor.prev()) {
        backward.addFirst(text(cursor.key()) + "=" + text(cursor.value()));
      }
      List<String> expected = new ArrayList<>();
      model.forEach((key, value) -> expected.add(key + "=" + value));
      assertThat(forward).isEqualTo(expected);
      assertThat(backward).isEqualTo(expected);
      String ceiling = model.ceilingKey(text(at));
      assertThat(cursor.seek(key(at))).isEqualTo(ceiling != null);
      if (ceiling != null && cursor.prev()) {
        assertThat(text(cursor.key())).isEqualTo(model.lowerKey(ceiling));
        assertThat(cursor.next()).isTrue();
        assertThat(text(cursor.key())).isEqualTo(ceiling);
      }
    }
  }

  private static Snapshot fillAndSnapshot(Db db) {
    fill(db);
    return db.snapshot();
  }

  private static void fill(Db db) {
    for (int i = 0; i < KEYS; i++) {
      db.put(key(i), key(i));
    }
  }

  private static void requireFewSteps(Db db, int live) {
    try (Cursor cursor = db.cursor()) {
      int count = 0;
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        count++;
      }
      assertThat(count).isEqualTo(live);
      assertThat(cursor.steppedOver()).as("forward").isLessThan(STEPS_MAX);
    }
    try (Cursor cursor = db.cursor()) {
      int count = 0;
      for (boolean more = cursor.last(); more; more = cursor.prev()) {
        count++;
      }
      assertThat(count).isEqualTo(live);
      // Backward the live entries themselves are stepped over.
      assertThat(cursor.steppedOver()).as("backward").isLessThan(STEPS_MAX + live);
    }
  }

  private static byte[] key(int i) {
    return text(i).getBytes(StandardCharsets.UTF_8);
  }

  private static String text(int i) {
    return "%05d".formatted(i);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private Db open() {
    return Db.open(Path.of("/store"), Options.builder().gapMemo(false).build(), components());
  }

  private Components components() {
    return Components.DEFAULT.withFileSystem(disk);
  }
}
