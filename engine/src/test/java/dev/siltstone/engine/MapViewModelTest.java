package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.Simulation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a map view is what a {@link ConcurrentSkipListMap} is, also with more entries than a page
 * of an iterator holds and with flushes in between; codecs keep the order; nothing stays open.
 * Method: random operations on both; known orders; the store's count of cursors.
 */
final class MapViewModelTest {
  private final Db db = open();
  private final Tree tree = db.tree();

  @AfterEach
  void nothingStaysOpen() {
    assertThat(db.stats().openCursors()).isZero();
    db.close();
  }

  @Test
  void randomOperationsAnswerAsThoseOfASkipList() {
    for (long seed = 1; seed <= 3; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      ConcurrentNavigableMap<Integer, String> model = new ConcurrentSkipListMap<>();
      ConcurrentNavigableMap<Integer, String> view = tree.asMap(Codec.int32(), Codec.string());
      view.clear();
      for (int step = 0; step < 3_000; step++) {
        String what = "seed " + seed + ", step " + step;
        assertThat(change(view, seed, step)).as(what).isEqualTo(change(model, seed, step));
        assertThat(look(view, seed, step)).as(what).isEqualTo(look(model, seed, step));
        if (random.nextInt(500) == 0) {
          db.flush();
          assertThat(view).as(what).isEqualTo(model);
          assertThat(List.copyOf(view.descendingMap().entrySet()))
              .as(what)
              .isEqualTo(List.copyOf(model.descendingMap().entrySet()));
        }
      }
    }
  }

  private static Object change(ConcurrentNavigableMap<Integer, String> map, long seed, int step) {
    SplittableRandom random = new SplittableRandom(seed * 1_000_003 + step);
    Integer key = random.nextInt(-50, 50);
    String value = "v" + random.nextInt(4);
    return switch (random.nextInt(13)) {
      case 0, 1, 2 -> String.valueOf(map.put(key, value));
      case 3 -> String.valueOf(map.remove(key));
      case 4 -> String.valueOf(map.putIfAbsent(key, value));
      case 5 -> map.replace(key, value, "r");
      case 6 -> String.valueOf(map.replace(key, value));
      case 7 -> map.remove(key, value);
      case 8 -> String.valueOf(map.merge(key, value, (a, b) -> a.length() > 6 ? null : a + b));
      case 9 -> String.valueOf(map.compute(key, (k, v) -> v == null ? "c" + k : null));
      case 10 -> String.valueOf(map.computeIfAbsent(key, k -> k % 2 == 0 ? "a" + k : null));
      case 11 -> String.valueOf(map.computeIfPresent(key, (k, v) -> k % 3 == 0 ? null : v + "p"));
      default ->
          random.nextInt(10) == 0
              ? map.subMap(key, true, key + 10, false).keySet().removeIf(k -> k % 2 == 0)
              : String.valueOf(random.nextBoolean() ? map.pollFirstEntry() : map.pollLastEntry());
    };
  }

  private static List<Object> look(
      ConcurrentNavigableMap<Integer, String> map, long seed, int step) {
    SplittableRandom random = new SplittableRandom(seed * 7_000_003 + step);
    int from = random.nextInt(-60, 50);
    int to = random.nextInt(from, 60);
    NavigableMap<Integer, String> part =
        map.subMap(from, random.nextBoolean(), to, random.nextBoolean());
    part = random.nextBoolean() ? part.descendingMap() : part;
    Integer key = random.nextInt(-70, 70);
    List<Object> seen = new ArrayList<>();
    seen.add(part.size());
    seen.add(part.isEmpty());
    seen.add(part.toString());
    seen.add(part.hashCode());
    seen.add(part.containsKey(key));
    seen.add(part.containsValue("v1"));
    seen.add(String.valueOf(part.get(key)));
    seen.add(String.valueOf(part.lowerEntry(key)));
    seen.add(String.valueOf(part.floorKey(key)));
    seen.add(String.valueOf(part.ceilingEntry(key)));
    seen.add(String.valueOf(part.higherKey(key)));
    seen.add(String.valueOf(part.firstEntry()));
    seen.add(String.valueOf(part.lastEntry()));
    seen.add(List.copyOf(part.descendingKeySet()));
    seen.add(part.navigableKeySet().headSet(part.isEmpty() ? to : part.lastKey()).toString());
    return seen;
  }

