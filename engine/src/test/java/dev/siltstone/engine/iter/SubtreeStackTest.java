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

// Goal: top() is the greatest time pushed at any byte prefix of the key, for every walk in order.
// Method: random walks against a list of all (prefix, time) pushed so far.
final class SubtreeStackTest {
  private record Pushed(byte[] prefix, long time) {}

  @Test
  void topIsTheGreatestTimePushedAtAPrefixOfTheKey() {
    for (long seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      TreeSet<byte[]> keys = new TreeSet<>(Bytes::compare);
      for (int i = 0; i < 40; i++) {
        keys.add(key(random));
      }
      SubtreeStack stack = new SubtreeStack();
      List<Pushed> pushed = new ArrayList<>();
      for (byte[] key : keys) {
        byte[] padded = new byte[key.length + 4];
        System.arraycopy(key, 0, padded, 2, key.length);
        stack.enter(padded, 2, key.length);
        assertThat(stack.top()).as("seed %s", seed).isEqualTo(expected(pushed, key));
        for (int i = random.nextInt(4); i > 1; i--) {
          long time = 1 + random.nextInt(50);
          stack.push(key.length, time);
          pushed.add(new Pushed(key, time));
          assertThat(stack.top()).as("seed %s", seed).isEqualTo(expected(pushed, key));
        }
        Arrays.fill(padded, (byte) 0x77);
      }
    }
  }

  @Test
  void anEmptyKeyLiesAboveAllOthers() {
    SubtreeStack stack = new SubtreeStack();
    stack.enter(Bytes.EMPTY, 0, 0);
    stack.push(0, 9);
    stack.enter(new byte[] {(byte) 0xFF}, 0, 1);
    assertThat(stack.top()).isEqualTo(9);
    stack.clear();
    assertThat(stack.isEmpty()).isTrue();
    assertThat(stack.top()).isEqualTo(HybridTime.MIN);
  }

  private static long expected(List<Pushed> pushed, byte[] key) {
    long greatest = HybridTime.MIN;
    for (Pushed entry : pushed) {
      if (Bytes.startsWith(key, 0, key.length, entry.prefix)) {
        greatest = Math.max(greatest, entry.time);
      }
    }
    return greatest;
  }

  private static byte[] key(Random random) {
    byte[] key = new byte[random.nextInt(random.nextInt(10) == 0 ? 40 : 7)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(3) - 1);
    }
    return key;
  }
}
