package dev.siltstone.bench.result;

import java.util.Arrays;

/**
 * The same figure of several rounds.
 *
 * @param rounds how many there are
 * @param min the smallest; NaN if there is none
 * @param median the one in the middle, or the mean of both; NaN if there is none
 * @param max the largest; NaN if there is none
 */
public record Spread(int rounds, double min, double median, double max) {

  /** Sums up; figures that are not finite do not count. */
  public static Spread of(double... figures) {
    double[] sorted = Arrays.stream(figures).filter(Double::isFinite).sorted().toArray();
    int count = sorted.length;
    if (count == 0) {
      return new Spread(0, Double.NaN, Double.NaN, Double.NaN);
    }
    double median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    return new Spread(count, sorted[0], median, sorted[count - 1]);
  }

  /** From the smallest to the largest. */
  public double width() {
    return max - min;
  }

  /** The width as a part of the median: the noise. */
  public double noise() {
    return width() / median;
  }
}
