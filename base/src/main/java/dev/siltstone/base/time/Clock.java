package dev.siltstone.base.time;

/** The two clocks of a machine. Implementations are safe for concurrent use. */
public interface Clock {

  /** Microseconds since 1970-01-01 UTC. May jump, forward and back. */
  long wallMicros();

  /** Nanoseconds since an arbitrary origin. Never goes back. */
  long nanoTime();
}
