package dev.siltstone.engine.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Crc32c;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

// Goal: the checksum of a range is the one that CRC32C gives for its bytes.
// Method: random arrays and ranges, and all ranges near block boundaries.
class RangeCrcTest {
  @Test
  void agreesWithTheDirectChecksumOnRandomRanges() {
    long seed = 7;
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 40; round++) {
      byte[] bytes = new byte[random.nextInt(1, 200_000)];
      random.nextBytes(bytes);
      RangeCrc crcs = new RangeCrc(bytes);
      for (int i = 0; i < 50; i++) {
        int from = random.nextInt(bytes.length);
        int to = random.nextInt(from, bytes.length + 1);
        assertThat(crcs.of(from, to))
            .as("seed %d, round %d, [%d, %d)", seed, round, from, to)
            .isEqualTo(Crc32c.of(bytes, from, to - from));
      }
    }
  }

  @Test
  void agreesAroundBlockBoundaries() {
    byte[] bytes = new byte[5 * 4096];
    new SplittableRandom(1).nextBytes(bytes);
    RangeCrc crcs = new RangeCrc(bytes);
    for (int from : new int[] {0, 1, 4095, 4096, 4097, 8191, 8192}) {
      for (int to : new int[] {8192, 12287, 12288, 12289, 16384, 20479, 20480}) {
        assertThat(crcs.of(from, to)).isEqualTo(Crc32c.of(bytes, from, to - from));
      }
    }
  }
}
