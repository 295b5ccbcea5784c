package dev.siltstone.bench.result;

import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.measure.Outcome;
import dev.siltstone.bench.report.JsonWriter;
import java.util.Map;

/**
 * Writes results as JSON.
 *
 * <pre>
 *   machine, setup   facts by name
 *   engines          name, about, lsm, settings, jvm, absent (why it does not run here, or "")
 *   works            name, about
 *   results          every run: round, workload, engine, entries, then what came out, or failure
 *   rows             summed up over the rounds: work, ours, peers, ratio_lsm, ratio_any, entries,
 *                    and noise, by engine: rounds, min, max
 * </pre>
 *
 * Rates are operations a second, times microseconds, sizes bytes; null is what is not known. {@link
 * ResultsReader} reads all but the rows, which follow from the rest.
 */
public final class ResultsJson {
  private final JsonWriter json = new JsonWriter();
  private final Summary summary;

  private ResultsJson(Summary summary) {
    this.summary = summary;
  }

  /** The text. */
  public static String write(Results results) {
    return new ResultsJson(new Summary(results)).write();
  }

  private String write() {
    Results results = summary.results();
    json.object();
    json.name("machine");
    strings(results.machine());
    json.name("setup");
    strings(results.setup());
    json.name("engines").array();
    results.engines().forEach(this::engine);
    json.end();
    json.name("works").array();
    for (Results.WorkFacts work : results.works()) {
      json.object().name("name").value(work.name()).name("about").value(work.about()).end();
    }
    json.end();
    json.name("results").array();
    results.runs().forEach(this::run);
    json.end();
    json.name("rows").array();
    summary.keys().forEach(this::row);
    return json.end().end().text();
  }

  private void strings(Map<String, String> strings) {
    json.object();
    strings.forEach((name, value) -> json.name(name).value(value));
    json.end();
  }

  private void engine(Results.EngineFacts engine) {
    json.object();
    json.name("name").value(engine.name());
    json.name("about").value(engine.about());
    json.name("lsm").value(engine.lsm());
    json.name("settings").value(engine.settings());
    json.name("jvm").value(engine.jvm());
    json.name("absent").value(engine.absent());
    json.end();
  }

  private void run(Results.Run run) {
    json.object();
    json.name("round").value(run.round());
    json.name("workload").value(run.work());
    json.name("engine").value(run.engine());
    json.name("entries").value(run.entries());
    Outcome outcome = run.outcome();
    if (outcome == null) {
      json.name("failure").value(run.failure());
      json.name("possible").value(run.possible());
    } else {
      outcome(outcome);
    }
    json.end();
  }

  private void outcome(Outcome outcome) {
    Measured measured = outcome.measured();
    json.name("ops").value(measured.ops());
    json.name("seconds").value(measured.seconds());
    json.name("ops_per_s").value(measured.rate());
    json.name("cut").value(measured.cut());
    json.name("p50_us").value(measured.latency().p50());
    json.name("p90_us").value(measured.latency().p90());
    json.name("p99_us").value(measured.latency().p99());
    json.name("p999_us").value(measured.latency().p999());
    json.name("max_us").value(measured.latency().max());
    json.name("disk_bytes").value(outcome.diskBytes());
    json.name("resident_peak_bytes").value(outcome.resident().peak());
    json.name("resident_anonymous_bytes").value(outcome.resident().anonymous());
    json.name("resident_file_bytes").value(outcome.resident().file());
    json.name("figures").object();
    measured.figures().forEach((name, figure) -> json.name(name).value(figure));
    json.end();
  }

  private void row(Summary.Key key) {
    json.object();
    json.name("work").value(key.work());
    json.name("ours").value(summary.rate(key, summary.first().name()).median());
    json.name("peers").object();
    for (Results.EngineFacts engine : summary.others()) {
      json.name(engine.name()).value(summary.rate(key, engine.name()).median());
    }
    json.end();
    json.name("ratio_lsm").value(summary.ratioOverBest(key, Results.EngineFacts::lsm));
    json.name("ratio_any").value(summary.ratioOverBest(key, _ -> true));
    json.name("entries").value(key.entries());
    json.name("noise").object();
    for (Results.EngineFacts engine : summary.results().engines()) {
      Spread rate = summary.rate(key, engine.name());
      json.name(engine.name()).object();
      json.name("rounds").value(rate.rounds());
      json.name("min").value(rate.min());
      json.name("max").value(rate.max());
      json.end();
    }
    json.end();
    json.end();
  }
}
