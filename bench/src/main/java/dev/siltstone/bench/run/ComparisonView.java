package dev.siltstone.bench.run;

import dev.siltstone.bench.report.Chart;
import dev.siltstone.bench.report.HtmlPage;
import dev.siltstone.bench.report.JsonWriter;
import dev.siltstone.bench.report.Table;
import dev.siltstone.bench.report.Units;
import dev.siltstone.bench.store.Engine;
import dev.siltstone.bench.work.Plan;
import dev.siltstone.bench.work.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A comparison's results as tables, as JSON and as a page. */
final class ComparisonView {
  private ComparisonView() {}

  /** Rates of all engines, and of the first over each other. */
  static Table rates(Comparison comparison) {
    List<Engine> engines = comparison.engines();
    List<String> head = new ArrayList<>(List.of("workload"));
    for (Engine engine : engines) {
      head.add(engine.label());
      if (engine != engines.getFirst()) {
        head.add("ratio");
      }
    }
    head.addAll(List.of("over best LSM", "over best"));
    Table table = new Table(head);
    for (Workload workload : comparison.workloads()) {
      List<String> cells = new ArrayList<>(List.of(workload.spec().name()));
      for (Engine engine : engines) {
        cells.add(rate(comparison, workload, engine));
        if (engine != engines.getFirst()) {
          cells.add(Units.ratio(comparison.ratio(workload, engine)));
        }
      }
      cells.add(Units.ratio(comparison.ratioOverBest(workload, Engine::isLsm)));
      cells.add(Units.ratio(comparison.ratioOverBest(workload, _ -> true)));
      table.row(cells);
    }
    return table;
  }

  private static String rate(Comparison comparison, Workload workload, Engine engine) {
    boolean cut = false;
    boolean failed = false;
    for (Comparison.Row row : comparison.rows(workload, engine)) {
      Outcome outcome = row.outcome();
      cut |= outcome != null && outcome.measured().cut();
      failed |= outcome == null && engine.features().containsAll(workload.spec().features());
    }
    String text = Units.rate(comparison.rate(workload, engine));
    return failed ? "FAILED" : cut ? text + "*" : text;
  }

  /** Latencies, disk and memory of every engine; of the last round. */
  static Table details(Comparison comparison) {
    Table table =
        new Table("workload", "engine", "p50", "p99", "p99.9", "longest", "disk", "memory at most");
    for (Workload workload : comparison.workloads()) {
      for (Engine engine : comparison.engines()) {
        List<Comparison.Row> rows = comparison.rows(workload, engine);
        Outcome outcome = rows.isEmpty() ? null : rows.getLast().outcome();
        if (outcome != null) {
          Measured.Latency latency = outcome.measured().latency();
          table.row(
              workload.spec().name(),
              engine.label(),
              Units.micros(latency.p50()),
              Units.micros(latency.p99()),
              Units.micros(latency.p999()),
              Units.micros(latency.max()),
              Units.bytes(outcome.diskBytes()),
              Units.bytes(outcome.residentBytes()));
        }
      }
    }
    return table;
  }

  /** What ran and how, name by name. */
  static Map<String, String> setup(Comparison comparison) {
    Plan plan = comparison.scale().plan();
    Map<String, String> setup = new LinkedHashMap<>();
    setup.put(
        "data",
        "%s entries, 16-byte keys, %d-byte values that compress to about half; %s reads; seed %d"
            .formatted(
                Units.whole(plan.entries()),
                plan.valueBytes(),
                Units.whole(plan.reads()),
                plan.seed()));
    setup.put(
        "runs",
        ("%d, engines taking turns at every workload; before it a warm-up with a fifth of the data,"
                + " 200,000 entries at least; cut after %s")
            .formatted(comparison.scale().rounds(), Units.span(comparison.scale().capSeconds())));
    comparison
        .settings()
        .forEach((engine, words) -> setup.put(engine.label(), engine.about() + ": " + words));
    comparison
        .jvmArguments()
        .forEach((engine, words) -> setup.put("JVM of " + engine.label(), String.join(" ", words)));
    return setup;
  }

