package dev.siltstone.engine.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.iter.TestRecord;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.BatchWriter;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.testkit.run.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a memtable holds what a sorted map of records would, for every kind of key. Method: random
 * batches into both, then all reads compared: scans both ways, seeks, walks to and fro, finds.
 */
final class MemTableModelTest {
  private static final int[] KINDS = {
    KeyKind.PUT,
    KeyKind.PUT,
    KeyKind.DELETE,
    KeyKind.PUT | KeyKind.SUBTREE,
    KeyKind.DELETE | KeyKind.SUBTREE,
    KeyKind.PUT | KeyKind.EXPIRES
  };

  private record Place(byte[] key, long time) implements Comparable<Place> {
    @Override
    public int compareTo(Place that) {
      int order = Bytes.compare(key, that.key);
      return order != 0 ? order : Long.compare(that.time, time);
    }
  }

  private final NavigableMap<Place, TestRecord> model = new TreeMap<>();
  private final List<byte[]> used = new ArrayList<>();
  private long now;

  @ParameterizedTest
  @EnumSource(Keys.class)
  void holdsWhatTheModelHolds(Keys keys) {
    int size = keys == Keys.LONG ? 300 : 4000;
    Seeds.forEach(1, 6, seed -> new MemTableModelTest().run(keys, size, seed.random(keys.name())));
  }

  @ParameterizedTest
  @EnumSource(Keys.class)
  void largeBatchIsAMemtable(Keys keys) {
    int size = keys == Keys.LONG ? 300 : 4000;
    Seeds.forEach(
        7, 3, seed -> new MemTableModelTest().runLarge(keys, size, seed.random(keys.name())));
  }

  private void run(Keys keys, int size, SplittableRandom random) throws IOException {
    MemTable table = new MemTable(1, 1 << 20);
    Feed feed = new Feed();
    now = 1 + random.nextInt(1000);
    for (int i = 0; i < size; ) {
      int batch = random.nextBoolean() ? 1 : 1 + random.nextInt(50);
      for (int end = i + batch; i < end; i++) {
        add(feed.batch(), keys.next(random, i), random);
      }
      feed.commit(table, now);
      now += 1 + random.nextInt(3);
      if (random.nextInt(40) == 0) {
        checkSeeks(table, random, 20);
      }
    }
    check(table, random);
  }

  private void runLarge(Keys keys, int size, SplittableRandom random) throws IOException {
    BatchWriter batch = new BatchWriter();
    now = 99;
    for (int i = 0; i < size; i++) {
      add(batch, keys.next(random, i), random);
      batch.add(Feed.TREE + 1, KeyKind.PUT, Bytes.EMPTY, Bytes.EMPTY);
    }
    batch.seal(now);
    MemTable table = new MemTable(1, 1 << 20);
    BatchReader reader = new BatchReader();
    reader.open(batch.array(), 0, batch.bytes());
    while (reader.next()) {
      if (reader.treeId() == Feed.TREE) {
        table.add(reader);
      }
    }
    check(table, random);
  }

  private void add(BatchWriter batch, byte[] key, SplittableRandom random) {
    int kind = KINDS[random.nextInt(KINDS.length)];
    byte[] value = Bytes.EMPTY;
    if (KeyKind.isPut(kind)) {
      value = new byte[8 + random.nextInt(random.nextInt(500) == 0 ? 300_000 : 40)];
      random.nextBytes(value);
    }
    batch.add(Feed.TREE, kind, key, value);
    model.put(new Place(key, now), new TestRecord(key, Trailer.of(now, kind), value));
    used.add(key);
  }

  private void check(MemTable table, SplittableRandom random) throws IOException {
    checkCounts(table);
    InternalIterator iterator = table.iterator();
    iterator.first();
    for (TestRecord record : model.values()) {
      assertAt(iterator, record);
      iterator.next();
    }
    assertThat(iterator.valid()).isFalse();
    iterator.last();
    for (TestRecord record : model.descendingMap().values()) {
      assertAt(iterator, record);
      iterator.prev();
    }
    assertThat(iterator.valid()).isFalse();
    checkSeeks(table, random, 1000);
  }

