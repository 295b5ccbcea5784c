package dev.siltstone.base.bytes;

// Goal: order, prefixes and heads of byte ranges agree with their definitions.
// Method: random pairs that often share prefixes, against loops over single bytes.

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class BytesTest {
  private static final int PAIRS = 20_000;

  /** Two ranges of one array each, over few byte values, so that they often meet. */
  private static final class Pair {
    final byte[] a;
    final byte[] b;
    final byte[] aHost;
    final byte[] bHost;
    final int aOffset;
    final int bOffset;

    Pair(SplittableRandom random) {
      byte[] values = {0, 1, 127, -128, -1};
      a = new byte[random.nextInt(20)];
      b = new byte[random.nextInt(20)];
      int shared = random.nextInt(20);
      for (int i = 0; i < 20; i++) {
        byte value = values[random.nextInt(values.length)];
        byte other = i < shared ? value : values[random.nextInt(values.length)];
        if (i < a.length) {
          a[i] = value;
        }
        if (i < b.length) {
          b[i] = other;
        }
      }
      aOffset = random.nextInt(5);
      bOffset = random.nextInt(5);
      aHost = host(a, aOffset, random);
      bHost = host(b, bOffset, random);
    }

    private static byte[] host(byte[] bytes, int offset, SplittableRandom random) {
      byte[] host = new byte[offset + bytes.length + random.nextInt(5)];
      random.nextBytes(host);
      System.arraycopy(bytes, 0, host, offset, bytes.length);
      return host;
    }

    int mismatch() {
      int i = 0;
      while (i < a.length && i < b.length && a[i] == b[i]) {
        i++;
      }
      return i;
    }

    int order() {
      int i = mismatch();
      return i < a.length && i < b.length
          ? Integer.compare(a[i] & 0xFF, b[i] & 0xFF)
          : Integer.compare(a.length, b.length);
    }
  }

  private interface Check {
    void check(Pair pair);
  }

  private static void forPairs(Check check) {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < PAIRS; i++) {
      Pair pair = new Pair(random);
      try {
        check.check(pair);
      } catch (AssertionError e) {
        throw new AssertionError(Bytes.hex(pair.a) + " and " + Bytes.hex(pair.b), e);
      }
    }
  }

  @Test
  void orderIsUnsignedAndPrefixesComeFirst() {
    forPairs(
        pair -> {
          int order = pair.order();
          assertThat(Integer.signum(Bytes.compare(pair.a, pair.b))).isEqualTo(order);
          int ofRanges =
              Bytes.compare(
                  pair.aHost, pair.aOffset, pair.a.length, pair.bHost, pair.bOffset, pair.b.length);
          assertThat(Integer.signum(ofRanges)).isEqualTo(order);
          assertThat(
                  Bytes.equal(
                      pair.aHost,
                      pair.aOffset,
                      pair.a.length,
                      pair.bHost,
                      pair.bOffset,
                      pair.b.length))
              .isEqualTo(order == 0);
        });
  }

  @Test
  void sharedPrefixEndsAtTheFirstDifference() {
    forPairs(
        pair ->
            assertThat(
                    Bytes.sharedPrefix(
                        pair.aHost,
                        pair.aOffset,
                        pair.a.length,
                        pair.bHost,
                        pair.bOffset,
                        pair.b.length))
                .isEqualTo(pair.mismatch()));
  }

  @Test
  void startsWithComparesTheWholePrefix() {
    forPairs(
        pair ->
            assertThat(Bytes.startsWith(pair.aHost, pair.aOffset, pair.a.length, pair.b))
                .isEqualTo(pair.mismatch() == pair.b.length));
  }

  @Test
  void headsDecideTheOrderUnlessTheyAreEqual() {
    forPairs(
        pair -> {
          long a = Bytes.head(pair.aHost, pair.aOffset, pair.a.length);
          long b = Bytes.head(pair.bHost, pair.bOffset, pair.b.length);
          if (a != b) {
            assertThat(Long.compareUnsigned(a, b)).isEqualTo(pair.order());
          } else {
            // Padding looks like zero bytes, so equal heads mean equal bytes up to padding.
            assertThat(Arrays.copyOf(pair.a, 8)).isEqualTo(Arrays.copyOf(pair.b, 8));
          }
        });
  }

  @Test
  void headsAreStoredAsTheyWereRead() {
    forPairs(
        pair -> {
          int length = Math.min(8, pair.a.length);
          byte[] target = new byte[12];
          Arrays.fill(target, (byte) 77);
          Bytes.putHead(target, 2, Bytes.head(pair.aHost, pair.aOffset, length), length);
          byte[] expected = new byte[12];
          Arrays.fill(expected, (byte) 77);
          System.arraycopy(pair.a, 0, expected, 2, length);
          assertThat(target).isEqualTo(expected);
        });
  }

  @Test
  void nothingLiesBetweenAKeyAndItsSuccessor() {
    forPairs(
        pair -> {
          byte[] successor = Bytes.successor(pair.a);
          assertThat(Bytes.compare(pair.a, successor)).isNegative();
          // b is at most a or at least its successor.
          assertThat(pair.order() >= 0).isEqualTo(Bytes.compare(pair.b, successor) < 0);
        });
  }

  @Test
  void prefixEndIsTheFirstKeyBehindThePrefix() {
    forPairs(
        pair -> {
          byte[] end = Bytes.prefixEnd(pair.a);
          boolean begins = Bytes.startsWith(pair.b, 0, pair.b.length, pair.a);
          boolean within =
              Bytes.compare(pair.a, pair.b) <= 0 && (end == null || Bytes.compare(pair.b, end) < 0);
          assertThat(within).isEqualTo(begins);
        });
    assertThat(Bytes.prefixEnd(new byte[0])).isNull();
    assertThat(Bytes.prefixEnd(new byte[] {-1, -1})).isNull();
    assertThat(Bytes.prefixEnd(new byte[] {1, -1})).isEqualTo(new byte[] {2});
    assertThat(Bytes.prefixEnd(new byte[] {127})).isEqualTo(new byte[] {-128});
  }

  @Test
  void copiesAndHexAreOfTheRange() {
    byte[] bytes = {0, 1, -1, 16};
    assertThat(Bytes.copy(bytes, 1, 2)).isEqualTo(new byte[] {1, -1});
    assertThat(Bytes.hex(bytes)).isEqualTo("0001ff10");
    assertThat(Bytes.hex(bytes, 2, 1)).isEqualTo("ff");
  }
}
