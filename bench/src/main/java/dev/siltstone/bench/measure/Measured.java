package dev.siltstone.bench.measure;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What one run of a work gave.
 *
 * @param ops entries or steps done, as the work counts
 * @param seconds wall time
 * @param cut whether the time cap ended it before all steps were done
 * @param latency of single steps
 * @param figures what else was found, by names that end in their unit: {@code _per_s}, {@code _us},
 *     {@code _bytes}; a name with {@code _over_} is a ratio. In order of reading
 */
public record Measured(
    long ops, double seconds, boolean cut, Latency latency, Map<String, Double> figures) {

  /** Nothing was measured: the rate is NaN. */
  public static final Measured NONE = new Measured(0, Double.NaN, true, Latency.NONE, Map.of());

  /** Copies the figures. */
  public Measured {
    figures = Collections.unmodifiableMap(new LinkedHashMap<>(figures));
  }

  /** The same with other figures. */
  public Measured with(Map<String, Double> other) {
    return new Measured(ops, seconds, cut, latency, other);
  }

  /** Operations a second. */
  public double rate() {
    return ops / seconds;
  }

  /**
   * How long single steps took, in microseconds: percentiles and the longest. All NaN where there
   * was one step only, whose time says what the rate says.
   *
   * @param p50 half of the steps took no longer
   * @param p90 9 of 10 took no longer
   * @param p99 99 of 100 took no longer
   * @param p999 999 of 1000 took no longer
   * @param max none took longer
   */
  public record Latency(double p50, double p90, double p99, double p999, double max) {
    /** Not known. */
    public static final Latency NONE =
        new Latency(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
  }
}