  private void checkCounts(MemTable table) {
    assertThat(table.entries()).isEqualTo(model.size());
    assertThat(table.deletes()).isEqualTo(count(kind -> KeyKind.base(kind) == KeyKind.DELETE));
    assertThat(table.subtrees()).isEqualTo(count(KeyKind::isSubtree));
    assertThat(table.expiring()).isEqualTo(count(KeyKind::expires));
    assertThat(table.minTime())
        .isEqualTo(model.keySet().stream().mapToLong(Place::time).min().orElseThrow());
    assertThat(table.maxTime())
        .isEqualTo(model.keySet().stream().mapToLong(Place::time).max().orElseThrow());
    assertThat(table.isEmpty()).isFalse();
    long content = model.values().stream().mapToLong(r -> r.key().length + r.value().length).sum();
    assertThat(table.bytes()).isGreaterThan(content);
  }

  private long count(java.util.function.IntPredicate which) {
    return model.values().stream().filter(record -> which.test(record.kind())).count();
  }

  private void checkSeeks(MemTable table, SplittableRandom random, int rounds) throws IOException {
    InternalIterator iterator = table.iterator();
    for (int i = 0; i < rounds; i++) {
      byte[] key = probe(random);
      long time = random.nextLong(now + 2);
      checkFind(table, key, time, random.nextInt(2) * KeyKind.SUBTREE);
      Place place = new Place(key, time);
      if (random.nextBoolean()) {
        iterator.seek(key, 0, key.length, Trailer.seekAt(time));
        walk(iterator, first(model.tailMap(place, true)), random);
      } else {
        iterator.seekBefore(key, 0, key.length, Trailer.seekAt(time));
        walk(iterator, last(model.headMap(place, false)), random);
      }
    }
  }

  /** A key that was used, or one that lies close to it. */
  private byte[] probe(SplittableRandom random) {
    byte[] key = used.get(random.nextInt(used.size()));
    return switch (random.nextInt(6)) {
      case 0 -> Bytes.successor(key);
      case 1 -> Bytes.copy(key, 0, random.nextInt(key.length + 1));
      case 2 -> {
        byte[] changed = key.clone();
        if (key.length > 0) {
          changed[random.nextInt(key.length)] = (byte) random.nextInt(256);
        }
        yield changed;
      }
      default -> key;
    };
  }

  private void walk(InternalIterator iterator, TestRecord start, SplittableRandom random)
      throws IOException {
    TestRecord at = start;
    for (int step = 0; at != null && step < 10; step++) {
      assertAt(iterator, at);
      Place place = new Place(at.key(), at.time());
      if (random.nextBoolean()) {
        iterator.next();
        at = first(model.tailMap(place, false));
      } else {
        iterator.prev();
        at = last(model.headMap(place, false));
      }
    }
    if (at == null) {
      assertThat(iterator.valid()).isFalse();
    }
  }

  private static TestRecord first(NavigableMap<Place, TestRecord> map) {
    return map.isEmpty() ? null : map.firstEntry().getValue();
  }

  private static TestRecord last(NavigableMap<Place, TestRecord> map) {
    return map.isEmpty() ? null : map.lastEntry().getValue();
  }

  private void checkFind(MemTable table, byte[] key, long time, int flags) throws IOException {
    TestRecord expected = null;
    Place from = new Place(key, time);
    Place to = new Place(key, HybridTime.MIN);
    for (TestRecord record : model.subMap(from, true, to, true).values()) {
      if ((record.kind() & flags) == flags) {
        expected = record;
        break;
      }
    }
    PointResult result = new PointResult();
    byte[] padded = new byte[key.length + 5];
    System.arraycopy(key, 0, padded, 2, key.length);
    boolean found =
        table.find(padded, 2, key.length, Hash64.of(key, 0, key.length), time, flags, result);
    assertThat(found).isEqualTo(expected != null).isEqualTo(result.found());
    if (expected != null) {
      assertThat(result.trailer()).isEqualTo(expected.trailer());
      assertThat(Bytes.copy(result.valueArray(), result.valueOffset(), result.valueLength()))
          .isEqualTo(expected.value());
    }
  }

  private static void assertAt(InternalIterator iterator, TestRecord record) {
    assertThat(iterator.valid()).isTrue();
    TestRecord at =
        new TestRecord(
            Bytes.copy(iterator.keyArray(), iterator.keyOffset(), iterator.keyLength()),
            iterator.trailer(),
            Bytes.copy(iterator.valueArray(), iterator.valueOffset(), iterator.valueLength()));
    if (!at.equals(record)) {
      assertThat(at).isEqualTo(record);
    }
  }
}
