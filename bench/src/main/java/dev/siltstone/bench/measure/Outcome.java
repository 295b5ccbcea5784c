package dev.siltstone.bench.measure;

/**
 * What one engine gave at one work.
 *
 * @param measured rate, latencies and more
 * @param diskBytes bytes its files took right afterwards, or -1 if not known
 * @param resident memory of its process
 */
public record Outcome(Measured measured, long diskBytes, Resident resident) {

  /**
   * Resident memory of a process in bytes; -1 for what the system does not tell.
   *
   * @param peak the most during the run, mapped files included
   * @param anonymous right after it: what no file backs, that is heap, native memory, stacks, code
   * @param file right after it: what files back, that is mapped stores, libraries and jars; the
   *     system takes it back as it likes
   */
  public record Resident(long peak, long anonymous, long file) {
    /** What this process takes now. */
    public static Resident now() {
      return new Resident(
          Footprint.residentPeakBytes(),
          Footprint.residentAnonymousBytes(),
          Footprint.residentFileBytes());
    }
  }
}
