package dev.siltstone.testkit.model;

// Goal: the model says what KeyKind's Javadoc and the decisions E1 to E3 say.
// Method: one example for each sentence of theirs; views against gets over random batches.

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.testkit.model.ModelOperation.Delete;
import dev.siltstone.testkit.model.ModelOperation.DeleteRange;
import dev.siltstone.testkit.model.ModelOperation.DeleteSubtree;
import dev.siltstone.testkit.model.ModelOperation.Put;
import dev.siltstone.testkit.model.ModelOperation.PutSubtree;
import dev.siltstone.testkit.run.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class OrderedMapModelTest {
  private static final long NOW = 1_000;

  private final OrderedMapModel model = new OrderedMapModel();

  private static byte[] b(String text) {
    return text.getBytes(UTF_8);
  }

  private static Put put(String key, String value) {
    return new Put(b(key), b(value), ModelOperation.NEVER);
  }

  private static PutSubtree putSubtree(String key, String value) {
    return new PutSubtree(b(key), b(value), ModelOperation.NEVER);
  }

  private String at(long time) {
    return at(time, NOW);
  }

  private String at(long time, long now) {
    StringBuilder text = new StringBuilder();
    model
        .view(time, now)
        .forEach(
            (key, value) ->
                text.append(new String(key, UTF_8))
                    .append('=')
                    .append(new String(value, UTF_8))
                    .append(' '));
    return text.toString().strip();
  }

  @Test
  void readerSeesTheNewestAtOrBelowItsTime() {
    model.put(b("k"), b("1"), 10);
    model.put(b("k"), b("2"), 20);
    model.delete(b("k"), 30);

    assertThat(at(9)).isEmpty();
    assertThat(at(10)).isEqualTo("k=1");
    assertThat(at(19)).isEqualTo("k=1");
    assertThat(at(20)).isEqualTo("k=2");
    assertThat(at(30)).isEmpty();
  }

  @Test
  void expiredValueActsAsADelete() {
    model.put(b("k"), b("old"), 10);
    model.put(b("k"), b("new"), 20, 50);

    assertThat(at(20, 49)).isEqualTo("k=new");
    assertThat(at(20, 50)).isEmpty();
    assertThat(at(10, 50)).isEqualTo("k=old");
  }

  @Test
  void rangeDeleteHidesWhatIsOlderInItsRange() {
    model.apply(10, List.of(put("a", "1"), put("b", "1"), put("c", "1")));
    model.deleteRange(b("a"), b("c"), 20);
    model.put(b("b"), b("2"), 30);

    assertThat(at(19)).isEqualTo("a=1 b=1 c=1");
    assertThat(at(20)).isEqualTo("c=1");
    assertThat(at(30)).isEqualTo("b=2 c=1");
  }

  @Test
  void subtreeDeleteHidesItsKeyAndAllItIsAPrefixOf() {
    model.apply(10, List.of(put("p", "1"), put("p\0", "1"), put("pq", "1"), put("q", "1")));
    model.deleteSubtree(b("p"), 20);
    model.put(b("pq"), b("2"), 30);

    assertThat(at(20)).isEqualTo("q=1");
    assertThat(at(30)).isEqualTo("pq=2 q=1");
  }

  @Test
  void emptyPrefixIsTheWholeTree() {
    model.apply(10, List.of(put("", "1"), put("\uffff", "1")));
    model.deleteSubtree(b(""), 20);
    assertThat(at(20)).isEmpty();
  }

  @Test
  void subtreePutReplacesAllBelowItsKey() {
    model.apply(10, List.of(put("p", "1"), put("pq", "1")));
    model.putSubtree(b("p"), b("2"), 20, ModelOperation.NEVER);

    assertThat(at(20)).isEqualTo("p=2");
  }

  @Test
  void expiredSubtreePutActsAsASubtreeDelete() {
    model.apply(10, List.of(put("p", "1"), put("pq", "1")));
    model.putSubtree(b("p"), b("2"), 20, 50);

    assertThat(at(20, 49)).isEqualTo("p=2");
    assertThat(at(20, 50)).isEmpty();
  }

  @Test
  void plainPutOrDeleteLeavesWhatIsBelowAlone() {
    model.apply(10, List.of(put("p", "1"), put("pq", "1")));
    model.put(b("p"), b("2"), 20);
    assertThat(at(20)).isEqualTo("p=2 pq=1");
    model.delete(b("p"), 30);
    assertThat(at(30)).isEqualTo("pq=1");
  }

  @Test
  void laterOperationsOfABatchWin() {
    model.apply(10, List.of(put("a", "1"), put("a", "2"), new Delete(b("b")), put("b", "1")));
    assertThat(at(10)).isEqualTo("a=2 b=1");

    model.apply(20, List.of(new DeleteRange(b("a"), b("b")), put("a", "3")));
    assertThat(at(20)).isEqualTo("a=3 b=1");
    model.apply(30, List.of(put("a", "4"), new DeleteRange(b("a"), b("b"))));
    assertThat(at(30)).isEqualTo("b=1");
  }

  @Test
  void subtreeDeleteThenPutOfItsKeyIsASubtreePut() {
    model.apply(10, List.of(put("p", "1"), put("pq", "1")));
    model.apply(20, List.of(put("pr", "2"), new DeleteSubtree(b("p")), put("p", "2")));
    assertThat(at(20)).isEqualTo("p=2");

    model.apply(30, List.of(new DeleteSubtree(b("p")), put("pq", "3")));
    assertThat(at(30)).isEqualTo("pq=3");
    model.apply(40, List.of(putSubtree("p", "4"), put("p", "5"), put("pz", "5")));
    assertThat(at(40)).isEqualTo("p=5 pz=5");
    model.apply(50, List.of(putSubtree("p", "6"), new Delete(b("p"))));
    assertThat(at(50)).isEmpty();
  }

  @Test
  void viewIsInUnsignedOrder() {
    model.apply(1, List.of(put("z", "1"), new Put(new byte[] {-1}, b("2"), 0), put("", "3")));

    assertThat(model.view(1, NOW).firstEntry().getValue()).isEqualTo(b("3"));
    assertThat(model.view(1, NOW).lastEntry().getValue()).isEqualTo(b("2"));
  }

  @Test
  void copyGoesItsOwnWay() {
    model.put(b("k"), b("1"), 10);
    OrderedMapModel copy = model.copy();
    copy.delete(b("k"), 20);
    copy.deleteRange(b("a"), b("z"), 20);

    assertThat(at(20)).isEqualTo("k=1");
    assertThat(copy.view(20, NOW)).isEmpty();
    assertThat(copy.keys()).hasSize(1);
  }

  /** Another way to say the same: a map that each batch changes in place, copied at each time. */
  @Test
  void modelAgreesWithAMapThatIsChangedInPlace() {
    Seeds.forEach(
        1,
        200,
        seed -> {
          SplittableRandom random = seed.random("batches");
          OrderedMapModel tested = new OrderedMapModel();
          TreeMap<byte[], byte[]> map = new TreeMap<>(Arrays::compareUnsigned);
          List<TreeMap<byte[], byte[]>> history = new ArrayList<>(List.of(copy(map)));
          for (int time = 1; time <= 30; time++) {
            List<ModelOperation> batch = new ArrayList<>();
            for (int i = random.nextInt(5); i >= 0; i--) {
              ModelOperation operation = operation(random);
              batch.add(operation);
              change(map, operation);
            }
            tested.apply(time, batch);
            history.add(copy(map));
          }
          for (int time = 0; time <= 30; time++) {
            var view = tested.view(time, NOW);
            assertThat(show(view)).as("at %d", time).isEqualTo(show(history.get(time)));
          }
        });
  }

  private static TreeMap<byte[], byte[]> copy(TreeMap<byte[], byte[]> map) {
    return new TreeMap<>(map);
  }

  private static List<String> show(SortedMap<byte[], byte[]> map) {
    List<String> entries = new ArrayList<>();
    map.forEach((key, value) -> entries.add(Arrays.toString(key) + Arrays.toString(value)));
    return entries;
  }

  private static byte[] key(SplittableRandom random) {
    byte[] key = new byte[random.nextInt(4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(3) - 1);
    }
    return key;
  }

  private static ModelOperation operation(SplittableRandom random) {
    byte[] value = {(byte) random.nextInt(100)};
    return switch (random.nextInt(8)) {
      case 0 -> new DeleteRange(key(random), key(random));
      case 1 -> new DeleteSubtree(key(random));
      case 2 -> new PutSubtree(key(random), value, ModelOperation.NEVER);
      case 3 -> new Delete(key(random));
      default -> new Put(key(random), value, ModelOperation.NEVER);
    };
  }

  private static void change(TreeMap<byte[], byte[]> map, ModelOperation operation) {
    switch (operation) {
      case Put put -> map.put(put.key(), put.value());
      case Delete delete -> map.remove(delete.key());
      case DeleteRange range ->
          map.keySet()
              .removeIf(
                  key ->
                      Arrays.compareUnsigned(key, range.lower()) >= 0
                          && Arrays.compareUnsigned(key, range.upper()) < 0);
      case DeleteSubtree subtree -> removeSubtree(map, subtree.prefix());
      case PutSubtree subtree -> {
        removeSubtree(map, subtree.prefix());
        map.put(subtree.prefix(), subtree.value());
      }
    }
  }

  private static void removeSubtree(TreeMap<byte[], byte[]> map, byte[] prefix) {
    map.keySet()
        .removeIf(
            key ->
                key.length >= prefix.length
                    && Arrays.equals(Arrays.copyOf(key, prefix.length), prefix));
  }
}
