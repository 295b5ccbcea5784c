package dev.siltstone.base.time;

/**
 * Hybrid time: one 56-bit number that orders all writes of a store and tells when they happened.
 *
 * <pre>
 *   bits 55..4   microseconds since 2020-01-01 00:00:00 UTC (reaches to the year 2162)
 *   bits  3..0   logical counter within the microsecond
 * </pre>
 *
 * <p>Hybrid times are compared as plain longs; all are positive. Source: Kulkarni et al., "Logical
 * Physical Clocks" (2014), reduced to one node.
 */
public final class HybridTime {
  /** Before every write. */
  public static final long MIN = 0;

  /** After every write; a reader at this time sees all. */
  public static final long MAX = (1L << 56) - 1;

  /** Microseconds from 1970-01-01 to 2020-01-01, UTC. */
  public static final long EPOCH_UNIX_MICROS = 1_577_836_800_000_000L;

  private static final int LOGICAL_BITS = 4;

  private HybridTime() {}

  /** The first hybrid time of a wall-clock microsecond; times outside the range are clamped. */
  public static long ofUnixMicros(long unixMicros) {
    long micros = unixMicros - EPOCH_UNIX_MICROS;
    if (micros < 0) {
      return MIN;
    }
    return micros > (MAX >>> LOGICAL_BITS) ? MAX : micros << LOGICAL_BITS;
  }

  /** The wall-clock microsecond of a hybrid time. */
  public static long toUnixMicros(long hybridTime) {
    return (hybridTime >>> LOGICAL_BITS) + EPOCH_UNIX_MICROS;
  }
}
