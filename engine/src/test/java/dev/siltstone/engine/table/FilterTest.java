package dev.siltstone.engine.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.testkit.run.Seeds;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

// Goal: a filter never denies a key that it was built of, and lets few others pass.
// Method: random sets of all small sizes and some large ones; rates measured over 200,000 absent
// keys.
final class FilterTest {
  private static final int ABSENT = 200_000;

  @Test
  void noFilterDeniesAKeyItHolds() {
    Seeds.forEach(
        1,
        400,
        seed -> {
          RandomGenerator random = seed.random("filter");
          int keys = 1 + (int) (seed.value() <= 200 ? seed.value() : random.nextInt(5_000));
          FilterWriter writer = new FilterWriter(1 + random.nextInt(16), random.nextBoolean());
          long[] hashes = random.longs(keys).toArray();
          for (long hash : hashes) {
            writer.add(hash);
            if (random.nextInt(4) == 0) {
              writer.add(hash);
            }
          }
          byte[] bytes = writer.finish();
          Filter filter = new Filter(bytes, bytes.length);
          assertThat(Arrays.stream(hashes)).allMatch(filter::mayContain);
          assertThat(writer.finish()).isEmpty();
        });
  }

  @Test
  void bloomFiltersOfTenBitsLetAboutOnePercentPass() throws BlockStructureException {
    assertThat(falsePositives(10, false, 50_000)).isBetween(0.005, 0.013);
    assertThat(falsePositives(16, false, 50_000)).isLessThan(0.003);
    assertThat(falsePositives(5, false, 50_000)).isLessThan(0.12);
  }

  @Test
  void fuseFiltersLetFourInAThousandPassAtNineBits() throws BlockStructureException {
    assertThat(falsePositives(10, true, 50_000)).isBetween(0.003, 0.005);
    assertThat(bytes(10, true, 50_000).length).isLessThan(50_000 * 10 / 8);
    assertThat(falsePositives(10, true, 100)).isLessThan(0.007);
  }

  private static byte[] bytes(int bitsPerKey, boolean fuse, int keys) {
    FilterWriter writer = new FilterWriter(bitsPerKey, fuse);
    byte[] key = new byte[Long.BYTES];
    for (int i = 0; i < keys; i++) {
      Fixed.putLong(key, 0, i);
      writer.add(Hash64.of(key, 0, key.length));
    }
    return writer.finish();
  }

  private static double falsePositives(int bitsPerKey, boolean fuse, int keys)
      throws BlockStructureException {
    byte[] bytes = bytes(bitsPerKey, fuse, keys);
    Filter filter = new Filter(bytes, bytes.length);
    byte[] key = new byte[Long.BYTES];
    int passed = 0;
    for (int i = 0; i < ABSENT; i++) {
      Fixed.putLong(key, 0, (long) keys + i);
      passed += filter.mayContain(Hash64.of(key, 0, key.length)) ? 1 : 0;
    }
    return (double) passed / ABSENT;
  }

  @Test
  void equalKeysDoNotDefeatAFuseFilter() throws BlockStructureException {
    FilterWriter writer = new FilterWriter(10, true);
    for (int i = 0; i < 300; i++) {
      writer.add(i % 3);
    }
    byte[] bytes = writer.finish();
    Filter filter = new Filter(bytes, bytes.length);
    assertThat(filter.mayContain(0) && filter.mayContain(1) && filter.mayContain(2)).isTrue();
  }

  @Test
  void aFuseFilterDependsOnTheSetOfItsKeysOnly() {
    Seeds.forEach(
        1,
        50,
        seed -> {
          RandomGenerator random = seed.random("keys");
          long[] keys = random.longs(1 + random.nextInt(3_000)).toArray();
          byte[] once = FuseFilter.build(keys, keys.length);
          long[] shuffled = keys.clone();
          for (int i = shuffled.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            long moved = shuffled[i];
            shuffled[i] = shuffled[other];
            shuffled[other] = moved;
          }
          assertThat(FuseFilter.build(shuffled, shuffled.length)).isEqualTo(once);
          long[] twice = LongStream.concat(Arrays.stream(keys), Arrays.stream(shuffled)).toArray();
          assertThat(FuseFilter.build(twice, twice.length)).isEqualTo(once);
        });
  }

  @Test
  void bytesThatAreNoFilterAreRefused() {
    byte[][] wrong = {
      {}, {1}, {6, 1}, {0, 3}, new byte[66], new byte[18], new byte[100],
    };
    wrong[4][65] = Filter.BLOOM;
    wrong[5][17] = Filter.FUSE;
    wrong[6][99] = Filter.FUSE;
    for (byte[] bytes : wrong) {
      assertThatThrownBy(() -> new Filter(bytes, bytes.length))
          .isInstanceOf(BlockStructureException.class);
    }
  }

  @Test
  void anyBytesThatPassForAFilterCanBeAsked() {
    Seeds.forEach(
        1,
        2_000,
        seed -> {
          RandomGenerator random = seed.random("bytes");
          byte[] bytes =
              bytes(1 + random.nextInt(16), random.nextBoolean(), random.nextInt(300) + 1);
          bytes[Math.max(0, bytes.length - 1 - random.nextInt(20))] = (byte) random.nextInt();
          try {
            Filter filter = new Filter(bytes, bytes.length);
            for (int i = 0; i < 50; i++) {
              filter.mayContain(random.nextLong());
            }
          } catch (BlockStructureException e) {
            assertThat(e.what()).isNotBlank();
          }
        });
  }
}
