package dev.siltstone.engine.iter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

// Goal: fragments answer as the range deletes they were made of, in a form that does not depend on
// how they were cut before. Method: random range deletes over a small key space against a list.
final class FragmentedRangeTombstonesTest {
  private record RangeDelete(byte[] lower, byte[] upper, long time) {
    boolean covers(byte[] key) {
      return Bytes.compare(lower, key) <= 0 && Bytes.compare(key, upper) < 0;
    }
  }

  @Test
  void fragmentsAnswerAsTheRangeDeletesTheyWereMadeOf() {
    for (long seed = 0; seed < 3_000; seed++) {
      Random random = new Random(seed);
      List<RangeDelete> model = randomDeletes(random);
      FragmentedRangeTombstones fragments = fragment(model);
      checkShape(seed, fragments);
      checkAnswers(seed, fragments, model, null, null);
    }
  }

  @Test
  void unionOfAnyPartsInAnyCutIsTheSameAsAllAtOnce() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      List<RangeDelete> model = randomDeletes(random);
      FragmentedRangeTombstones whole = fragment(model);
      List<RangeTombstones> parts = new ArrayList<>(List.of(RangeTombstones.NONE));
      int count = 1 + random.nextInt(4);
      for (int i = 0; i < count; i++) {
        List<RangeDelete> part = new ArrayList<>();
        for (int j = i; j < model.size(); j += count) {
          part.add(model.get(j));
        }
        FragmentedRangeTombstones fragments = fragment(part);
        byte[] cut = key(random);
        parts.add(fragments.clip(null, cut));
        parts.add(fragments.clip(cut, null));
      }
      FragmentedRangeTombstones union = FragmentedRangeTombstones.union(parts, HybridTime.MIN);
      assertThat(text(union)).as("seed %s", seed).isEqualTo(text(whole));
    }
  }

  @Test
  void clipKeepsExactlyWhatLiesWithinTheBounds() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      List<RangeDelete> model = randomDeletes(random);
      byte[] lower = random.nextInt(4) == 0 ? null : key(random);
      byte[] upper = random.nextInt(4) == 0 ? null : key(random);
      FragmentedRangeTombstones clipped = fragment(model).clip(lower, upper);
      checkShape(seed, clipped);
      checkAnswers(seed, clipped, model, lower, upper);
    }
  }

  @Test
  void emptyRangesCountForNothing() {
    FragmentedRangeTombstones.Builder builder = new FragmentedRangeTombstones.Builder();
    builder.add(new byte[] {2}, new byte[] {2}, 5);
    builder.add(new byte[] {3}, new byte[] {1}, 5);
    assertThat(builder.build().isEmpty()).isTrue();
    assertThat(builder.build().newestCovering(new byte[] {2}, 0, 1, 9)).isEqualTo(HybridTime.MIN);
  }

  private static void checkShape(long seed, FragmentedRangeTombstones fragments) {
    for (int i = 0; i < fragments.size(); i++) {
      assertThat(Bytes.compare(fragments.lower(i), fragments.upper(i))).isNegative();
      long[] times = fragments.times(i);
      assertThat(times).isNotEmpty();
      for (int j = 1; j < times.length; j++) {
        assertThat(times[j]).as("seed %s", seed).isLessThan(times[j - 1]);
      }
      if (i > 0) {
        int touch = Bytes.compare(fragments.upper(i - 1), fragments.lower(i));
        assertThat(touch).as("seed %s", seed).isNotPositive();
        if (touch == 0) {
          assertThat(fragments.times(i - 1)).as("seed %s", seed).isNotEqualTo(times);
        }
      }
    }
  }

  private static void checkAnswers(
      long seed,
      FragmentedRangeTombstones fragments,
      List<RangeDelete> model,
      byte[] lower,
      byte[] upper) {
    for (byte[] key : allKeys()) {
      boolean inside =
          (lower == null || Bytes.compare(lower, key) <= 0)
              && (upper == null || Bytes.compare(key, upper) < 0);
      for (long atTime = 0; atTime < 9; atTime++) {
        long expected = HybridTime.MIN;
        for (RangeDelete delete : model) {
          if (inside && delete.time <= atTime && delete.covers(key)) {
            expected = Math.max(expected, delete.time);
          }
        }
        byte[] padded = Arrays.copyOf(key, key.length + 2);
        assertThat(fragments.newestCovering(padded, 0, key.length, atTime))
            .as("seed %s key %s at %s", seed, Bytes.hex(key), atTime)
            .isEqualTo(expected);
      }
    }
  }

  private static FragmentedRangeTombstones fragment(List<RangeDelete> deletes) {
    FragmentedRangeTombstones.Builder builder = new FragmentedRangeTombstones.Builder();
    for (RangeDelete delete : deletes) {
      builder.add(delete.lower, delete.upper, delete.time);
    }
    return builder.build();
  }

  private static String text(FragmentedRangeTombstones fragments) {
    StringBuilder text = new StringBuilder();
    fragments.forEach(
        HybridTime.MIN,
        (lower, upper, times) ->
            text.append(Bytes.hex(lower))
                .append('-')
                .append(Bytes.hex(upper))
                .append(Arrays.toString(times)));
    return text.toString();
  }

  private static List<RangeDelete> randomDeletes(Random random) {
    List<RangeDelete> deletes = new ArrayList<>();
    int count = random.nextInt(8);
    for (int i = 0; i < count; i++) {
      deletes.add(new RangeDelete(key(random), key(random), 1 + random.nextInt(7)));
    }
    return deletes;
  }

  private static byte[] key(Random random) {
    byte[] key = new byte[random.nextInt(3)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(4) - 1);
    }
    return key;
  }

  private static List<byte[]> allKeys() {
    TreeSet<byte[]> keys = new TreeSet<>(Bytes::compare);
    keys.add(Bytes.EMPTY);
    for (int a = -1; a < 3; a++) {
      keys.add(new byte[] {(byte) a});
      for (int b = -1; b < 3; b++) {
        keys.add(new byte[] {(byte) a, (byte) b});
      }
    }
    return List.copyOf(keys);
  }
}
