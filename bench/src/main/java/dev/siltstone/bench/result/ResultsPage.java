package dev.siltstone.bench.result;

import dev.siltstone.bench.report.Chart;
import dev.siltstone.bench.report.HtmlPage;
import dev.siltstone.bench.report.Table;
import dev.siltstone.bench.report.Units;
import dev.siltstone.bench.result.Results.EngineFacts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Results of one or several files as one page. */
public final class ResultsPage {
  private static final String LEAD =
      "The same work on every engine, each in a process of its own, taking turns in one run.";

  private final HtmlPage page;

  private ResultsPage(HtmlPage page) {
    this.page = page;
  }

  /**
   * The page.
   *
   * @param files results by a short name of where they come from, at least one
   */
  public static String render(Map<String, Results> files) throws IOException {
    ResultsPage page = new ResultsPage(new HtmlPage("Siltstone bench", LEAD));
    if (files.size() > 1) {
      page.across(files);
    }
    files.forEach((name, results) -> page.one(files.size() > 1 ? name + ": " : "", results));
    return page.page.render();
  }

  private void one(String prefix, Results results) {
    Summary summary = new Summary(results);
    ResultTables tables = new ResultTables(summary);
    page.section(prefix + "rates");
    if (summary.sizes().size() == 1) {
      page.chart(rates(summary));
    }
    page.table(tables.rates())
        .paragraph(
            "Ratios are those of "
                + summary.first().name()
                + " over the engine to the left of them: medians over the rounds of the ratio"
                + " within a round. * cut at the time cap.");
    section(prefix + "failures", tables.failures());
    if (!tables.growth().isEmpty()) {
      page.section(prefix + "cost by size");
      works(summary).forEach(work -> page.chart(growth(summary, tables, work)));
      page.table(tables.growth());
    }
    section(prefix + "noise of the rounds", tables.noise());
    section(prefix + "latencies", tables.latencies());
    section(prefix + "disk and memory", tables.space());
    section(prefix + "further figures", tables.figures());
    Table about = new Table("workload", "what is done and counted");
    results.works().forEach(work -> about.row(work.name(), work.about()));
    section(prefix + "workloads", about);
    page.section(prefix + "setup").facts(tables.setup());
    page.section(prefix + "machine").facts(results.machine());
  }

  private void section(String heading, Table table) {
    if (!table.isEmpty()) {
      page.section(heading).table(table);
    }
  }

  private static Set<String> works(Summary summary) {
    Set<String> works = new LinkedHashSet<>();
    summary.keys().forEach(key -> works.add(key.work()));
    return works;
  }

  private static Chart rates(Summary summary) {
    List<Chart.Line> lines = new ArrayList<>();
    for (EngineFacts engine : summary.results().engines()) {
      lines.add(
          new Chart.Line(
              engine.name(),
              List.of(),
              summary.keys().stream()
                  .map(key -> summary.rate(key, engine.name()).median())
                  .toList()));
    }
    return new Chart(
        "Operations a second",
        new Chart.Axis("workload", ""),
        new Chart.Axis("operations a second (log scale)", "/s"),
        Chart.Scale.LOG,
        new Chart.Places(summary.keys().stream().map(Summary.Key::work).toList(), false),
        lines);
  }

  private static Chart growth(Summary summary, ResultTables tables, String work) {
    List<Chart.Line> lines = new ArrayList<>();
    for (EngineFacts engine : summary.results().engines()) {
      lines.add(new Chart.Line(engine.name(), List.of(), tables.costs(work, engine.name())));
    }
    return new Chart(
        work + ": time of an operation",
        new Chart.Axis("entries in the store", ""),
        new Chart.Axis("nanoseconds", "ns"),
        Chart.Scale.LINEAR,
        new Chart.Places(summary.sizes().stream().map(size -> Units.count(size)).toList(), true),
        lines);
  }

  /** Every row of every file, file beside file, so that a course over time is seen. */
  private void across(Map<String, Results> files) {
    Map<String, Summary> summaries = new LinkedHashMap<>();
    files.forEach((name, results) -> summaries.put(name, new Summary(results)));
    Set<Summary.Key> keys = new LinkedHashSet<>();
    Set<String> engines = new LinkedHashSet<>();
    for (Summary summary : summaries.values()) {
      keys.addAll(summary.keys());
      summary.results().engines().forEach(engine -> engines.add(engine.name()));
    }
    List<String> head = new ArrayList<>(List.of("workload", "entries", "engine"));
    head.addAll(files.keySet());
    Table table = new Table(head);
    page.section("all files");
    for (Summary.Key key : keys) {
      List<Chart.Line> lines = new ArrayList<>();
      for (String engine : engines) {
        List<Double> rates =
            summaries.values().stream().map(summary -> summary.rate(key, engine).median()).toList();
        if (rates.stream().anyMatch(Double::isFinite)) {
          lines.add(new Chart.Line(engine, List.of(), rates));
          List<String> cells =
              new ArrayList<>(List.of(key.work(), Units.count(key.entries()), engine));
          rates.forEach(rate -> cells.add(Units.rate(rate)));
          table.row(cells);
        }
      }
      page.chart(
          new Chart(
              key.work() + ", " + Units.count(key.entries()) + " entries",
              new Chart.Axis("file", ""),
              new Chart.Axis("operations a second", "/s"),
              Chart.Scale.LINEAR,
              new Chart.Places(List.copyOf(files.keySet()), true),
              lines));
    }
    page.table(table);
  }
}
