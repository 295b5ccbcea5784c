package dev.siltstone.engine.lz4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.testkit.run.Seeds;
import java.io.IOException;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

// Goal: what we compress, we and lz4-java restore, and what lz4-java compresses, we restore; bytes
// that are no compression of the expected length fail, and nothing outside the ranges is touched.
// Method: random inputs of many kinds in both directions; damaged and random inputs, compared with
// what lz4-java makes of them; guard bytes around every range.
final class Lz4Test {
  private static final int GUARD = 40;
  private static final byte GUARD_BYTE = (byte) 0xA5;

  private final Lz4 lz4 = new Lz4();
  private final LZ4Factory oracle = LZ4Factory.safeInstance();

  @Test
  void roundTripsWithLz4JavaInBothDirections() {
    Seeds.forEach(1, 1_500, seed -> roundTrip(seed.random("lz4"), 3_000));
  }

  @Test
  @Tag("slow")
  void largeInputsRoundTripWithLz4JavaInBothDirections() {
    Seeds.forEach(9_000, 60, seed -> roundTrip(seed.random("lz4"), 400_000));
  }

  @Test
  void everyLengthUpToAHundredRoundTrips() throws IOException {
    for (int length = 0; length <= 100; length++) {
      for (int period = 1; period <= 12; period++) {
        byte[] input = new byte[length];
        for (int i = 0; i < length; i++) {
          input[i] = (byte) (i % period);
        }
        roundTrip(input);
      }
    }
  }

