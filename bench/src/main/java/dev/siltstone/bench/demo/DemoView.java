package dev.siltstone.bench.demo;

import dev.siltstone.bench.experiment.Cliff;
import dev.siltstone.bench.experiment.TimeSeries;
import dev.siltstone.bench.report.Chart;
import dev.siltstone.bench.report.HtmlPage;
import dev.siltstone.bench.report.Table;
import dev.siltstone.bench.report.Units;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** A demo's results as tables and as a page. */
final class DemoView {
  private DemoView() {}

  static Table cliff(List<Cliff.Row> rows) {
    Table table =
        new Table(
            "deleted",
            "put",
            "get",
            "delete",
            "get again",
            "get again by cursor",
            "all answers right");
    for (Cliff.Row row : rows) {
      table.row(
          row.pattern(),
          Units.rate(row.putPerSecond()),
          Units.rate(row.getPerSecond()),
          Units.rate(row.deletePerSecond()),
          Units.rate(row.again().getPerSecond()),
          Units.rate(row.again().byCursor().rate())
              + (row.again().byCursor().cut() ? " (cut)" : ""),
          row.verified() || !row.wrong().isEmpty() ? yes(row.verified()) : "so far; cut");
    }
    return table;
  }

  static Table dumps(List<Dumps.Row> rows) {
    Table table = new Table("dump", "entries", "compared", "identical");
    for (Dumps.Row row : rows) {
      table.row(row.name(), Units.whole(row.entries()), row.rule(), yes(row.identical()));
    }
    return table;
  }

  static Table series(TimeSeries.Result result) {
    Table table = new Table("time series", "");
    table.row("rows written", Units.whole(result.rows()));
    table.row("rows a second, mean", Units.rate(result.rowsPerSecond()));
    table.row(
        "median bucket of " + result.bucketSeconds() + " s", Units.rate(result.bucketMedian()));
    table.row("slowest bucket", Units.rate(result.bucketMin()));
    table.row("slowest over median", Units.ratio(result.bucketMin() / result.bucketMedian()));
    table.row(
        "longest commit of " + TimeSeries.BATCH_ROWS + " rows",
        Units.micros(result.commits().max()));
    table.row(
        "reads of the last " + TimeSeries.READ_ROWS + " rows",
        Units.rate(result.reads().count() / result.seconds()));
    table.row("99 of 100 reads took at most", Units.micros(result.reads().p99Micros()));
    return table;
  }

  static Table buckets(TimeSeries.Result result) {
    Table table = new Table("until", "rows a second");
    int at = 0;
    for (double bucket : result.buckets()) {
      at += result.bucketSeconds();
      table.row(at + " s", Units.rate(bucket));
    }
    return table;
  }

  static String html(DemoResult result) throws IOException {
    TimeSeries.Result series = result.series();
    HtmlPage page =
        new HtmlPage(
            "Siltstone demo",
            "Two founding experiments and an import, run on this machine by ./siltstone demo.");
    page.tiles(tiles(result));
    page.section("The tombstone cliff")
        .paragraph(
            ("%s pairs, i to i times i, are put and got; those with i & pattern = 0 are deleted;"
                 + " then all are got again, by get and by a new cursor for each (seek, compare,"
                 + " close). Engines that walk over tombstones fall to a few cursors a second once"
                 + " all is deleted: ./siltstone bench compare seekdeleted shows that on this"
                 + " machine.")
                .formatted(Units.whole(result.setup().pairs())))
        .chart(cliffChart(result.cliff()))
        .table(cliff(result.cliff()));
    page.section("Time series")
        .paragraph(
            ("%d writers commit batches of %d consecutive rows of one of %,d metrics (21-byte keys,"
                    + " 100-byte values); one reader asks for the last %d rows of a random metric,"
                    + " newest first. Every read is checked.")
                .formatted(
                    TimeSeries.WRITERS,
                    TimeSeries.BATCH_ROWS,
                    TimeSeries.METRICS,
                    TimeSeries.READ_ROWS))
        .chart(
            seriesChart(
                "Rows written a second",
                "rows a second",
                "rows/s",
                series,
                TimeSeries.Sample::rowsPerSecond))
        .chart(latencyChart(series))
        .table(series(series));
    page.section("Dumps of other stores")
        .paragraph(
            "Each dump is loaded into a store of its own, flushed, and dumped again. Where its"
                + " lines stand in our order, unsigned bytes, the two files must be equal byte for"
                + " byte; where its store had another order, they must be equal as sorted lines.")
        .table(dumps(result.dumps()));
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("engine", result.setup().engine());
    facts.put("settings", result.setup().settings());
    facts.putAll(result.setup().facts());
    page.section("Machine").facts(facts);
    return page.render();
  }

