package dev.siltstone.testkit.run;

/** Loops over seeds, and says how to run the one that failed again. */
public final class Seeds {
  /** System property: the only seed to run, in decimal. */
  public static final String PROPERTY = "siltstone.seed";

  private Seeds() {}

  /** What is run for each seed. */
  @FunctionalInterface
  public interface Body {
    /** Runs with one seed; any throwable is a failure. */
    void run(Seed seed) throws Throwable;
  }

  /**
   * Runs {@code count} seeds: base, base + 1, and so on; or only the one that the system property
   * names.
   *
   * @throws AssertionError at the first failure, with the seed in its message and the failure as
   *     its cause
   */
  public static void forEach(long base, int count, Body body) {
    Long only = Long.getLong(PROPERTY);
    if (only != null) {
      run(only, body);
      return;
    }
    for (int i = 0; i < count; i++) {
      run(base + i, body);
    }
  }

  private static void run(long value, Body body) {
    try {
      body.run(new Seed(value));
    } catch (Throwable e) {
      throw new AssertionError(
          "seed " + value + " failed; replay with -D" + PROPERTY + "=" + value + ": " + e, e);
    }
  }
}
