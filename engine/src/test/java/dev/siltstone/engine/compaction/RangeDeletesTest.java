package dev.siltstone.engine.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

// Goal: what range deletes hide at the cutoff, key by key and for all keys below a key.
// Method: random range deletes against the definition, over all keys of a small space.
final class RangeDeletesTest {
  private static final byte[] ALPHABET = {0, 1, (byte) 0xFF};
  private static final int KEY_BYTES_MAX = 3;

  @Test
  void keysAndSubtreesAreCoveredAsTheDefinitionSays() {
    TreeSet<byte[]> keys = new TreeSet<>(Bytes::compare);
    addKeys(keys, Bytes.EMPTY);
    for (long seed = 0; seed < 3_000; seed++) {
      Random random = new Random(seed);
      RandomTree.Content content = new RandomTree.Content();
      for (int i = random.nextInt(7); i > 0; i--) {
        byte[] a = key(random);
        byte[] b = key(random);
        content
            .rangeDeletes()
            .add(
                new RandomTree.RangeDelete(
                    Bytes.compare(a, b) < 0 ? a : b,
                    Bytes.compare(a, b) < 0 ? b : a,
                    1 + random.nextInt(9)));
      }
      long cutoff = random.nextInt(10);
      long time = random.nextInt(8);
      RangeDeletes deletes = new RangeDeletes(content.fragments(), cutoff, OlderData.NONE);
      for (byte[] key : keys) {
        long newest = deletes.newestCovering(key, 0, key.length);
        assertThat(newest).as("seed %s", seed).isEqualTo(newest(content, key, cutoff));
        if (newest > time) {
          boolean all = true;
          for (byte[] below : keys) {
            // Keys of the greatest length stand for all their extensions: no bound lies below one.
            all &=
                !Bytes.startsWith(below, 0, below.length, key)
                    || newest(content, below, cutoff) > time;
          }
          assertThat(deletes.coversSubtree(key, 0, key.length, time))
              .as("seed %s, key %s, time %s", seed, Bytes.hex(key), time)
              .isEqualTo(all);
        }
      }
    }
  }

  @Test
  void timesAfterTheCutoffLiveOnAndTheNewestBeforeItOnlyWhileItMayHide() {
    FragmentedRangeTombstones.Builder builder = new FragmentedRangeTombstones.Builder();
    builder.add(new byte[] {1}, new byte[] {5}, new long[] {9, 8, 6, 4, 2});
    FragmentedRangeTombstones fragments = builder.build();
    RangeDeletes alone = new RangeDeletes(fragments, 6, OlderData.NONE);
    assertThat(alone.survivors().times(0)).containsExactly(9, 8);
    assertThat(alone.timesDropped()).isEqualTo(3);
  }

  private static long newest(RandomTree.Content content, byte[] key, long cutoff) {
    long newest = HybridTime.MIN;
    for (RandomTree.RangeDelete delete : content.rangeDeletes()) {
      if (delete.time() <= cutoff && delete.covers(key)) {
        newest = Math.max(newest, delete.time());
      }
    }
    return newest;
  }

  private static void addKeys(TreeSet<byte[]> keys, byte[] prefix) {
    keys.add(prefix);
    for (int i = 0; i < ALPHABET.length && prefix.length < KEY_BYTES_MAX; i++) {
      byte[] key = Bytes.successor(prefix);
      key[prefix.length] = ALPHABET[i];
      addKeys(keys, key);
    }
  }

  private static byte[] key(Random random) {
    byte[] key = new byte[random.nextInt(KEY_BYTES_MAX + 1)];
    for (int i = 0; i < key.length; i++) {
      key[i] = ALPHABET[random.nextInt(ALPHABET.length)];
    }
    return key;
  }
}
