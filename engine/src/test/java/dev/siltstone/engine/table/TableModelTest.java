package dev.siltstone.engine.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.lz4.Lz4;
import dev.siltstone.engine.table.TableFixture.Place;
import dev.siltstone.testkit.run.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// Goal: a table gives back what went in, by lookup and by iteration in both directions, for any
// shape of keys, versions, values, blocks, partitions, filters and compression.
// Method: random records and options against a TreeMap in internal order.
final class TableModelTest {
  private static final int TIMES = 12;

  @Test
  void tablesAgreeWithASortedMap() {
    Seeds.forEach(1, 400, seed -> run(seed.random("table"), 300, false));
  }

  @Test
  @Tag("slow")
  void largeTablesAgreeWithASortedMap() {
    Seeds.forEach(50_000, 40, seed -> run(seed.random("table"), 20_000, true));
  }

  private static void run(RandomGenerator random, int sizeMax, boolean large) throws IOException {
    NavigableMap<Place, byte[]> model = randomRecords(random, 1 + random.nextInt(sizeMax));
    TableFixture fixture = new TableFixture();
    TableWriterOptions options = randomOptions(random, large);
    TableProperties written = fixture.write(options, model);
    TableReader table = fixture.open();
    assertThat(table.properties().toString()).isEqualTo(written.toString());
    assertThat(table.properties().layout()).isEqualTo(written.layout());
    checkProperties(written, model, fixture.bytes().length);
    checkIteration(table.iterator(true), model);
    TableReader cold = fixture.openCold();
    checkIteration(anyIterator(random, cold), model);
    walk(random, anyIterator(random, cold), model, 200);
    checkFind(random, table, model);
    List<CorruptFileException> faults = new ArrayList<>();
    assertThat(fixture.verify(faults::add, new ArrayList<>())).isEqualTo(fixture.bytes().length);
    assertThat(faults).isEmpty();
    table.close();
    cold.close();
  }

  private static TableWriterOptions randomOptions(RandomGenerator random, boolean large) {
    int blockBytes = large ? 4096 << random.nextInt(3) : 256 + random.nextInt(1000);
    return TableWriterOptions.of(
            blockBytes, random.nextInt(17), random.nextBoolean() ? new Lz4() : null)
        .withPartitionBytes(64 + random.nextInt(large ? 4000 : 500))
        .withFilters(random.nextInt(17), random.nextBoolean())
        .withOrigin(random.nextInt(7), random.nextLong(1L << 50));
  }

  /** Keys of one of several shapes, each with a few versions. */
  private static NavigableMap<Place, byte[]> randomRecords(RandomGenerator random, int size) {
    NavigableMap<Place, byte[]> model = new TreeMap<>();
    int shape = random.nextInt(5);
    int versions = random.nextInt(4) == 0 ? size : 1 + random.nextInt(3);
    int valueMax = random.nextInt(4) == 0 ? 2_000 : 40;
    long timeShift = random.nextInt(40);
    for (int i = 0; i < size; i++) {
      byte[] key = randomKey(random, shape, size / versions + 1);
      int kind = randomKind(random);
      // At most one record for a key and a time.
      long time = (long) random.nextInt(versions == 1 ? 1 : TIMES * versions) << timeShift;
      Place place = new Place(key, Trailer.of(time, kind));
      Place ceiling = model.ceilingKey(new Place(key, Trailer.of(time, 0xFF)));
      boolean taken =
          ceiling != null
              && Arrays.equals(ceiling.key(), key)
              && Trailer.time(ceiling.trailer()) == time;
      if (!taken) {
        model.put(place, randomValue(random, kind, valueMax));
      }
    }
    return model;
  }

  private static byte[] randomKey(RandomGenerator random, int shape, int keys) {
    return switch (shape) {
      // Zeros at the end: heads are equal, keys are not.
      case 0 -> randomBytes(random, random.nextInt(12), 2);
      case 1 -> text("user:%08d".formatted(random.nextInt(keys * 3)));
      // All share more than a head, and often differ behind the head only.
      case 2 -> text("a long prefix of all %s".formatted("x".repeat(random.nextInt(20))));
      case 3 -> randomBytes(random, random.nextInt(40), 256);
      default -> {
        byte[] key = new byte[Long.BYTES];
        Fixed.putLong(key, 0, random.nextInt(keys * 2));
        yield key;
      }
    };
  }

