package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.engine.spi.SubtreeLengths;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

// Goal: a key that was written ever so often costs a cursor no more than some seeks, at any moment
// and in both directions.
// Method: the cursor's count of records it has stepped over; and random histories of few keys,
// read at many snapshots beside copies of a map.
final class ManyVersionsTest {
  private static final int VERSIONS = 5_000;
  private static final int STEPS_MAX = 400;
  private static final byte[] HOT = bytes("m");

  /** Subtrees hang on the first byte of a key. */
  private record FirstByte() implements SubtreeLengths {
    @Override
    public String name() {
      return "first";
    }

    @Override
    public int of(byte[] key, int offset, int length, int[] lengths) {
      if (length == 0) {
        return 0;
      }
      lengths[0] = 1;
      return 1;
    }
  }

  private final SimFileSystem disk = new SimFileSystem();

  @Test
  void versionsOfALiveKeyAreNotWalked() {
    try (Db db = open(TreeOptions.DEFAULT)) {
      db.put(bytes("a"), bytes("1"));
      db.put(bytes("z"), bytes("2"));
      for (int i = 0; i < VERSIONS; i++) {
        db.put(HOT, bytes("" + i));
      }
      requireAll(db, null, "a=1", "m=" + (VERSIONS - 1), "z=2");
      try (Snapshot middle = db.snapshot()) {
        for (int i = 0; i < VERSIONS; i++) {
          db.put(HOT, bytes("new" + i));
        }
        requireAll(db, middle, "a=1", "m=" + (VERSIONS - 1), "z=2");
        requireAll(db, null, "a=1", "m=new" + (VERSIONS - 1), "z=2");
        db.flush();
        requireAll(db, middle, "a=1", "m=" + (VERSIONS - 1), "z=2");
      }
    }
  }

  @Test
  void versionsOfADeadKeyAreNotWalked() {
    try (Db db = open(TreeOptions.DEFAULT)) {
      db.put(bytes("a"), bytes("1"));
      for (int i = 0; i < VERSIONS; i++) {
        db.put(HOT, bytes("" + i));
        db.delete(HOT);
      }
      requireAll(db, null, "a=1");
    }
  }

  /** The memo learns a dead key only when the walk has passed all of its versions. */
  @Test
  void aWalkOfTheMemoPassesADeadKeyWithMoreVersionsThanItPublishesAtOnce() {
    Options memo = Options.builder().gapMemo(true).gapDeadMin(8).build();
    try (Db db = Db.open(Path.of("/memo"), memo, components())) {
      db.put(bytes("a"), bytes("1"));
      for (int i = 0; i < VERSIONS; i++) {
        db.put(HOT, bytes("" + i));
        db.delete(HOT);
      }
      requireAll(db, null, "a=1");
      db.put(bytes("z"), bytes("2"));
      requireAll(db, null, "a=1", "z=2");
    }
  }

  @Test
  void aSnapshotFromBeforeTheKeyDoesNotWalkEither() {
    try (Db db = open(TreeOptions.DEFAULT)) {
      db.put(bytes("a"), bytes("1"));
      try (Snapshot before = db.snapshot()) {
        for (int i = 0; i < VERSIONS; i++) {
          db.put(HOT, bytes("" + i));
        }
        requireAll(db, before, "a=1");
      }
    }
  }

  @Test
  void randomHistoriesReadAsAMapDoes() {
    for (int seed = 0; seed < 30; seed++) {
      TreeOptions tree =
          seed % 2 == 0 ? TreeOptions.DEFAULT : TreeOptions.DEFAULT.withSubtrees(new FirstByte());
      try (Db db = Db.open(Path.of("/random" + seed), options(tree, seed % 3 > 0), components())) {
        history(db, new SplittableRandom(seed), seed % 2 == 1);
      }
    }
  }

  private static void history(Db db, SplittableRandom random, boolean subtrees) {
    Map<Snapshot, List<String>> moments = new LinkedHashMap<>();
    TreeMap<String, String> model = new TreeMap<>();
    for (int step = 0; step < 2_000; step++) {
      String key = (random.nextBoolean() ? "p" : "q") + "xyz".substring(random.nextInt(4));
      switch (random.nextInt(50)) {
        case 0 -> db.flush();
        case 1 -> moments.put(db.snapshot(), list(model));
        case 2 -> {
          if (subtrees) {
            String root = key.substring(0, 1);
            db.tree().deleteSubtree(bytes(root));
            model.keySet().removeIf(k -> k.startsWith(root));
          }
        }
        case 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 -> {
          db.delete(bytes(key));
          model.remove(key);
        }
        default -> {
          db.put(bytes(key), bytes("" + step));
          model.put(key, "" + step);
        }
      }
    }
    requireSame(db, null, list(model));
    moments.forEach(
        (snapshot, expected) -> {
          requireSame(db, snapshot, expected);
          snapshot.close();
        });
  }

  private static List<String> list(TreeMap<String, String> model) {
    List<String> list = new ArrayList<>();
    model.forEach((key, value) -> list.add(key + "=" + value));
    return list;
  }

  private static void requireAll(Db db, @Nullable Snapshot at, String... expected) {
    assertThat(requireSame(db, at, List.of(expected))).as("steps").isLessThan(STEPS_MAX);
  }

  /** Reads everything in both directions, turning once; returns the records stepped over. */
  private static long requireSame(Db db, @Nullable Snapshot at, List<String> expected) {
    try (Cursor cursor = db.tree().cursor(ReadOptions.DEFAULT.withSnapshot(at))) {
      List<String> forward = new ArrayList<>();
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        forward.add(entry(cursor));
      }
      assertThat(forward).isEqualTo(expected);
      List<String> backward = new ArrayList<>();
      for (boolean more = cursor.last(); more; more = cursor.prev()) {
        backward.addFirst(entry(cursor));
      }
      assertThat(backward).isEqualTo(expected);
      for (int i = 1; i < expected.size(); i++) {
        String key = expected.get(i).substring(0, expected.get(i).indexOf('='));
        assertThat(cursor.seek(bytes(key))).isTrue();
        assertThat(cursor.prev()).isTrue();
        assertThat(entry(cursor)).isEqualTo(expected.get(i - 1));
        assertThat(cursor.next()).isTrue();
        assertThat(entry(cursor)).isEqualTo(expected.get(i));
      }
      return cursor.steppedOver();
    }
  }

  private static String entry(Cursor cursor) {
    return text(cursor.key()) + "=" + text(cursor.value());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static Options options(TreeOptions tree, boolean gapMemo) {
    return Options.builder().defaultTree(tree).gapMemo(gapMemo).gapDeadMin(8).build();
  }

  private Db open(TreeOptions tree) {
    return Db.open(Path.of("/store"), options(tree, false), components());
  }

  private Components components() {
    return Components.DEFAULT.withFileSystem(disk);
  }
}
