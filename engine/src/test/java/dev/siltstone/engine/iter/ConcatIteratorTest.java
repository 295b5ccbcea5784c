package dev.siltstone.engine.iter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.key.KeyKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

// Goal: disjoint files read as one sorted set, opened one at a time and only when needed.
// Method: random cuts of a random set, empty files included, against a TreeSet.
final class ConcatIteratorTest {

  /** Files as a level holds them: records and exclusive upper bounds. */
  private static final class Files {
    final List<List<TestRecord>> records = new ArrayList<>();
    final List<byte[]> uppers = new ArrayList<>();
    final List<RecordsIterator> opened = new ArrayList<>();

    int find(byte[] key, int offset, int length) {
      int index = 0;
      byte[] wanted = Bytes.copy(key, offset, length);
      while (index < uppers.size() && Bytes.compare(uppers.get(index), wanted) <= 0) {
        index++;
      }
      return index;
    }

    InternalIterator open(int index) {
      RecordsIterator iterator = new RecordsIterator(records.get(index));
      opened.add(iterator);
      return iterator;
    }

    ConcatIterator iterator() {
      return new ConcatIterator(uppers.size(), this::find, this::open);
    }
  }

  @Test
  void anySequenceOfMovesAgreesWithASortedSet() throws IOException {
    for (long seed = 0; seed < 3_000; seed++) {
      Random random = new Random(seed);
      TreeSet<TestRecord> model = new TreeSet<>();
      int size = random.nextInt(30);
      for (int i = 0; i < size; i++) {
        model.add(MergingIteratorTest.randomRecord(random));
      }
      Files files = cut(random, model);
      ConcatIterator iterator = files.iterator();
      MergingIteratorTest.walk(seed, random, iterator, model, 40);
      iterator.close();
      assertThat(files.opened).allMatch(RecordsIterator::closed);
    }
  }

  @Test
  void onlyTheFileThatHoldsTheTargetIsOpened() throws IOException {
    Files files = new Files();
    for (int i = 0; i < 10; i++) {
      files.records.add(List.of(TestRecord.of("k" + i, 1, KeyKind.PUT)));
      files.uppers.add(
          Bytes.successor(("k" + i).getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    }
    ConcatIterator iterator = files.iterator();
    assertThat(files.opened).isEmpty();
    iterator.seek(new byte[] {'k', '7'}, 0, 2, -1L);
    assertThat(files.opened).hasSize(1);
    iterator.seek(new byte[] {'k', '7'}, 0, 2, -1L);
    assertThat(files.opened).hasSize(1);
    iterator.next();
    assertThat(files.opened).hasSize(2);
    assertThat(files.opened.getFirst().closed()).isTrue();
  }

  @Test
  void aFailedOpenLeavesItInvalidAndUsable() throws IOException {
    Files files = new Files();
    files.records.add(List.of(TestRecord.of("a", 1, KeyKind.PUT)));
    files.uppers.add(new byte[] {'b'});
    files.records.add(List.of(TestRecord.of("c", 1, KeyKind.PUT)));
    files.uppers.add(new byte[] {'d'});
    boolean[] fail = {true};
    ConcatIterator iterator =
        new ConcatIterator(
            2,
            files::find,
            index -> {
              if (index == 1 && fail[0]) {
                throw new IOException("planted");
              }
              return files.open(index);
            });
    iterator.first();
    assertThatThrownBy(iterator::next).isInstanceOf(IOException.class);
    assertThat(iterator.valid()).isFalse();
    fail[0] = false;
    assertThat(RecordsIterator.drain(iterator)).hasSize(2);
  }

  /** Cuts at keys, so that the versions of a key stay together; some files hold nothing. */
  private static Files cut(Random random, TreeSet<TestRecord> model) {
    Files files = new Files();
    List<TestRecord> file = new ArrayList<>();
    byte[] lastKey = null;
    for (TestRecord record : model) {
      boolean newKey = lastKey != null && Bytes.compare(lastKey, record.key()) != 0;
      if (newKey && random.nextInt(4) == 0) {
        files.records.add(List.copyOf(file));
        files.uppers.add(Bytes.successor(lastKey));
        file.clear();
        if (random.nextInt(3) == 0) {
          // A file of range deletes only, between the two keys.
          files.records.add(List.of());
          files.uppers.add(record.key());
        }
      }
      file.add(record);
      lastKey = record.key();
    }
    if (lastKey != null) {
      files.records.add(file);
      files.uppers.add(Bytes.successor(lastKey));
    }
    return files;
  }
}
