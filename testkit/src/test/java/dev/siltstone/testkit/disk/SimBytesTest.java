package dev.siltstone.testkit.disk;

// Goal: paged bytes read and copy like an array.
// Method: random writes, cuts and copies against a plain array.

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.testkit.run.Seeds;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class SimBytesTest {

  @Test
  void pagedBytesAreLikeAnArray() {
    Seeds.forEach(
        1,
        200,
        seed -> {
          SplittableRandom random = seed.random("writes");
          SimBytes paged = new SimBytes();
          byte[] plain = new byte[0];
          SimBytes copy = paged.copy();
          byte[] plainCopy = plain;
          for (int i = 0; i < 40; i++) {
            if (random.nextInt(4) == 0) {
              int length = random.nextInt(20_000);
              paged.setLength(length);
              plain = Arrays.copyOf(plain, length);
            } else {
              byte[] bytes = new byte[random.nextInt(6_000)];
              random.nextBytes(bytes);
              int position = random.nextInt(plain.length + 2_000);
              paged.write(position, bytes, 0, bytes.length);
              if (bytes.length > 0) {
                plain = Arrays.copyOf(plain, Math.max(plain.length, position + bytes.length));
                System.arraycopy(bytes, 0, plain, position, bytes.length);
              }
            }
            assertThat(all(paged)).isEqualTo(plain);
            assertThat(all(copy)).isEqualTo(plainCopy);
            if (random.nextInt(5) == 0) {
              copy = paged.copy();
              plainCopy = plain.clone();
            }
          }
        });
  }

  private static byte[] all(SimBytes paged) {
    byte[] bytes = new byte[(int) paged.length()];
    assertThat(paged.read(0, bytes, 0, bytes.length)).isEqualTo(bytes.length);
    return bytes;
  }
}
