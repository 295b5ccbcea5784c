package dev.siltstone.base.bytes;

// Goal: varints are LEB128, as short as can be, and damaged ones stay within their array.
// Method: bytes written by hand; random numbers of every length there and back; random bytes.

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class VarintTest {

  private static String encoded(long value) {
    byte[] target = new byte[Varint.LONG_BYTES_MAX];
    return Bytes.hex(target, 0, Varint.put(target, 0, value));
  }

  @Test
  void bytesAreThoseOfLeb128() {
    assertThat(encoded(0)).isEqualTo("00");
    assertThat(encoded(127)).isEqualTo("7f");
    assertThat(encoded(128)).isEqualTo("8001");
    // The example of the DWARF standard, section 7.6.
    assertThat(encoded(12_857)).isEqualTo("b964");
    assertThat(encoded(0xFFFFFFFFL)).isEqualTo("ffffffff0f");
    assertThat(encoded(-1)).isEqualTo("ffffffffffffffffff01");
  }

  @Test
  void numbersOfEveryLengthComeBack() {
    SplittableRandom random = new SplittableRandom(1);
    byte[] target = new byte[16];
    for (int bits = 0; bits <= 64; bits++) {
      for (int i = 0; i < 200; i++) {
        long value = bits == 0 ? 0 : random.nextLong() >>> (64 - bits);
        int end = Varint.put(target, 3, value);
        assertThat(end - 3).isEqualTo(Varint.length(value));
        assertThat(end - 3).isEqualTo(Math.max(1, (significantBits(value) + 6) / 7));
        assertThat(Varint.getLong(target, 3)).isEqualTo(value);
        int small = (int) value;
        end = Varint.put(target, 3, small);
        assertThat(end - 3).isEqualTo(Varint.length(small));
        assertThat(Varint.length(small)).isEqualTo(Varint.length(small & 0xFFFFFFFFL));
        assertThat(Varint.getInt(target, 3)).isEqualTo(small);
        assertThat(Varint.getLong(target, 3)).isEqualTo(small & 0xFFFFFFFFL);
      }
    }
  }

  private static int significantBits(long value) {
    return 64 - Long.numberOfLeadingZeros(value);
  }

  @Test
  void longestEncodingsAreAsDeclared() {
    assertThat(Varint.length(-1)).isEqualTo(Varint.INT_BYTES_MAX);
    assertThat(Varint.length(-1L)).isEqualTo(Varint.LONG_BYTES_MAX);
  }

  @Test
  void endlessOrCutVarintsAreRefused() {
    byte[] endless = HexFormat.of().parseHex("80".repeat(20));
    assertThatThrownBy(() -> Varint.getInt(endless, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Varint.getLong(endless, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Varint.getLong(endless, 18))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Varint.getInt(endless, 18))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void randomBytesGiveANumberOrTheOneException() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(12)];
      random.nextBytes(bytes);
      try {
        Varint.getLong(bytes, 0);
        Varint.getInt(bytes, 0);
      } catch (IndexOutOfBoundsException _) {
        // As the Javadoc says.
      }
    }
  }
}
