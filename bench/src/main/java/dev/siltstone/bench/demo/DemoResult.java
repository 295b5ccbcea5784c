package dev.siltstone.bench.demo;

import dev.siltstone.bench.experiment.Cliff;
import dev.siltstone.bench.experiment.TimeSeries;
import dev.siltstone.bench.report.JsonWriter;
import java.util.List;
import java.util.Map;

/**
 * Everything a demo found out.
 *
 * @param setup what it ran with
 * @param cliff a row for each pattern
 * @param dumps a row for each dump
 * @param series the time series
 */
record DemoResult(
    Setup setup, List<Cliff.Row> cliff, List<Dumps.Row> dumps, TimeSeries.Result series) {

  /** Whether every answer was right and every dump the same. */
  boolean right() {
    return cliff.stream().allMatch(Cliff.Row::verified)
        && dumps.stream().allMatch(Dumps.Row::identical);
  }

  /** The figures as JSON; a phase that was not run is null. */
  String json() {
    JsonWriter json = new JsonWriter().object();
    json.name("cliff").array();
    for (Cliff.Row row : cliff) {
      json.object();
      json.name("pattern").value(row.pattern());
      json.name("put_per_s").value(row.putPerSecond());
      json.name("get_per_s").value(row.getPerSecond());
      json.name("delete_per_s").value(row.deletePerSecond());
      json.name("reget_get_per_s").value(row.again().getPerSecond());
      json.name("reget_iter_per_s").value(row.again().byCursor().rate());
      json.name("verified").value(row.verified());
      json.end();
    }
    json.end();
    json.name("dumps").array();
    for (Dumps.Row row : dumps) {
      json.object();
      json.name("name").value(row.name());
      json.name("entries").value(row.entries());
      json.name("identical").value(row.identical());
      json.end();
    }
    json.end();
    json.name("timeseries").object();
    json.name("rows_per_s").value(series.rowsPerSecond());
    json.name("bucket_min_over_median").value(series.bucketMin() / series.bucketMedian());
    json.name("reader_p99_us").value(series.reads().p99Micros());
    json.end();
    return json.end().text();
  }

  /**
   * What a demo ran with.
   *
   * @param engine label of the engine
   * @param settings of the engine, in words
   * @param pairs of the cliff
   * @param facts of the machine
   */
  record Setup(String engine, String settings, long pairs, Map<String, String> facts) {}
}
