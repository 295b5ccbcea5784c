package dev.siltstone.engine;

import java.time.Duration;
import java.util.Objects;

/** Checks the values of options. */
final class Limits {
  private Limits() {}

  /** Refuses a value outside [min, max], and names it. */
  static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + " " + value + ": " + min + " to " + max);
    }
  }

  /** Refuses a duration outside [min, max], however long it is, and names it. */
  static void check(String name, Duration value, Duration min, Duration max) {
    Objects.requireNonNull(value, name);
    if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
      throw new IllegalArgumentException(name + " " + value + ": " + min + " to " + max);
    }
  }
}
