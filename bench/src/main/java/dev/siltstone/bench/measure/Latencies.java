package dev.siltstone.bench.measure;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;

/** Histograms of nanoseconds, and what is read from them. */
public final class Latencies {
  private static final long MAX_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final int DIGITS = 3;

  private Latencies() {}

  /** An empty histogram of nanoseconds, of up to an hour, to three digits. */
  static Histogram histogram() {
    return new Histogram(MAX_NANOS, DIGITS);
  }

  /** Counts a time; one beyond an hour counts as an hour. */
  static void record(Histogram histogram, long nanos) {
    histogram.recordValue(Math.min(nanos, MAX_NANOS));
  }

  /** Percentiles in microseconds; {@link Measured.Latency#NONE} of fewer than two times. */
  public static Measured.Latency of(AbstractHistogram nanos) {
    if (nanos.getTotalCount() < 2) {
      return Measured.Latency.NONE;
    }
    return new Measured.Latency(
        nanos.getValueAtPercentile(50) / 1e3,
        nanos.getValueAtPercentile(90) / 1e3,
        nanos.getValueAtPercentile(99) / 1e3,
        nanos.getValueAtPercentile(99.9) / 1e3,
        nanos.getMaxValue() / 1e3);
  }
}