  private static Map<String, String> tiles(DemoResult result) {
    Map<String, String> tiles = new LinkedHashMap<>();
    Cliff.Row none = result.cliff().getFirst();
    Cliff.Row all = result.cliff().getLast();
    tiles.put("puts, one thread", Units.rate(none.putPerSecond()));
    tiles.put("gets, one thread", Units.rate(none.getPerSecond()));
    tiles.put("gets by cursor, nothing deleted", Units.rate(none.again().byCursor().rate()));
    tiles.put("gets by cursor, everything deleted", Units.rate(all.again().byCursor().rate()));
    tiles.put("time-series rows written", Units.rate(result.series().rowsPerSecond()));
    long same = result.dumps().stream().filter(Dumps.Row::identical).count();
    tiles.put("dumps came back the same", same + " of " + result.dumps().size());
    return tiles;
  }

  private static Chart cliffChart(List<Cliff.Row> rows) {
    List<String> labels = rows.stream().map(Cliff.Row::pattern).toList();
    return new Chart(
        "Getting all pairs again, by what was deleted before",
        new Chart.Axis("pairs deleted: i & pattern = 0", ""),
        new Chart.Axis("operations a second (log scale)", "/s"),
        Chart.Scale.LOG_FROM_ONE,
        new Chart.Places(labels, true),
        List.of(
            line("by cursor", rows, row -> row.again().byCursor().rate()),
            line("by get", rows, row -> row.again().getPerSecond())));
  }

  private static Chart.Line line(
      String label, List<Cliff.Row> rows, ToDoubleFunction<Cliff.Row> figure) {
    return new Chart.Line(
        label, List.of(), rows.stream().map(row -> figure.applyAsDouble(row)).toList());
  }

  private static Chart seriesChart(
      String title,
      String y,
      String unit,
      TimeSeries.Result series,
      ToDoubleFunction<TimeSeries.Sample> figure) {
    return new Chart(
        title,
        new Chart.Axis("seconds from the start", "s"),
        new Chart.Axis(y, unit),
        Chart.Scale.LINEAR,
        Chart.Places.NUMBERS,
        List.of(line(y, series, figure)));
  }

  private static Chart latencyChart(TimeSeries.Result series) {
    return new Chart(
        "Latency",
        new Chart.Axis("seconds from the start", "s"),
        new Chart.Axis("microseconds (log scale)", "µs"),
        Chart.Scale.LOG,
        Chart.Places.NUMBERS,
        List.of(
            line("longest commit", series, TimeSeries.Sample::writeMaxMicros),
            line("99th percentile of reads", series, TimeSeries.Sample::readP99Micros)));
  }

  private static Chart.Line line(
      String label, TimeSeries.Result series, ToDoubleFunction<TimeSeries.Sample> figure) {
    List<Double> xs = new ArrayList<>();
    List<Double> values = new ArrayList<>();
    for (TimeSeries.Sample sample : series.samples()) {
      double value = figure.applyAsDouble(sample);
      xs.add(sample.atSeconds());
      values.add(value > 0 ? value : Double.NaN);
    }
    return new Chart.Line(label, xs, values);
  }

  private static String yes(boolean is) {
    return is ? "yes" : "NO";
  }
}
