package dev.siltstone.bench.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

// Goal: the data are what their drawings say, and a value betrays any change.
// Method: golden bytes for keys and pairs; every byte of a value damaged in turn.
final class DataTest {
  private static final HexFormat HEX = HexFormat.of();

  @Test
  void keysOrderAsTheirNumbersAndMissingOnesLieBetween() {
    assertThat(HEX.formatHex(Keys.key(0x0102))).isEqualTo("00000000000002043030303030303030");
    for (long number : new long[] {0, 1, 127, 128, 255, 65_535, 1L << 40}) {
      assertThat(Arrays.compareUnsigned(Keys.key(number), Keys.missing(number))).isNegative();
      assertThat(Arrays.compareUnsigned(Keys.missing(number), Keys.key(number + 1))).isNegative();
      assertThat(Keys.is(Keys.key(number), number)).isTrue();
      assertThat(Keys.is(Keys.missing(number), number)).isFalse();
    }
  }

  @Test
  void pairsAreLittleEndianSquares() {
    assertThat(HEX.formatHex(Pairs.key(0x0102))).isEqualTo("0201000000000000");
    assertThat(HEX.formatHex(Pairs.value(0x0102))).isEqualTo("0404010000000000");
    assertThat(HEX.formatHex(Pairs.value(1L << 32 | 1))).isEqualTo("0100000002000000");
    Pairs.require(Pairs.value(7), 7, true);
    Pairs.require(null, 7, false);
    assertThatThrownBy(() -> Pairs.require(null, 7, true)).hasMessageContaining("missing");
    assertThatThrownBy(() -> Pairs.require(Pairs.value(7), 7, false)).hasMessageContaining("there");
    assertThatThrownBy(() -> Pairs.require(Pairs.value(8), 7, true)).hasMessageContaining("wrong");
  }

  @Test
  void aValueBetraysEveryChange() {
    Values values = new Values(100);
    byte[] value = values.value(42, 3);
    values.require(value, 42);
    for (int i = 0; i < value.length; i++) {
      byte[] damaged = value.clone();
      damaged[i] ^= 1;
      assertThatThrownBy(() -> values.require(damaged, 42))
          .as("byte %d", i)
          .isInstanceOf(WrongAnswerException.class);
    }
    assertThatThrownBy(() -> values.require(null, 42)).hasMessageContaining("missing");
    assertThatThrownBy(() -> values.require(Arrays.copyOf(value, 99), 42))
        .hasMessageContaining("99 bytes");
  }

  @Test
  void valuesAreTheSameInEveryProcessAndCompressToAboutHalf() {
    byte[] many = new byte[100 * 1000];
    Values values = new Values(100);
    for (int i = 0; i < 1000; i++) {
      System.arraycopy(values.value(i, 0), 0, many, i * 100, 100);
    }
    Deflater deflater = new Deflater();
    deflater.setInput(many);
    deflater.finish();
    int compressed = deflater.deflate(new byte[many.length]);

    assertThat(values.value(5, 1)).isEqualTo(new Values(100).value(5, 1));
    assertThat(values.value(5, 1)).isNotEqualTo(values.value(5, 0));
    assertThat(compressed).isBetween(many.length * 35 / 100, many.length * 65 / 100);
  }

  @Test
  void scramblingHitsEveryNumberOnce() {
    for (long size : new long[] {1, 2, 3, 4, 5, 63, 64, 65, 1000, 4097}) {
      for (long seed : new long[] {0, 1, -1}) {
        Scramble scramble = new Scramble(size, seed);
        BitSet hit = new BitSet();
        for (long i = 0; i < size; i++) {
          hit.set(Math.toIntExact(scramble.at(i)));
        }
        assertThat(hit.cardinality()).as("size %d, seed %d", size, seed).isEqualTo((int) size);
        assertThat(hit.length()).isEqualTo((int) size);
      }
    }
    assertThatThrownBy(() -> new Scramble(0, 1)).hasMessageContaining("positive");
  }
}
