package dev.siltstone.engine.gap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.time.HybridTime;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Goal: gaps grow, meet, are cut and go as the package says. Method: small cases, and a model. */
final class GapMemoTest {
  private final GapMemo memo = GapMemo.create(GapMemo.DEAD_MIN);

  @Test
  void gapServesReadersAtItsTimeOrLater() {
    learn(10, 20, 100);
    assertThat(find(10, 100)).isNotNull();
    assertThat(find(19, 101)).isNotNull();
    assertThat(find(15, 99)).isNull();
    assertThat(find(20, 100)).isNull();
    assertThat(find(9, 100)).isNull();
  }

  @Test
  void gapThatPassedAnExpiredValueServesReadersThatJudgeLater() {
    Walk walk = memo.walkForward(key(1));
    memo.finish(walk, key(1), key(5), 100, 500, 1);
    assertThat(memo.find(key(2), 0, 1, 100, 499)).isNull();
    assertThat(memo.find(key(2), 0, 1, 100, 500)).isNotNull();
  }

  @Test
  void gapsThatMeetBecomeOneAtTheGreaterTime() {
    learn(10, 20, 100);
    learn(30, 40, 200);
    assertThat(memo.size()).isEqualTo(2);
    learn(20, 30, 150);
    assertThat(memo.size()).isEqualTo(1);
    assertThat(find(10, 199)).isNull();
    assertThat(find(39, 200)).isNotNull();
  }

  @Test
  void birthCutsItsKeyOut() {
    learn(10, 20, 100);
    memo.born(key(15), 0, 1);
    assertThat(find(14, 100)).isNotNull();
    assertThat(find(15, 100)).isNull();
    assertThat(find(16, 100)).isNotNull();
    memo.born(key(10), 0, 1);
    assertThat(find(10, 100)).isNull();
    assertThat(find(11, 100)).isNotNull();
    memo.born(key(99), 0, 1);
    assertThat(memo.size()).isEqualTo(2);
  }

  @Test
  void birthDuringAWalkBoundsWhatIsLearned() {
    Walk forward = memo.walkForward(key(10));
    memo.born(key(15), 0, 1);
    memo.born(key(17), 0, 1);
    memo.finish(forward, key(10), key(20), 100, HybridTime.MIN, 5);
    assertThat(find(14, 100)).isNotNull();
    assertThat(find(15, 100)).isNull();
    assertThat(find(16, 100)).isNull();
    Walk backward = memo.walkBackward(key(40));
    memo.born(key(33), 0, 1);
    memo.born(key(50), 0, 1);
    memo.finish(backward, key(30), key(40), 100, HybridTime.MIN, 5);
    assertThat(find(33, 100)).isNull();
    assertThat(find(34, 100)).isNotNull();
    assertThat(find(32, 100)).isNull();
  }

  @Test
  void birthsOfARangeCutAllOfItOutOfGapsAndWalks() {
    learn(10, 20, 100);
    learn(30, 40, 100);
    learn(50, 60, 100);
    Walk before = memo.walkForward(key(70));
    Walk within = memo.walkForward(key(26));
    Walk after = memo.walkBackward(key(99));
    memo.born(key(15), key(52));
    assertThat(memo.size()).isEqualTo(2);
    assertThat(find(14, 100)).isNotNull();
    assertThat(find(15, 100)).isNull();
    assertThat(find(30, 100)).isNull();
    assertThat(find(51, 100)).isNull();
    assertThat(find(52, 100)).isNotNull();
    memo.finish(before, key(70), key(80), 100, HybridTime.MIN, 5);
    assertThat(find(70, 100)).isNotNull();
    memo.finish(within, key(26), key(45), 100, HybridTime.MIN, 5);
    assertThat(find(26, 100)).as("it began within").isNull();
    memo.finish(after, key(40), key(49), 100, HybridTime.MIN, 5);
    assertThat(find(45, 100)).isNull();
    memo.born(key(90), key(95));
    assertThat(find(70, 100)).isNotNull();
  }

  @Test
  void cancelledWalkLeavesNothing() {
    Walk walk = memo.walkForward(key(10));
    assertThat(memo.isIdle()).isFalse();
    memo.cancel(walk);
    assertThat(memo.isIdle()).isTrue();
  }

  @Test
  void lightestGapGoesWhenThereAreTooMany() {
    for (int i = 0; i <= SortedGapMemo.GAPS_MAX; i++) {
      byte[] from = {(byte) (i >>> 8), (byte) i, 0};
      byte[] to = {(byte) (i >>> 8), (byte) i, 1};
      Walk walk = memo.walkForward(from);
      memo.finish(walk, from, to, 100, HybridTime.MIN, i == 7 ? 1 : 10);
    }
    assertThat(memo.size()).isEqualTo(SortedGapMemo.GAPS_MAX);
    assertThat(memo.evictions()).isEqualTo(1);
    assertThat(memo.find(new byte[] {0, 7, 0}, 0, 3, 100, HybridTime.MAX)).isNull();
    assertThat(memo.find(new byte[] {0, 8, 0}, 0, 3, 100, HybridTime.MAX)).isNotNull();
  }

  @Test
  void behavesLikeASetOfKeys() {
    SplittableRandom random = new SplittableRandom(1);
    for (int round = 0; round < 300; round++) {
      GapMemo tried = GapMemo.create(GapMemo.DEAD_MIN);
      TreeSet<Integer> dead = new TreeSet<>();
      for (int step = 0; step < 60; step++) {
        int a = random.nextInt(100);
        int b = random.nextInt(100);
        if (random.nextInt(3) == 0) {
          tried.born(key(a), 0, 1);
          dead.remove(a);
        } else if (a < b && random.nextInt(6) == 0) {
          tried.born(key(a), key(b));
          dead.subSet(a, b).clear();
        } else if (a < b) {
          Walk walk = random.nextBoolean() ? tried.walkForward(key(a)) : tried.walkBackward(key(b));
          tried.finish(walk, key(a), key(b), 100, HybridTime.MIN, 1 + random.nextInt(50));
          for (int k = a; k < b; k++) {
            dead.add(k);
          }
        }
        for (int k = 0; k < 100; k++) {
          boolean found = tried.find(key(k), 0, 1, 100, HybridTime.MAX) != null;
          assertThat(found)
              .as("round %d, step %d, key %d", round, step, k)
              .isEqualTo(dead.contains(k));
        }
      }
    }
  }

  private void learn(int from, int to, long time) {
    memo.finish(memo.walkForward(key(from)), key(from), key(to), time, HybridTime.MIN, to - from);
  }

  private Gap find(int key, long time) {
    return memo.find(key(key), 0, 1, time, HybridTime.MAX);
  }

  private static byte[] key(int key) {
    return new byte[] {(byte) key};
  }
}
