package dev.siltstone.bench.experiment;

import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.store.Engine.Feature;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The {@link TimeSeries} as a work: its rate is that of rows, and it lasts as long as the cap. */
final class TimeSeriesExperiment implements Experiment {
  private static final int BUCKET_SECONDS = 5;
  private static final double CHECK_WEIGHT = 1;

  @Override
  public Spec spec() {
    return new Spec(
        "timeseries",
        TimeSeries.WRITERS
            + " threads commit batches of "
            + TimeSeries.BATCH_ROWS
            + " rows, one reads the last "
            + TimeSeries.READ_ROWS
            + " rows of a metric, as long as the cap; rows are counted",
        TimeSeries.WRITERS + 1,
        Shape.EMPTY,
        Shape.OTHER,
        Set.of(Feature.DESCENDING));
  }

  @Override
  public double weight(Lab lab) {
    return seconds(lab) + CHECK_WEIGHT;
  }

  private static int seconds(Lab lab) {
    int whole = (int) Math.max(1, Math.round(lab.capSeconds()));
    return whole - whole % bucketSeconds(whole);
  }

  private static int bucketSeconds(int seconds) {
    return seconds < 2 * BUCKET_SECONDS ? 1 : BUCKET_SECONDS;
  }

  @Override
  public Measured run(Lab lab) throws IOException, InterruptedException {
    int seconds = seconds(lab);
    TimeSeries.Result result =
        new TimeSeries(lab.fresh(), lab.clock(), lab.stages()).run(seconds, bucketSeconds(seconds));
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("slowest_over_median_bucket", result.bucketMin() / result.bucketMedian());
    figures.put("median_bucket_per_s", result.bucketMedian());
    figures.put("slowest_bucket_per_s", result.bucketMin());
    figures.put("reads_per_s", result.reads().count() / result.seconds());
    figures.put("read_p99_us", result.reads().p99Micros());
    return new Measured(result.rows(), result.seconds(), false, result.commits(), figures);
  }
}
