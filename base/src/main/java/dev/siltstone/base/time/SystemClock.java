package dev.siltstone.base.time;

import java.time.Instant;

/** The real clock; the only class of the project that reads the system's time. */
public final class SystemClock implements Clock {

  @Override
  public long wallMicros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }
}
