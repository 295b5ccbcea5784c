package dev.siltstone.base.bytes;

// Goal: the checksum is CRC-32C, and binding tells places apart. Both are on disk.
// Method: the vectors of the RFC; a golden value; counting collisions of near places.

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class Crc32cTest {

  @Test
  void checksumsAreThoseOfRfc3720() {
    // Section B.4.
    byte[] bytes = new byte[32];
    assertThat(Crc32c.of(bytes, 0, 32)).isEqualTo(0x8A9136AA);
    Arrays.fill(bytes, (byte) -1);
    assertThat(Crc32c.of(bytes, 0, 32)).isEqualTo(0x62A8AB43);
    for (int i = 0; i < 32; i++) {
      bytes[i] = (byte) i;
    }
    assertThat(Crc32c.of(bytes, 0, 32)).isEqualTo(0x46DD794E);
    byte[] digits = "x123456789x".getBytes(US_ASCII);
    assertThat(Crc32c.of(digits, 1, 9)).isEqualTo(0xE3069283);
    assertThat(Crc32c.of(digits, 0, 0)).isZero();
  }

  @Test
  void boundChecksumsNeverChange() {
    assertThat(Crc32c.bind(0, 0, 0)).isZero();
    assertThat(Crc32c.bind(0x12345678, 42, 4096)).isEqualTo(0xF4D49F0C);
  }

  @Test
  void nearPlacesAndFilesAreToldApart() {
    Set<Integer> seen = new HashSet<>();
    int places = 0;
    for (long file = 0; file < 50; file++) {
      for (long position = 0; position < 200 * 4096; position += 4096) {
        seen.add(Crc32c.bind(0x12345678, file, position));
        places++;
      }
    }
    // By chance alone, 10,000 numbers of 32 bits have 0.01 collisions.
    assertThat(seen.size()).isGreaterThanOrEqualTo(places - 1);
  }

  @Test
  void bindingKeepsChecksumsApart() {
    for (int bit = 0; bit < 32; bit++) {
      assertThat(Crc32c.bind(1 << bit, 7, 9)).isEqualTo(Crc32c.bind(0, 7, 9) ^ (1 << bit));
    }
  }
}
