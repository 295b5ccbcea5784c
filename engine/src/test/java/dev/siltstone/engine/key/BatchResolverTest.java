package dev.siltstone.engine.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.testkit.run.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Goal: a resolved batch, read by the rules of records of one time, leaves a store in the state
 * that its writes leave when they are made one by one. Method: random batches over few keys, all
 * prefixes of each other, against a map; batches that would take a quadratic resolver hours.
 */
final class BatchResolverTest {
  private static final int PUT = KeyKind.PUT;
  private static final int DELETE = KeyKind.DELETE;
  private static final int RANGE = KeyKind.RANGE_DELETE;
  private static final int SUBTREE = KeyKind.SUBTREE;
  private static final String OLD = "old";

  /** A tree and a key of it, as text: texts have the order of their bytes here. */
  private record Place(int tree, String key) implements Comparable<Place> {
    @Override
    public int compareTo(Place that) {
      return tree != that.tree ? Integer.compare(tree, that.tree) : key.compareTo(that.key);
    }

    boolean isBelow(int tree, String prefix) {
      return this.tree == tree && key.startsWith(prefix) && !key.equals(prefix);
    }
  }

  private record Write(int kind, int tree, String key, String value) {
    boolean covers(Place place) {
      return switch (kind) {
        case RANGE ->
            place.tree == tree && key.compareTo(place.key) <= 0 && place.key.compareTo(value) < 0;
        case PUT | SUBTREE, DELETE | SUBTREE -> place.isBelow(tree, key);
        default -> false;
      };
    }
  }

  @Test
  void resolvedBatchMeansWhatItsWritesMeanOneByOne() {
    Seeds.forEach(1, 3000, seed -> compare(randomWrites(seed.random("batch"))));
  }

  @Test
  void laterPutInARangeStays() throws IOException {
    List<Write> writes =
        List.of(
            new Write(PUT, 1, "a", "gone"),
            new Write(RANGE, 1, "a", "b"),
            new Write(PUT, 1, "a", "stays"));
    assertThat(resolve(writes))
        .containsExactly(new Write(RANGE, 1, "a", "b"), new Write(PUT, 1, "a", "stays"));
    compare(writes);
  }

  @Test
  void putAfterASubtreeDeleteOfItsKeyHidesTheSubtreeToo() throws IOException {
    List<Write> writes =
        List.of(
            new Write(DELETE | SUBTREE, 1, "a", ""),
            new Write(PUT, 1, "a", "new"),
            new Write(DELETE, 1, "a", ""));
    assertThat(resolve(writes).getLast()).isEqualTo(new Write(DELETE | SUBTREE, 1, "a", ""));
    compare(writes);
  }

  @Test
  void rangeDeleteLeavesTheSubtreeOfACoveredKeyHidden() throws IOException {
    List<Write> writes =
        List.of(new Write(PUT | SUBTREE, 1, "a", "gone"), new Write(RANGE, 1, "a", "ab"));
    assertThat(resolve(writes).getFirst()).isEqualTo(new Write(DELETE | SUBTREE, 1, "a", ""));
    compare(writes);
  }

  @Test
  void movesLeadFromOldToNewPlaces() {
    BatchWriter batch = new BatchWriter();
    batch.add(1, PUT, bytes("gone"), bytes("value"));
    int gone = batch.bytes() - 5;
    batch.add(1, RANGE, bytes("g"), bytes("h"));
    batch.add(1, PUT, bytes("stays"), bytes("value"));
    int stays = batch.bytes() - 5;
    BatchResolver.Moves moves = BatchResolver.resolve(batch);
    assertThat(moves.of(gone)).isEqualTo(-1);
    int now = moves.of(stays);
    assertThat(now).isEqualTo(batch.bytes() - 5);
    assertThat(Bytes.copy(batch.array(), now, 5)).isEqualTo(bytes("value"));
  }

  @Test
  void batchInOrderIsLeftAsItIs() {
    for (boolean descending : new boolean[] {false, true}) {
      BatchWriter batch = new BatchWriter();
      for (int i = 0; i < 100; i++) {
        batch.add(1, PUT | SUBTREE, number(descending ? 100 - i : i), bytes("value"));
      }
      byte[] before = Bytes.copy(batch.array(), 0, batch.bytes());
      BatchResolver.Moves moves = BatchResolver.resolve(batch);
      batch.seal(0);
      assertThat(Bytes.copy(batch.array(), 12, batch.bytes() - 12))
          .isEqualTo(Bytes.copy(before, 12, before.length - 12));
      assertThat(moves.of(500)).isEqualTo(500);
    }
  }

  @Test
  void manyRangeDeletesAreNotQuadratic() throws IOException {
    BatchWriter batch = new BatchWriter();
    for (int i = 0; i < 100_000; i++) {
      batch.add(1, PUT, number(i * 7919 % 100_000), bytes("v"));
    }
    for (int i = 0; i < 100_000; i++) {
      batch.add(1, RANGE, number(i % 100), number(100_000 - i % 1000));
    }
    BatchResolver.resolve(batch);
    assertThat(batch.count()).isEqualTo(100_000);
  }

