package dev.siltstone.engine.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Hash64;
import org.junit.jupiter.api.Test;

/**
 * Goal: the filter denies no key that was added, and few others. Method: numbers as keys, for
 * filters of one layer and of two, filled as meant and far beyond.
 */
final class KeyFilterTest {
  @Test
  void deniesNoKeyAndFewOthers() {
    assertThat(wrongPerThousand(1000, 1000)).isLessThan(12);
    assertThat(wrongPerThousand(100, 100)).isLessThan(12);
    for (int keys = 1; keys <= 20_000; keys = keys * 5 / 4 + 1) {
      assertThat(wrongPerThousand(1_000_000, keys)).as("%d keys", keys).isLessThan(16);
    }
    assertThat(wrongPerThousand(100_000, 10_000)).isLessThan(12);
    assertThat(wrongPerThousand(300_000, 300_000)).isLessThan(20);
  }

  @Test
  void fillsUpGracefully() {
    assertThat(wrongPerThousand(100_000, 400_000)).isBetween(30L, 600L);
    assertThat(wrongPerThousand(0, 10_000)).isGreaterThan(900);
  }

  @Test
  void growsWithItsKeys() {
    KeyFilter filter = new KeyFilter(1_000_000);
    assertThat(filter.bytes()).isEqualTo(1 << 10);
    byte[] key = new byte[8];
    for (int i = 0; i < 16_384; i++) {
      filter.add(hash(key, i));
      assertThat(filter.bytes()).isLessThanOrEqualTo(Math.max(1 << 10, 32L * (i + 1)));
    }
    assertThat(filter.bytes()).isEqualTo(32 << 10);
    filter.add(hash(key, 16_384));
    assertThat(filter.bytes()).isEqualTo((32 << 10) + 2_000_000);
  }

  private static long wrongPerThousand(int meant, int keys) {
    KeyFilter filter = new KeyFilter(meant);
    add(filter, keys);
    byte[] key = new byte[8];
    for (int i = 0; i < keys; i++) {
      assertThat(filter.mayContain(hash(key, i))).isTrue();
    }
    long wrong = 0;
    for (int i = 0; i < 100_000; i++) {
      wrong += filter.mayContain(hash(key, -1 - i)) ? 1 : 0;
    }
    return wrong / 100;
  }

  private static void add(KeyFilter filter, int keys) {
    byte[] key = new byte[8];
    for (int i = 0; i < keys; i++) {
      filter.add(hash(key, i));
    }
  }

  private static long hash(byte[] key, long number) {
    Bytes.putHead(key, 0, number, 8);
    return Hash64.of(key, 0, 8);
  }
}