  @Test
  void iteratorsReadPageByPageInBothDirections() {
    ConcurrentNavigableMap<Long, byte[]> map = tree.asMap(Codec.int64(), Codec.bytes());
    int count = 5_000;
    for (long i = 0; i < count; i++) {
      tree.put(Codec.int64().encode(i - 100), new byte[i % 50 == 0 ? 20_000 : 3]);
    }
    long expected = -100;
    Iterator<Map.Entry<Long, byte[]>> entries = map.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry<Long, byte[]> entry = entries.next();
      assertThat(entry.getKey()).isEqualTo(expected++);
      if (expected % 2 == 0) {
        entries.remove();
      }
      // Half-way nothing is open, so that an iterator that is left behind costs nothing.
      assertThat(db.stats().openCursors()).isZero();
    }
    assertThatThrownBy(entries::next).isInstanceOf(java.util.NoSuchElementException.class);
    assertThat(expected).isEqualTo(count - 100);
    assertThat(map).hasSize(count / 2);
    assertThat(map.descendingKeySet().stream().mapToLong(k -> k).filter(k -> k % 2 == 0).count())
        .isEqualTo(count / 2);
    assertThat(map.values().stream().filter(value -> value.length > 3).count()).isEqualTo(100);
    map.tailMap(0L).clear();
    assertThat(map).hasSize(50);
  }

  @Test
  void codecsKeepTheOrderAndRefuseOtherBytes() {
    ascending(Codec.int32(), Integer.MIN_VALUE, -1, 0, 1, 256, Integer.MAX_VALUE);
    ascending(Codec.int64(), Long.MIN_VALUE, -256L, -1L, 0L, 1L, Long.MAX_VALUE);
    ascending(Codec.string(), "", "a", "a\0", "aa", "b", "\u00e4", "\uffff", "\ud83d\ude00");
    ascending(
        Codec.bytes(), new byte[0], new byte[1], new byte[2], new byte[] {1}, new byte[] {-1});
    ascending(Codec.uuid(), new UUID(0, 1), new UUID(1, 0), new UUID(-1, -1));
    assertThatThrownBy(() -> Codec.string().encode("\ud83d"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Codec.string().decode(new byte[] {-1}))
        .isInstanceOf(IllegalArgumentException.class);
    tree.put(new byte[3], new byte[3]);
    assertThatThrownBy(() -> tree.asMap(Codec.int32(), Codec.bytes()).firstKey())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("int of 3 bytes");
    assertThatThrownBy(() -> tree.asMap(Codec.uuid(), Codec.bytes()).firstKey())
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> tree.asMap(Codec.bytes(), Codec.int64()).firstEntry())
        .isInstanceOf(IllegalArgumentException.class);
  }

  @SafeVarargs
  private static <T> void ascending(Codec<T> codec, T... values) {
    for (int i = 0; i < values.length; i++) {
      assertThat(codec.decode(codec.encode(values[i]))).isEqualTo(values[i]);
      if (i > 0) {
        assertThat(
                java.util.Arrays.compareUnsigned(
                    codec.encode(values[i - 1]), codec.encode(values[i])))
            .isNegative();
      }
    }
  }

  @Test
  void aValueThatAFunctionChangesInPlaceIsWritten() {
    ConcurrentNavigableMap<String, byte[]> map = tree.asMap(Codec.string(), Codec.bytes());
    map.put("a", new byte[] {1});
    map.computeIfPresent(
        "a",
        (_, value) -> {
          value[0]++;
          return value;
        });
    assertThat(map.get("a")).containsExactly(2);
    assertThat(map.remove("a", new byte[] {1})).isFalse();
    assertThat(map.remove("a", new byte[] {2})).as("equal by bytes").isTrue();
  }

  @Test
  void keysOutOfRangeOrTooLongOrOfAnotherTypeAreRefused() {
    ConcurrentNavigableMap<String, String> map = tree.asMap(Codec.string(), Codec.string());
    ConcurrentNavigableMap<String, String> part = map.subMap("b", "d");
    assertThatThrownBy(() -> part.put("d", "")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> part.tailMap("a")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> map.subMap("b", "a")).isInstanceOf(IllegalArgumentException.class);
    assertThat(part.remove("z")).isNull();
    String longest = "c".repeat(WriteBatch.KEY_BYTES_MAX);
    map.put(longest, "x");
    assertThat(map.headMap(longest, true)).containsOnlyKeys(longest);
    assertThat(map.tailMap(longest, false)).isEmpty();
    assertThatThrownBy(() -> map.put(longest + "c", ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> map.containsKey(7)).isInstanceOf(ClassCastException.class);
    Db other = open();
    ConcurrentNavigableMap<String, String> late =
        other.tree().asMap(Codec.string(), Codec.string());
    other.close();
    assertThatThrownBy(() -> late.get("a")).isInstanceOf(DbException.Closed.class);
    assertThatThrownBy(late::firstEntry).isInstanceOf(DbException.Closed.class);
  }

  private static Db open() {
    Simulation machine = Simulation.of(new Seed(1));
    SplittableRandom random = new SplittableRandom(1);
    return Db.open(
        Path.of("/store"),
        Options.DEFAULT,
        Components.DEFAULT
            .withFileSystem(machine.fileSystem())
            .withClock(machine.clock())
            .withScheduler(machine.scheduler())
            .withRandom(random::nextLong));
  }
}
