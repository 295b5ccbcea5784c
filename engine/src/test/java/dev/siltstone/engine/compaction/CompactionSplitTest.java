package dev.siltstone.engine.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

// Goal: the spans of a compaction hold every key once, in about equal shares, and there are none
// where one could not tell what is hidden in it.
// Method: in-memory files of random content, cut at random keys of theirs.
final class CompactionSplitTest {

  @Test
  void spansMeetAndHoldAllKeys() throws IOException {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      Compaction compaction = compaction(random, 1 + random.nextInt(6), 0);
      int most = 1 + random.nextInt(5);
      long bytesMin = random.nextInt(200);
      List<KeySpan> spans =
          CompactionSplit.of(compaction, most, bytesMin, (_, pieces) -> keys(random, pieces));
      assertThat(spans).hasSizeBetween(1, most);
      assertThat(spans.getFirst().lower()).isNull();
      assertThat(spans.getLast().upper()).isNull();
      for (int i = 1; i < spans.size(); i++) {
        assertThat(spans.get(i).lower()).isEqualTo(spans.get(i - 1).upper()).isNotNull();
        byte[] before = spans.get(i - 1).lower();
        assertThat(before == null || Bytes.compare(before, spans.get(i).lower()) < 0).isTrue();
      }
      assertThat(spans.size() == 1 || compaction.bytes() >= spans.size() * bytesMin).isTrue();
    }
  }

  @Test
  void sharesAreAboutEqual() throws IOException {
    Compaction compaction = compaction(new Random(1), 3, 0);
    List<KeySpan> spans =
        CompactionSplit.of(
            compaction,
            4,
            1,
            (_, pieces) -> {
              List<byte[]> ends = new ArrayList<>();
              for (int i = 1; i <= pieces; i++) {
                ends.add(new byte[] {(byte) (i * 128 / pieces)});
              }
              return ends;
            });
    assertThat(spans).hasSize(4);
    for (int i = 1; i < 4; i++) {
      assertThat((int) spans.get(i).lower()[0]).isBetween(32 * i - 2, 32 * i + 2);
    }
  }

  @Test
  void subtreeRecordsKeepACompactionInOnePiece() throws IOException {
    Compaction compaction = compaction(new Random(1), 3, 1);
    assertThat(CompactionSplit.of(compaction, 4, 1, (_, pieces) -> keys(new Random(1), pieces)))
        .containsExactly(KeySpan.ALL);
  }

  private static List<byte[]> keys(Random random, int count) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = random.nextInt(count + 1); i > 0; i--) {
      keys.add(RandomTree.key(random));
    }
    keys.sort(Bytes::compare);
    return keys;
  }

  private static Compaction compaction(Random random, int files, long subtrees) {
    List<FileMeta> inputs = new ArrayList<>();
    for (int i = 0; i < files; i++) {
      inputs.add(file(i + 1, 100 + random.nextInt(100), i == 0 ? subtrees : 0));
    }
    return new Compaction(
        Compaction.Action.MERGE, Compaction.Reason.LEVEL0, 0, 1, inputs, List.of(), List.of());
  }

  private static FileMeta file(long number, long bytes, long subtrees) {
    return new FileMeta(
        number,
        bytes,
        Bytes.EMPTY,
        new byte[] {(byte) 0xFF},
        1,
        6,
        10,
        0,
        0,
        subtrees,
        0,
        0,
        0,
        100,
        new long[0]);
  }
}
