package dev.siltstone.engine;

/** Checks the values of options. */
final class Limits {
  private Limits() {}

  /** Refuses a value outside [min, max], and names it. */
  static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + " " + value + ": " + min + " to " + max);
    }
  }
}
