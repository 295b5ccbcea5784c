package dev.siltstone.base.bytes;

// Goal: fixed-width integers are little-endian at any alignment, and nothing beside them changes.
// Method: bytes written by hand; random numbers there and back.

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class FixedTest {

  @Test
  void bytesAreLittleEndian() {
    byte[] target = new byte[16];
    Fixed.putShort(target, 1, 0x1234_F00D);
    Fixed.putInt(target, 3, 0x89ABCDEF);
    Fixed.putLong(target, 7, 0xFEDCBA9876543210L);

    assertThat(Bytes.hex(target)).isEqualTo("00" + "0df0" + "efcdab89" + "1032547698badcfe" + "00");
    assertThat(Fixed.getShort(target, 1)).isEqualTo(0xF00D);
    assertThat(Fixed.getInt(target, 3)).isEqualTo(0x89ABCDEF);
    assertThat(Fixed.getLong(target, 7)).isEqualTo(0xFEDCBA9876543210L);
  }

  @Test
  void numbersComeBackFromAnyOffset() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 10_000; i++) {
      byte[] target = new byte[24];
      int offset = random.nextInt(17);
      long number = random.nextLong();
      Fixed.putLong(target, offset, number);
      assertThat(Fixed.getLong(target, offset)).isEqualTo(number);
      Fixed.putInt(target, offset, (int) number);
      assertThat(Fixed.getInt(target, offset)).isEqualTo((int) number);
      Fixed.putShort(target, offset, (int) number);
      assertThat(Fixed.getShort(target, offset)).isEqualTo((int) number & 0xFFFF);
    }
  }

  @Test
  void endOfTheArrayIsTheEnd() {
    assertThatThrownBy(() -> Fixed.getLong(new byte[8], 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Fixed.putInt(new byte[8], 5, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Fixed.getShort(new byte[8], -1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
