package dev.siltstone.testkit.time;

import dev.siltstone.base.time.Clock;

/** A clock that stands still until the test moves it. Safe for concurrent use. */
public final class SimClock implements Clock {
  /** 2026-01-01 00:00:00 UTC: where a clock starts unless told otherwise. */
  public static final long DEFAULT_START_UNIX_MICROS = 1_767_225_600_000_000L;

  private long nanos;

  /** The wall clock is this many microseconds ahead of the monotonic one. */
  private long wallOffsetMicros;

  /** A clock that starts at {@link #DEFAULT_START_UNIX_MICROS}. */
  public SimClock() {
    this(DEFAULT_START_UNIX_MICROS);
  }

  /** A clock that starts at a wall time in microseconds since 1970; its monotonic time is 0. */
  public SimClock(long startUnixMicros) {
    this.wallOffsetMicros = startUnixMicros;
  }

  @Override
  public synchronized long wallMicros() {
    return wallOffsetMicros + nanos / 1_000;
  }

  @Override
  public synchronized long nanoTime() {
    return nanos;
  }

  /** Lets time pass, on both clocks. */
  public synchronized void advance(long byNanos) {
    if (byNanos < 0) {
      throw new IllegalArgumentException("byNanos: " + byNanos);
    }
    nanos = Math.addExact(nanos, byNanos);
  }

  /** Makes the wall clock jump, back if negative; the monotonic clock does not notice. */
  public synchronized void jumpWall(long byMicros) {
    wallOffsetMicros = Math.addExact(wallOffsetMicros, byMicros);
  }

  /** Sets the wall clock, in microseconds since 1970. */
  public synchronized void setWallMicros(long unixMicros) {
    wallOffsetMicros = unixMicros - nanos / 1_000;
  }
}
