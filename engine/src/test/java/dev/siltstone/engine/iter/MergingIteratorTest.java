package dev.siltstone.engine.iter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

// Goal: a merge of any sources behaves as one sorted set under any sequence of moves.
// Method: random sources and moves against a TreeSet of all records; errors planted at every move.
final class MergingIteratorTest {

  @Test
  void noSourceGivesTheEmptyIteratorAndOneSourceItself() {
    InternalIterator source = new RecordsIterator(List.of());
    assertThat(MergingIterator.of()).isSameAs(EmptyIterator.INSTANCE);
    assertThat(MergingIterator.of(source)).isSameAs(source);
  }

  @Test
  void versionsOfOneKeyFromManySourcesComeNewestFirst() throws IOException {
    InternalIterator merged =
        MergingIterator.of(
            new RecordsIterator(List.of(TestRecord.of("k", 7, KeyKind.PUT))),
            new RecordsIterator(
                List.of(TestRecord.of("k", 9, KeyKind.DELETE), TestRecord.of("k", 3, KeyKind.PUT))),
            new RecordsIterator(List.of(TestRecord.of("k", 5, KeyKind.PUT))));
    assertThat(RecordsIterator.drain(merged))
        .extracting(TestRecord::time)
        .containsExactly(9L, 7L, 5L, 3L);
  }

  @Test
  void equalRecordsComeFromTheFirstSourceFirst() throws IOException {
    TestRecord newer = new TestRecord(new byte[] {1}, Trailer.of(5, KeyKind.PUT), new byte[] {1});
    TestRecord older = new TestRecord(new byte[] {1}, Trailer.of(5, KeyKind.PUT), new byte[] {2});
    InternalIterator merged =
        MergingIterator.of(
            new RecordsIterator(List.of(newer)), new RecordsIterator(List.of(older)));
    assertThat(RecordsIterator.drain(merged)).containsExactly(newer, older);
    merged.last();
    assertThat(RecordsIterator.read(merged)).isEqualTo(older);
    merged.prev();
    assertThat(RecordsIterator.read(merged)).isEqualTo(newer);
  }

