package dev.siltstone.bench.work;

import dev.siltstone.base.bytes.Fixed;
import org.jspecify.annotations.Nullable;

/**
 * Pairs of the tombstone experiment: i to i times i, both as 8 little-endian bytes. So the byte
 * order of the keys is not their numeric order.
 */
public final class Pairs {
  private Pairs() {}

  /** The key of a number. */
  public static byte[] key(long number) {
    return bytes(number);
  }

  /** The value of a number: its square, modulo 2 to the 64. */
  public static byte[] value(long number) {
    return bytes(number * number);
  }

  /**
   * Demands that what a store gave is the value of a number, or nothing.
   *
   * @param present whether the pair is there
   * @throws WrongAnswerException if it is not so
   */
  public static void require(byte @Nullable [] found, long number, boolean present) {
    if (!present) {
      if (found != null) {
        throw new WrongAnswerException("pair " + number + " is there, though deleted");
      }
      return;
    }
    if (found == null) {
      throw new WrongAnswerException("pair " + number + " is missing");
    }
    if (found.length != Long.BYTES || Fixed.getLong(found, 0) != number * number) {
      throw new WrongAnswerException("pair " + number + " has a wrong value");
    }
  }

  private static byte[] bytes(long number) {
    byte[] bytes = new byte[Long.BYTES];
    Fixed.putLong(bytes, 0, number);
    return bytes;
  }
}
