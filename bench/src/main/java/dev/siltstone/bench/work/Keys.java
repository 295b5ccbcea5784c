package dev.siltstone.bench.work;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Keys of the db_bench workloads: 16 bytes that order as their numbers do.
 *
 * <pre>
 *   0          8          16
 *   | 2 n, BE  | '0' x 8  |      the n-th key
 *   | 2 n + 1  | '0' x 8  |      a key that is never written, between the n-th and the next
 * </pre>
 *
 * Missing keys lie between existing ones, so that an engine can tell them only by looking.
 */
public final class Keys {
  /** Bytes of a key. */
  public static final int BYTES = 16;

  /** Eight times '0'. */
  private static final long TAIL = 0x3030303030303030L;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private Keys() {}

  /** The key with a number. */
  public static byte[] key(long number) {
    return of(2 * number);
  }

  /** A key that is never written, right after the one with the number. */
  public static byte[] missing(long number) {
    return of(2 * number + 1);
  }

  /** Whether a key is the one with a number. */
  public static boolean is(byte[] key, long number) {
    return key.length == BYTES
        && (long) LONG.get(key, 0) == 2 * number
        && (long) LONG.get(key, 8) == TAIL;
  }

  private static byte[] of(long head) {
    byte[] key = new byte[BYTES];
    LONG.set(key, 0, head);
    LONG.set(key, 8, TAIL);
    return key;
  }
}