  static String json(Comparison comparison, Map<String, String> facts) {
    JsonWriter json = new JsonWriter().object();
    json.name("machine");
    strings(json, facts);
    json.name("setup");
    strings(json, setup(comparison));
    json.name("results").array();
    for (Comparison.Row row : comparison.rows()) {
      result(json, row);
    }
    json.end();
    json.name("rows").array();
    for (Workload workload : comparison.workloads()) {
      row(json, comparison, workload);
    }
    return json.end().end().text();
  }

  private static void row(JsonWriter json, Comparison comparison, Workload workload) {
    List<Engine> engines = comparison.engines();
    json.object();
    json.name("work").value(workload.spec().name());
    json.name("ours").value(comparison.rate(workload, engines.getFirst()));
    json.name("peers").object();
    for (Engine engine : engines.subList(1, engines.size())) {
      json.name(engine.label()).value(comparison.rate(workload, engine));
    }
    json.end();
    json.name("ratio_lsm").value(comparison.ratioOverBest(workload, Engine::isLsm));
    json.name("ratio_any").value(comparison.ratioOverBest(workload, _ -> true));
    json.end();
  }

  private static void strings(JsonWriter json, Map<String, String> strings) {
    json.object();
    strings.forEach((name, value) -> json.name(name).value(value));
    json.end();
  }

  private static void result(JsonWriter json, Comparison.Row row) {
    json.object();
    json.name("round").value(row.round());
    json.name("workload").value(row.workload());
    json.name("engine").value(row.engine().label());
    Outcome outcome = row.outcome();
    if (outcome == null) {
      json.name("failure").value(row.failure());
    } else {
      Measured measured = outcome.measured();
      json.name("ops").value(measured.ops());
      json.name("seconds").value(measured.seconds());
      json.name("ops_per_s").value(measured.rate());
      json.name("cut").value(measured.cut());
      json.name("p50_us").value(measured.latency().p50());
      json.name("p99_us").value(measured.latency().p99());
      json.name("p999_us").value(measured.latency().p999());
      json.name("max_us").value(measured.latency().max());
      json.name("disk_bytes").value(outcome.diskBytes());
      json.name("resident_peak_bytes").value(outcome.residentBytes());
    }
    json.end();
  }

  static String html(Comparison comparison, Map<String, String> facts) throws IOException {
    HtmlPage page =
        new HtmlPage(
            "Siltstone bench",
            "The same work on every engine, each in a process of its own, taking turns in one"
                + " run.");
    page.section("Rates").chart(chart(comparison)).table(rates(comparison));
    page.paragraph(
        "Ratios are those of "
            + comparison.engines().getFirst().label()
            + " over the engine to the left of them, the median over the runs. * cut at the time"
            + " cap.");
    page.section("Latency, disk, memory").table(details(comparison));
    Table about = new Table("workload", "what is done and counted");
    for (Workload workload : comparison.workloads()) {
      about.row(workload.spec().name(), workload.spec().about());
    }
    page.section("Workloads").table(about);
    page.section("Setup").facts(setup(comparison));
    page.section("Machine").facts(facts);
    return page.render();
  }

  private static Chart chart(Comparison comparison) {
    List<String> names = new ArrayList<>();
    comparison.workloads().forEach(workload -> names.add(workload.spec().name()));
    List<Chart.Line> lines = new ArrayList<>();
    for (Engine engine : comparison.engines()) {
      List<Double> rates = new ArrayList<>();
      comparison.workloads().forEach(workload -> rates.add(comparison.rate(workload, engine)));
      lines.add(new Chart.Line(engine.label(), List.of(), rates));
    }
    return new Chart(
        "Operations a second",
        new Chart.Axis("workload", ""),
        new Chart.Axis("operations a second (log scale)", "/s"),
        Chart.Scale.LOG,
        new Chart.Places(names, false),
        lines);
  }
}