  @Test
  void inputsAroundTheSmallTableRoundTrip() throws IOException {
    for (int length = (1 << 16) - 3; length <= (1 << 16) + 3; length++) {
      byte[] input = new byte[length];
      Arrays.fill(input, 100, length - 100, (byte) 7);
      System.arraycopy(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}, 0, input, 0, 8);
      System.arraycopy(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}, 0, input, length - 30, 8);
      roundTrip(input);
    }
  }

  private void roundTrip(RandomGenerator random, int lengthMax) throws IOException {
    roundTrip(randomInput(random, random.nextInt(lengthMax)));
  }

  /** Bytes of one of several kinds: random, zeros, text, repeats from near and far, mixed. */
  private static byte[] randomInput(RandomGenerator random, int length) {
    byte[] input = new byte[length];
    int kind = random.nextInt(6);
    int at = 0;
    while (at < length) {
      int run = Math.min(length - at, 1 + random.nextInt(1 << random.nextInt(12)));
      switch (kind == 5 ? random.nextInt(5) : kind) {
        case 0 -> {
          for (int i = 0; i < run; i++) {
            input[at + i] = (byte) random.nextInt();
          }
        }
        case 1 -> Arrays.fill(input, at, at + run, (byte) 0);
        case 2 -> {
          for (int i = 0; i < run; i++) {
            input[at + i] = (byte) "etaoin shrdlu".charAt(random.nextInt(13));
          }
        }
        case 3 -> {
          int distance = 1 + random.nextInt(Math.max(1, Math.min(at, 20)));
          for (int i = 0; i < run; i++) {
            input[at + i] = at + i < distance ? (byte) i : input[at + i - distance];
          }
        }
        default -> {
          int from = at == 0 ? 0 : random.nextInt(at);
          for (int i = 0; i < run; i++) {
            input[at + i] = at == 0 ? (byte) random.nextInt() : input[from + i];
          }
        }
      }
      at += run;
    }
    return input;
  }

  private void roundTrip(byte[] input) throws IOException {
    int max = lz4.compressedBytesMax(input.length);
    byte[] source = guarded(input, input.length);
    byte[] packed = guarded(new byte[0], max);
    int length = lz4.compress(source, GUARD, input.length, packed, GUARD);
    assertThat(length).isBetween(1, max);
    checkGuards(packed, max);
    byte[] compressed = Arrays.copyOfRange(packed, GUARD, GUARD + length);

    assertThat(decompress(compressed, input.length)).isEqualTo(input);
    byte[] theirs = new byte[input.length];
    int read = oracle.fastDecompressor().decompress(compressed, 0, theirs, 0, input.length);
    assertThat(read).isEqualTo(length);
    assertThat(theirs).isEqualTo(input);

    byte[] byThem = oracle.fastCompressor().compress(input);
    assertThat(decompress(byThem, input.length)).isEqualTo(input);
    // As good as theirs, within what their larger table brings.
    assertThat(length).isLessThanOrEqualTo(byThem.length + byThem.length / 8 + 64);
  }

  private byte[] decompress(byte[] compressed, int length) throws IOException {
    byte[] source = guarded(compressed, compressed.length);
    byte[] target = guarded(new byte[0], length);
    try {
      lz4.decompress(source, GUARD, compressed.length, target, GUARD, length);
    } finally {
      checkGuards(target, length);
    }
    return Arrays.copyOfRange(target, GUARD, GUARD + length);
  }

  private static byte[] guarded(byte[] content, int length) {
    byte[] bytes = new byte[GUARD + length + GUARD];
    Arrays.fill(bytes, GUARD_BYTE);
    System.arraycopy(content, 0, bytes, GUARD, content.length);
    return bytes;
  }

  private static void checkGuards(byte[] bytes, int length) {
    for (int i = 0; i < GUARD; i++) {
      assertThat(bytes[i]).isEqualTo(GUARD_BYTE);
      assertThat(bytes[GUARD + length + i]).isEqualTo(GUARD_BYTE);
    }
  }

  @Test
  void damagedInputGivesAnIoExceptionOrBytesAndNothingElse() {
    Seeds.forEach(
        20_000,
        1_500,
        seed -> {
          RandomGenerator random = seed.random("damage");
          byte[] input = randomInput(random, random.nextInt(600));
          byte[] compressed = oracle.fastCompressor().compress(input);
          for (int i = 0; i < 20; i++) {
            byte[] damaged = damage(random, compressed);
            int length =
                random.nextInt(3) == 0 ? random.nextInt(2 * input.length + 1) : input.length;
            checkLikeOracle(damaged, length);
          }
        });
  }

  private static byte[] damage(RandomGenerator random, byte[] compressed) {
    byte[] damaged = compressed.clone();
    switch (random.nextInt(4)) {
      case 0 -> damaged = Arrays.copyOf(damaged, random.nextInt(damaged.length + 1));
      case 1 -> damaged = Arrays.copyOf(damaged, damaged.length + 1 + random.nextInt(20));
      case 2 -> {
        damaged = new byte[random.nextInt(60)];
        random.nextBytes(damaged);
      }
      default -> {
        for (int i = 0; i <= random.nextInt(4); i++) {
          damaged[random.nextInt(damaged.length)] = (byte) (random.nextInt(3) * 127);
        }
      }
    }
    return damaged;
  }

  private void checkLikeOracle(byte[] damaged, int length) {
    byte[] ours = null;
    String refusal = "";
    try {
      ours = decompress(damaged, length);
    } catch (IOException e) {
      refusal = e.getMessage();
      assertThat(refusal).startsWith("LZ4: ");
    }
    byte[] theirs = null;
    try {
      byte[] restored = oracle.safeDecompressor().decompress(damaged, length);
      theirs = restored.length == length ? restored : null;
    } catch (LZ4Exception e) {
      // Refused.
    }
    // They also refuse some inputs that break the rules for the end of a block, which we take; and
    // they take a distance of 0, which the format calls an error.
    if (theirs != null && !refusal.startsWith("LZ4: distance 0 ")) {
      assertThat(Arrays.equals(ours, theirs)).as("same bytes as lz4-java").isTrue();
    }
  }

  @Test
  void aLengthThatWouldOverflowIsRefused() {
    byte[] endless = new byte[100_000];
    Arrays.fill(endless, (byte) 0xFF);
    assertThatThrownBy(() -> decompress(endless, 10)).isInstanceOf(IOException.class);
  }

  @Test
  void idAndNameNeverChange() {
    assertThat(lz4.id()).isEqualTo(1);
    assertThat(lz4.name()).isEqualTo("lz4");
  }

  @Test
  void aKnownBlockIsRestored() throws IOException {
    // By hand from the format: 3 literals, then 9 bytes from 3 back, then 5 literals.
    byte[] block = {0x35, 'a', 'b', 'c', 3, 0, 0x50, 'd', 'e', 'f', 'g', 'h'};
    assertThat(new String(decompress(block, 17), java.nio.charset.StandardCharsets.US_ASCII))
        .isEqualTo("abcabcabcabcdefgh");
  }
}