  @Test
  void manySubtreesOfOneKeyAreNotQuadratic() {
    BatchWriter batch = new BatchWriter();
    for (int i = 0; i < 100_000; i++) {
      batch.add(1, PUT, number(i), bytes("v"));
      batch.add(1, DELETE | SUBTREE, new byte[1], Bytes.EMPTY);
    }
    BatchResolver.resolve(batch);
    assertThat(batch.count()).isEqualTo(1);
  }

  @Test
  void theGreatestTreeIsResolvedToo() throws IOException {
    compare(
        List.of(
            new Write(PUT, Integer.MAX_VALUE, "a", "gone"),
            new Write(DELETE | SUBTREE, Integer.MAX_VALUE, "", "")));
  }

  private static List<Write> randomWrites(SplittableRandom random) {
    List<Write> writes = new ArrayList<>();
    int count = 1 + random.nextInt(12);
    int markers = 1 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      int tree = 1 + random.nextInt(2);
      String key = randomKey(random);
      int choice = random.nextInt(markers + 4);
      switch (choice) {
        case 0 -> writes.add(new Write(DELETE, tree, key, ""));
        case 1 -> writes.add(new Write(PUT | SUBTREE, tree, key, "v" + i));
        case 2 -> writes.add(new Write(DELETE | SUBTREE, tree, key, ""));
        case 3 -> {
          String other = randomKey(random) + "a";
          boolean ordered = key.compareTo(other) < 0;
          if (!key.equals(other)) {
            writes.add(new Write(RANGE, tree, ordered ? key : other, ordered ? other : key));
          }
        }
        default -> writes.add(new Write(PUT, tree, key, "v" + i));
      }
    }
    return writes;
  }

  private static String randomKey(SplittableRandom random) {
    StringBuilder key = new StringBuilder();
    for (int length = random.nextInt(4); length > 0; length--) {
      key.append((char) ('a' + random.nextInt(2)));
    }
    return key.toString();
  }

  private static void compare(List<Write> writes) throws IOException {
    Map<Place, String> oneByOne = store(writes);
    for (Write write : writes) {
      oneByOne.keySet().removeIf(write::covers);
      Place place = new Place(write.tree, write.key);
      if (KeyKind.isPut(write.kind)) {
        oneByOne.put(place, write.value);
      } else if (write.kind != RANGE) {
        oneByOne.remove(place);
      }
    }

    List<Write> resolved = resolve(writes);
    Map<Place, Write> memtable = new TreeMap<>();
    for (Write write : resolved) {
      if (write.kind != RANGE) {
        memtable.put(new Place(write.tree, write.key), write);
      }
    }
    Map<Place, String> atOnce = store(writes);
    atOnce.keySet().removeIf(old -> memtable.values().stream().anyMatch(w -> w.covers(old)));
    for (Write write : resolved) {
      if (write.kind == RANGE) {
        atOnce.keySet().removeIf(write::covers);
      }
    }
    memtable.forEach(
        (place, write) -> {
          if (KeyKind.isPut(write.kind)) {
            atOnce.put(place, write.value);
          } else {
            atOnce.remove(place);
          }
        });
    assertThat(atOnce).as("%s resolved to %s", writes, resolved).isEqualTo(oneByOne);
  }

  /** Everything exists before the batch. */
  private static Map<Place, String> store(List<Write> writes) {
    Map<Place, String> store = new TreeMap<>();
    for (Write write : writes) {
      for (int code = 1; code < 64; code++) {
        // The bits of the code behind its highest one are the letters.
        String key = Integer.toBinaryString(code).substring(1).replace('0', 'a').replace('1', 'b');
        store.put(new Place(write.tree, key), OLD);
      }
    }
    return store;
  }

  private static List<Write> resolve(List<Write> writes) throws IOException {
    BatchWriter batch = new BatchWriter();
    for (Write write : writes) {
      batch.add(write.tree, write.kind, bytes(write.key), bytes(write.value));
    }
    BatchResolver.resolve(batch);
    batch.seal(5);
    BatchReader reader = new BatchReader();
    reader.open(batch.array(), 0, batch.bytes());
    List<Write> resolved = new ArrayList<>();
    while (reader.next()) {
      byte[] array = reader.array();
      resolved.add(
          new Write(
              reader.kind(),
              reader.treeId(),
              text(array, reader.keyOffset(), reader.keyLength()),
              text(array, reader.valueOffset(), reader.valueLength())));
    }
    return resolved;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String text(byte[] array, int offset, int length) {
    return new String(array, offset, length, StandardCharsets.US_ASCII);
  }

  private static byte[] number(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }
}