  private static byte[] text(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  private static byte[] randomBytes(RandomGenerator random, int length, int alphabet) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (alphabet == 2 ? -random.nextInt(2) & random.nextInt(2) : random.nextInt());
    }
    return bytes;
  }

  private static int randomKind(RandomGenerator random) {
    return switch (random.nextInt(8)) {
      case 0 -> KeyKind.DELETE;
      case 1 -> KeyKind.PUT | KeyKind.EXPIRES;
      case 2 -> KeyKind.DELETE | KeyKind.SUBTREE;
      case 3 -> KeyKind.PUT | KeyKind.SUBTREE;
      default -> KeyKind.PUT;
    };
  }

  private static byte[] randomValue(RandomGenerator random, int kind, int valueMax) {
    if (KeyKind.base(kind) == KeyKind.DELETE) {
      return Bytes.EMPTY;
    }
    int length = random.nextInt(valueMax) + (KeyKind.expires(kind) ? KeyKind.EXPIRY_BYTES : 0);
    byte[] value = new byte[length];
    int alphabet = random.nextBoolean() ? 2 : 256;
    for (int i = 0; i < length; i++) {
      value[i] = (byte) random.nextInt(alphabet);
    }
    if (KeyKind.expires(kind)) {
      Fixed.putLong(value, 0, random.nextLong(1L << 56));
    }
    return value;
  }

  private static void checkProperties(
      TableProperties properties, NavigableMap<Place, byte[]> model, long fileBytes) {
    assertThat(properties.fileBytes()).isEqualTo(fileBytes);
    assertThat(properties.entries()).isEqualTo(model.size());
    assertThat(properties.lower()).isEqualTo(model.firstKey().key());
    assertThat(properties.upper()).isEqualTo(Bytes.successor(model.lastKey().key()));
    long minTime = Long.MAX_VALUE;
    long maxTime = 0;
    long maxExpiry = 0;
    long[] counts = new long[4];
    byte @Nullable [] last = null;
    for (Map.Entry<Place, byte[]> entry : model.entrySet()) {
      long trailer = entry.getKey().trailer();
      int kind = Trailer.kind(trailer);
      minTime = Math.min(minTime, Trailer.time(trailer));
      maxTime = Math.max(maxTime, Trailer.time(trailer));
      counts[0] += KeyKind.base(kind) == KeyKind.DELETE ? 1 : 0;
      counts[1] += KeyKind.isSubtree(kind) ? 1 : 0;
      counts[2] += Arrays.equals(last, entry.getKey().key()) ? 1 : 0;
      if (KeyKind.expires(kind)) {
        counts[3]++;
        maxExpiry = Math.max(maxExpiry, Fixed.getLong(entry.getValue(), 0));
      }
      last = entry.getKey().key();
    }
    assertThat(properties.minTime()).isEqualTo(minTime);
    assertThat(properties.maxTime()).isEqualTo(maxTime);
    assertThat(properties.maxExpiry()).isEqualTo(maxExpiry);
    assertThat(
            new long[] {
              properties.deletes(),
              properties.subtrees(),
              properties.obsolete(),
              properties.expiring()
            })
        .isEqualTo(counts);
  }

  private static InternalIterator anyIterator(RandomGenerator random, TableReader table) {
    return random.nextInt(3) == 0
        ? table.iterator(random.nextBoolean())
        : table.scan(1 + random.nextInt(5_000));
  }

  private static void checkIteration(InternalIterator iterator, NavigableMap<Place, byte[]> model)
      throws IOException {
    List<byte[]> held = new ArrayList<>();
    assertThat(iterator.valid()).isFalse();
    iterator.first();
    for (Map.Entry<Place, byte[]> entry : model.entrySet()) {
      checkAt(iterator, entry);
      held.add(iterator.valueArray());
      iterator.next();
    }
    assertThat(iterator.valid()).isFalse();
    iterator.last();
    for (Map.Entry<Place, byte[]> entry : model.descendingMap().entrySet()) {
      checkAt(iterator, entry);
      iterator.prev();
    }
    assertThat(iterator.valid()).isFalse();
    assertThat(held).hasSameSizeAs(model.keySet());
  }

  private static void checkAt(
      InternalIterator iterator, Map.@Nullable Entry<Place, byte[]> expected) {
    if (expected == null) {
      assertThat(iterator.valid()).isFalse();
      return;
    }
    assertThat(iterator.valid()).isTrue();
    assertThat(TableFixture.place(iterator)).isEqualTo(expected.getKey());
    assertThat(TableFixture.value(iterator)).isEqualTo(expected.getValue());
  }

  private static void walk(
      RandomGenerator random,
      InternalIterator iterator,
      NavigableMap<Place, byte[]> model,
      int moves)
      throws IOException {
    Map.@Nullable Entry<Place, byte[]> at = null;
    byte[] heldArray = Bytes.EMPTY;
    int heldOffset = 0;
    byte[] heldValue = Bytes.EMPTY;
    for (int i = 0; i < moves; i++) {
      int move = random.nextInt(at == null ? 4 : 12);
      Place target = randomPlace(random, model);
      switch (move) {
        case 0 -> {
          iterator.first();
          at = model.firstEntry();
        }
        case 1 -> {
          iterator.last();
          at = model.lastEntry();
        }
        case 2 -> {
          iterator.seek(target.key(), 0, target.key().length, target.trailer());
          at = model.ceilingEntry(target);
        }
        case 3 -> {
          iterator.seekBefore(target.key(), 0, target.key().length, target.trailer());
          at = model.lowerEntry(target);
        }
        case 4, 5, 6, 7 -> {
          iterator.next();
          at = at == null ? null : model.higherEntry(at.getKey());
        }
        default -> {
          iterator.prev();
          at = at == null ? null : model.lowerEntry(at.getKey());
        }
      }
      checkAt(iterator, at);
      // A value that was borrowed before any number of moves has not changed.
      assertThat(Bytes.copy(heldArray, heldOffset, heldValue.length)).isEqualTo(heldValue);
      if (at != null && random.nextInt(10) == 0) {
        heldArray = iterator.valueArray();
        heldOffset = iterator.valueOffset();
        heldValue = at.getValue();
      }
    }
  }

  /** A place of the table, or one near it. */
  private static Place randomPlace(RandomGenerator random, NavigableMap<Place, byte[]> model) {
    List<Place> places = new ArrayList<>(model.keySet());
    Place place = places.get(random.nextInt(places.size()));
    byte[] key = place.key();
    return switch (random.nextInt(6)) {
      case 0 -> new Place(Bytes.successor(key), place.trailer());
      case 1 -> new Place(Arrays.copyOf(key, Math.max(0, key.length - 1)), place.trailer());
      case 2 -> {
        byte[] other = key.clone();
        if (other.length > 0) {
          other[random.nextInt(other.length)] += (byte) (random.nextBoolean() ? 1 : -1);
        }
        yield new Place(other, place.trailer());
      }
      case 3 -> new Place(key, place.trailer() + random.nextInt(3) - 1);
      case 4 -> new Place(key, random.nextBoolean() ? Trailer.NEWEST : 0);
      default -> place;
    };
  }

  private static void checkFind(
      RandomGenerator random, TableReader table, NavigableMap<Place, byte[]> model)
      throws IOException {
    int step = Math.max(1, model.size() / 2_000);
    int i = 0;
    for (Map.Entry<Place, byte[]> entry : model.entrySet()) {
      if (i++ % step == 0) {
        long time = Trailer.time(entry.getKey().trailer());
        checkFind(table, model, entry.getKey().key(), time, 0);
        checkFind(table, model, entry.getKey().key(), Math.max(0, time - 1), 0);
        checkFind(table, model, entry.getKey().key(), time, KeyKind.SUBTREE);
        checkFind(table, model, entry.getKey().key(), (1L << 56) - 1, KeyKind.EXPIRES);
      }
    }
    for (int j = 0; j < 300; j++) {
      Place place = randomPlace(random, model);
      checkFind(table, model, place.key(), place.trailer() >>> 8, 0);
    }
  }

  private static void checkFind(
      TableReader table, NavigableMap<Place, byte[]> model, byte[] key, long time, int flags)
      throws IOException {
    Map.@Nullable Entry<Place, byte[]> expected =
        model.ceilingEntry(new Place(key, Trailer.seekAt(time)));
    while (expected != null
        && Arrays.equals(expected.getKey().key(), key)
        && (Trailer.kind(expected.getKey().trailer()) & flags) != flags) {
      expected = model.higherEntry(expected.getKey());
    }
    boolean present = expected != null && Arrays.equals(expected.getKey().key(), key);
    PointResult found = TableFixture.find(table, key, time, flags);
    assertThat(found != null).isEqualTo(present);
    if (found != null && expected != null) {
      assertThat(found.trailer()).isEqualTo(expected.getKey().trailer());
      assertThat(TableFixture.value(found)).isEqualTo(expected.getValue());
    }
  }
}
