package dev.siltstone.bench.run;

/**
 * What one run of a workload gave.
 *
 * @param ops entries or steps done, as the workload counts
 * @param seconds wall time
 * @param cut whether the time cap ended it before all steps were done
 * @param latency of single steps
 */
public record Measured(long ops, double seconds, boolean cut, Latency latency) {

  /** Operations a second. */
  public double rate() {
    return ops / seconds;
  }

  /**
   * How long single steps took, in microseconds: percentiles and the longest. All NaN where there
   * was one step only, whose time says what the rate says.
   *
   * @param p50 half of the steps took no longer
   * @param p99 99 of 100 took no longer
   * @param p999 999 of 1000 took no longer
   * @param max none took longer
   */
  public record Latency(double p50, double p99, double p999, double max) {
    static final Latency NONE = new Latency(Double.NaN, Double.NaN, Double.NaN, Double.NaN);
  }
}
