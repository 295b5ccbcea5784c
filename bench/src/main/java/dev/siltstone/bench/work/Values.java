package dev.siltstone.bench.work;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Values that tell whether they are right, and that compress to about half.
 *
 * <pre>
 *   0            8                12
 *   | number, LE | generation, LE | a stretch of the pool, its place by number and generation |
 * </pre>
 *
 * The generation counts how often a key was written. The pool is a fixed MiB in which every 100
 * bytes hold 50 random ones, each half twice, as in db_bench. Making a value is a copy.
 */
public final class Values {
  /** The smallest value. */
  public static final int HEADER_BYTES = 12;

  private static final int POOL_BYTES = 1 << 20;
  private static final int PIECE_BYTES = 100;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] pool;
  private final int valueBytes;

  /** Values of a size; equal sizes give equal values, in every process. */
  public Values(int valueBytes) {
    this.valueBytes = valueBytes;
    pool = new byte[POOL_BYTES + Math.max(valueBytes, PIECE_BYTES)];
    for (int at = 0; at < pool.length; at++) {
      boolean repeated = at % PIECE_BYTES >= PIECE_BYTES / 2;
      pool[at] =
          repeated ? pool[at - PIECE_BYTES / 2] : (byte) (' ' + Scramble.mix(at) % ('~' - ' '));
    }
  }

  /** The value of a key after a number of overwrites. */
  public byte[] value(long number, int generation) {
    byte[] value = new byte[valueBytes];
    LONG.set(value, 0, number);
    INT.set(value, 8, generation);
    System.arraycopy(
        pool, place(number, generation), value, HEADER_BYTES, valueBytes - HEADER_BYTES);
    return value;
  }

  /**
   * Demands that what a store gave is a value of a key, of any generation.
   *
   * @throws WrongAnswerException if it is not, to the last byte
   */
  public void require(byte @Nullable [] found, long number) {
    if (found == null) {
      throw new WrongAnswerException("key " + number + " is missing");
    }
    if (found.length != valueBytes) {
      throw new WrongAnswerException(
          "key " + number + " has " + found.length + " bytes, not " + valueBytes);
    }
    long is = (long) LONG.get(found, 0);
    if (is != number) {
      throw new WrongAnswerException("key " + number + " has the value of key " + is);
    }
    int place = place(number, (int) INT.get(found, 8));
    if (!Arrays.equals(
        found, HEADER_BYTES, valueBytes, pool, place, place + valueBytes - HEADER_BYTES)) {
      throw new WrongAnswerException("key " + number + " has a damaged value");
    }
  }

  /**
   * As {@link #require}, but demands a generation too.
   *
   * @throws WrongAnswerException if it is another one, or the value is wrong
   */
  void requireGeneration(byte @Nullable [] found, long number, int generation) {
    require(found, number);
    int is = found == null ? -1 : (int) INT.get(found, 8);
    if (is != generation) {
      throw new WrongAnswerException(
          "key " + number + " has the value of write " + is + ", not of write " + generation);
    }
  }

  /**
   * As {@link #require}, but looks at the header only: for timed scans, where comparing all bytes
   * would weigh as much as the scan itself.
   */
  void requireHead(byte[] found, long number) {
    if (found.length != valueBytes || (long) LONG.get(found, 0) != number) {
      require(found, number);
    }
  }

  private static int place(long number, int generation) {
    return (int) (Scramble.mix(Scramble.mix(number) + generation) & (POOL_BYTES - 1));
  }
}
