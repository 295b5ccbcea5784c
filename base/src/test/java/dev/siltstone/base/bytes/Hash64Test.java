package dev.siltstone.base.bytes;

// Goal: the hash is wyhash final 4, whose values stand in filter blocks.
// Method: hash4j's implementation as the oracle, for every length up to 600 and at any offset.

import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class Hash64Test {

  @Test
  void hashesAreThoseOfTheReference() {
    Hasher64 reference = Hashing.wyhashFinal4();
    SplittableRandom random = new SplittableRandom(1);
    for (int length = 0; length <= 600; length++) {
      for (int i = 0; i < 8; i++) {
        byte[] bytes = new byte[length + 10];
        random.nextBytes(bytes);
        int offset = random.nextInt(10);
        assertThat(Hash64.of(bytes, offset, length))
            .as("%d bytes: %s", length, Bytes.hex(bytes, offset, length))
            .isEqualTo(reference.hashBytesToLong(bytes, offset, length));
      }
    }
  }

  @Test
  void valuesNeverChange() {
    byte[] bytes = new byte[100];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    assertThat(Hash64.of(bytes, 0, 0)).isEqualTo(0x0409638EE2BDE459L);
    assertThat(Hash64.of(bytes, 1, 3)).isEqualTo(0xC3E927B407F2B4B3L);
    assertThat(Hash64.of(bytes, 0, 100)).isEqualTo(0x283276BA3800B507L);
  }
}