  @Test
  void keysOfAllOnesAndAllZerosAreToldFromExhaustedSources() throws IOException {
    List<TestRecord> all = new ArrayList<>();
    List<InternalIterator> sources = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      List<TestRecord> records = new ArrayList<>();
      byte[] key = new byte[7 + i];
      java.util.Arrays.fill(key, (byte) 0xFF);
      records.add(new TestRecord(key, Trailer.of(i + 1, KeyKind.PUT), Bytes.EMPTY));
      records.add(new TestRecord(new byte[i], Trailer.of(i + 1, KeyKind.PUT), Bytes.EMPTY));
      all.addAll(records);
      sources.add(new RecordsIterator(records));
      sources.add(new RecordsIterator(List.of()));
    }
    all.sort(null);
    InternalIterator merged = MergingIterator.of(sources.toArray(InternalIterator[]::new));
    assertThat(RecordsIterator.drain(merged)).isEqualTo(all);
    List<TestRecord> backward = new ArrayList<>();
    for (merged.last(); merged.valid(); merged.prev()) {
      backward.addFirst(RecordsIterator.read(merged));
    }
    assertThat(backward).isEqualTo(all);
  }

  @Test
  void anySequenceOfMovesAgreesWithASortedSet() throws IOException {
    for (long seed = 0; seed < 4_000; seed++) {
      Random random = new Random(seed);
      int count = 1 + random.nextInt(random.nextInt(5) == 0 ? 20 : 6);
      TreeSet<TestRecord> model = new TreeSet<>();
      List<RecordsIterator> sources = sources(random, count, model);
      InternalIterator merged = MergingIterator.of(sources.toArray(InternalIterator[]::new));
      walk(seed, random, merged, model, 60);
      merged.close();
      assertThat(sources).allMatch(RecordsIterator::closed);
    }
  }

  @Test
  void keysInGroupsWithLongPrefixesAreMergedBothWays() throws IOException {
    for (long seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      TreeSet<TestRecord> model = new TreeSet<>();
      List<List<TestRecord>> records = new ArrayList<>();
      int count = 2 + random.nextInt(9);
      for (int i = 0; i < count; i++) {
        records.add(new ArrayList<>());
      }
      for (int group = 0; group < 6; group++) {
        byte[] prefix = new byte[random.nextInt(24)];
        java.util.Arrays.fill(prefix, (byte) group);
        for (int i = 0; i < 150; i++) {
          byte[] key = java.util.Arrays.copyOf(prefix, prefix.length + random.nextInt(12));
          for (int j = key.length - 1; j >= Math.max(0, key.length - 2); j--) {
            key[j] = (byte) random.nextInt();
          }
          TestRecord record = new TestRecord(key, Trailer.of(i, KeyKind.PUT), Bytes.EMPTY);
          if (model.add(record)) {
            records.get(random.nextInt(count)).add(record);
          }
        }
      }
      InternalIterator merged =
          MergingIterator.of(
              records.stream().map(RecordsIterator::new).toArray(InternalIterator[]::new));
      assertThat(RecordsIterator.drain(merged)).containsExactlyElementsOf(model);
      List<TestRecord> backward = new ArrayList<>();
      for (merged.last(); merged.valid(); merged.prev()) {
        backward.addFirst(RecordsIterator.read(merged));
      }
      assertThat(backward).containsExactlyElementsOf(model);
      walk(seed, random, merged, model, 2_000);
    }
  }

  @Test
  void recordsAddedMeanwhileNeverBreakTheOrder() throws IOException {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      TreeSet<TestRecord> model = new TreeSet<>();
      List<RecordsIterator> sources = sources(random, 2 + random.nextInt(4), model);
      InternalIterator merged = MergingIterator.of(sources.toArray(InternalIterator[]::new));
      merged.first();
      TestRecord before = null;
      boolean forward = true;
      for (int i = 0; i < 60 && merged.valid(); i++) {
        TestRecord now = RecordsIterator.read(merged);
        if (before != null) {
          assertThat(now.compareTo(before) > 0).as("seed %s", seed).isEqualTo(forward);
        }
        before = now;
        sources
            .get(random.nextInt(sources.size()))
            .add(new TestRecord(key(random), Trailer.of(1_000 + i, KeyKind.PUT), Bytes.EMPTY));
        forward = random.nextInt(3) > 0;
        if (forward) {
          merged.next();
        } else {
          merged.prev();
        }
      }
    }
  }

  @Test
  void anErrorOfASourceIsRethrownAndLeavesTheMergeInvalidButUsable() throws IOException {
    for (int moves = 0; moves < 40; moves++) {
      TreeSet<TestRecord> model = new TreeSet<>();
      List<RecordsIterator> sources = sources(new Random(moves), 4, model);
      InternalIterator merged = MergingIterator.of(sources.toArray(InternalIterator[]::new));
      RecordsIterator broken = sources.get(moves % 4);
      broken.failAfter(moves / 4);
      assertThatThrownBy(
              () -> {
                while (true) {
                  for (merged.first(); merged.valid(); merged.next()) {
                    assertThat(model).contains(RecordsIterator.read(merged));
                  }
                  for (merged.last(); merged.valid(); merged.prev()) {
                    assertThat(model).contains(RecordsIterator.read(merged));
                  }
                }
              })
          .isInstanceOf(IOException.class)
          .hasMessage("planted");
      assertThat(merged.valid()).isFalse();
      broken.failAfter(-1);
      assertThat(RecordsIterator.drain(merged)).containsExactlyElementsOf(model);
    }
  }

  /** Makes random moves and compares each outcome with the model. */
  static void walk(
      long seed, Random random, InternalIterator iterator, TreeSet<TestRecord> model, int moves)
      throws IOException {
    TestRecord expected = null;
    for (int i = 0; i < moves; i++) {
      int move = random.nextInt(expected == null ? 4 : 16);
      TestRecord target =
          new TestRecord(key(random), Trailer.of(random.nextInt(12), 0xFF), Bytes.EMPTY);
      byte[] key = target.key();
      switch (move) {
        case 0 -> {
          iterator.first();
          expected = model.isEmpty() ? null : model.first();
        }
        case 1 -> {
          iterator.last();
          expected = model.isEmpty() ? null : model.last();
        }
        case 2 -> {
          iterator.seek(key, 0, key.length, target.trailer());
          expected = model.ceiling(target);
        }
        case 3 -> {
          iterator.seekBefore(key, 0, key.length, target.trailer());
          expected = model.lower(target);
        }
        case 4, 5, 6, 7, 8, 9 -> {
          iterator.next();
          expected = model.higher(expected);
        }
        default -> {
          iterator.prev();
          expected = model.lower(expected);
        }
      }
      String where = "seed " + seed + ", move " + i;
      assertThat(iterator.valid()).as(where).isEqualTo(expected != null);
      if (expected != null) {
        assertThat(RecordsIterator.read(iterator)).as(where).isEqualTo(expected);
      }
    }
  }

  private static List<RecordsIterator> sources(
      Random random, int count, TreeSet<TestRecord> model) {
    List<RecordsIterator> sources = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<TestRecord> records = new ArrayList<>();
      int size = random.nextInt(4) == 0 ? 0 : random.nextInt(15);
      for (int j = 0; j < size; j++) {
        TestRecord record = randomRecord(random);
        if (model.add(record)) {
          records.add(record);
        }
      }
      sources.add(new RecordsIterator(records));
    }
    return sources;
  }

  static TestRecord randomRecord(Random random) {
    long trailer = Trailer.of(random.nextInt(12), KeyKind.PUT);
    return new TestRecord(key(random), trailer, new byte[] {(byte) random.nextInt()});
  }

  /** Keys that share long prefixes, end in zeros or ones, and differ before and after byte 8. */
  static byte[] key(Random random) {
    byte[] alphabet = {0, 1, 'a', (byte) 0x80, (byte) 0xFF};
    byte[] key = new byte[random.nextInt(4) == 0 ? random.nextInt(3) : 6 + random.nextInt(6)];
    int fixed = random.nextInt(key.length + 1);
    for (int i = 0; i < key.length; i++) {
      key[i] = i < fixed ? (byte) 0xFF : alphabet[random.nextInt(alphabet.length)];
    }
    return key;
  }
}
