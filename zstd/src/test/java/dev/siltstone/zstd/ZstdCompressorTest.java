package dev.siltstone.zstd;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import dev.siltstone.testkit.run.Seeds;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Goal: what is compressed comes back; bytes that are no frame of the expected length fail as
 * damage, and nothing outside the ranges is touched. Method: random inputs at all levels, damaged
 * and cut frames, guard bytes around every range, and a frame written by hand.
 */
final class ZstdCompressorTest {
  private static final int GUARD = 16;
  private static final byte GUARD_BYTE = (byte) 0xA5;

  /** Magic, one segment of 5 bytes, a last raw block of 5 bytes. */
  private static final byte[] HELLO = HexFormat.of().parseHex("28b52ffd200529000068656c6c6f");

  private final ZstdCompressor zstd = new ZstdCompressor();

  @Test
  void idAndNameAreThoseOnDisk() {
    assertThat(zstd.id()).isEqualTo(2);
    assertThat(zstd.name()).isEqualTo("zstd");
  }

  @Test
  void readsTheFrameOfTheSpecification() throws IOException {
    assertThat(decompress(HELLO, 5)).isEqualTo("hello".getBytes(US_ASCII));
  }

  @Test
  void boundIsThatOfTheLibrary() {
    for (int length : new int[] {0, 1, 1 << 10, (128 << 10) - 1, 128 << 10, 1 << 20, 1 << 30}) {
      assertThat((long) zstd.compressedBytesMax(length)).isEqualTo(Zstd.compressBound(length));
    }
  }

  @Test
  void roundTripsAtEveryLevel() {
    Seeds.forEach(
        1,
        300,
        seed -> {
          RandomGenerator random = seed.random("zstd");
          byte[] input = randomInput(random, random.nextInt(40_000));
          ZstdCompressor compressor =
              new ZstdCompressor(1 + random.nextInt(ZstdCompressor.LEVEL_MAX));
          assertThat(decompress(compress(compressor, input), input.length)).isEqualTo(input);
        });
    assertThatThrownBy(() -> new ZstdCompressor(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ZstdCompressor(23)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theEmptyBlockAndTheIncompressibleOneRoundTrip() throws IOException {
    byte[] noise = new byte[70_000];
    Seeds.forEach(1, 1, seed -> seed.random("noise").nextBytes(noise));
    for (byte[] input : new byte[][] {new byte[0], new byte[1], noise}) {
      assertThat(decompress(compress(zstd, input), input.length)).isEqualTo(input);
    }
  }

  @Test
  void anotherLengthThanExpectedIsRefused() {
    for (int length : new int[] {0, 4, 6, 1000}) {
      assertThatThrownBy(() -> decompress(HELLO, length)).isInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> decompress(Arrays.copyOf(HELLO, HELLO.length + 1), 5))
        .isInstanceOf(IOException.class);
  }

  @Test
  void damagedFramesFailOrGiveTheLengthAndTouchNothingElse() {
    Seeds.forEach(
        1,
        3_000,
        seed -> {
          RandomGenerator random = seed.random("damage");
          byte[] input = randomInput(random, 1 + random.nextInt(3_000));
          byte[] frame = compress(zstd, input);
          for (int i = 0; i <= random.nextInt(3); i++) {
            frame[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(8));
          }
          byte[] cut = Arrays.copyOf(frame, frame.length - random.nextInt(2) * random.nextInt(9));
          try {
            // Without a checksum some damage gives other bytes; blocks have their own.
            assertThat(decompress(cut, input.length)).hasSize(input.length);
          } catch (IOException e) {
            assertThat(e).hasMessageContaining("Zstandard frame");
          }
        });
  }

  private static byte[] compress(ZstdCompressor compressor, byte[] input) {
    int max = compressor.compressedBytesMax(input.length);
    byte[] source = guarded(input, input.length);
    byte[] target = guarded(new byte[0], max);
    int length = compressor.compress(source, GUARD, input.length, target, GUARD);
    assertThat(length).isBetween(1, max);
    checkGuards(target, max);
    return Arrays.copyOfRange(target, GUARD, GUARD + length);
  }

  private byte[] decompress(byte[] frame, int length) throws IOException {
    byte[] source = guarded(frame, frame.length);
    byte[] target = guarded(new byte[0], length);
    try {
      zstd.decompress(source, GUARD, frame.length, target, GUARD, length);
    } finally {
      checkGuards(target, length);
    }
    return Arrays.copyOfRange(target, GUARD, GUARD + length);
  }

  private static byte[] guarded(byte[] bytes, int length) {
    byte[] guarded = new byte[length + 2 * GUARD];
    Arrays.fill(guarded, GUARD_BYTE);
    System.arraycopy(bytes, 0, guarded, GUARD, bytes.length);
    return guarded;
  }

  private static void checkGuards(byte[] guarded, int length) {
    for (int i = 0; i < GUARD; i++) {
      assertThat(guarded[i]).isEqualTo(GUARD_BYTE);
      assertThat(guarded[GUARD + length + i]).isEqualTo(GUARD_BYTE);
    }
  }

  private static byte[] randomInput(RandomGenerator random, int length) {
    byte[] input = new byte[length];
    int letters = 1 + random.nextInt(256);
    for (int i = 0; i < length; i++) {
      boolean again = i > 20 && random.nextInt(8) > 0;
      input[i] = again ? input[i - 20] : (byte) random.nextInt(letters);
    }
    return input;
  }
}
