package dev.siltstone.bench.experiment;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Keys of rows: 21 bytes that order by metric, then by time.
 *
 * <pre>
 *   0              12   13         21
 *   | metric-00042 | 00 | time, BE |
 * </pre>
 */
final class SeriesKeys {
  /** Bytes of a row's value. */
  static final int VALUE_BYTES = 100;

  private static final int PREFIX_BYTES = 13;
  private static final int KEY_BYTES = PREFIX_BYTES + Long.BYTES;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final byte[][] prefixes = new byte[TimeSeries.METRICS][];

  SeriesKeys() {
    for (int metric = 0; metric < prefixes.length; metric++) {
      prefixes[metric] = "metric-%05d\0".formatted(metric).getBytes(StandardCharsets.ISO_8859_1);
      assert prefixes[metric].length == PREFIX_BYTES : "metric " + metric;
    }
  }

  /** The key of a row. */
  byte[] key(int metric, long time) {
    byte[] key = Arrays.copyOf(prefixes[metric], KEY_BYTES);
    LONG.set(key, PREFIX_BYTES, time);
    return key;
  }

  /** A key after all rows of a metric and before the next metric. */
  byte[] last(int metric) {
    return key(metric, -1);
  }

  /** Whether a key is a row of a metric. */
  boolean belongs(byte[] key, int metric) {
    return key.length == KEY_BYTES
        && Arrays.equals(key, 0, PREFIX_BYTES, prefixes[metric], 0, PREFIX_BYTES);
  }

  /** The time in a key. */
  long time(byte[] key) {
    return (long) LONG.get(key, PREFIX_BYTES);
  }

  /** A number for a row, from which its value follows. */
  static long id(int metric, long time) {
    return (long) metric << 40 | time;
  }
}
