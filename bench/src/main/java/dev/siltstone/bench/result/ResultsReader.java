package dev.siltstone.bench.result;

import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.measure.Outcome;
import dev.siltstone.bench.report.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads what {@link ResultsJson} wrote. */
public final class ResultsReader {
  private ResultsReader() {}

  /**
   * Reads a file.
   *
   * @throws IOException if it cannot be read, or does not hold results; the message names the file,
   *     the place in it, and how such files are made
   */
  public static Results read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException("there is no file " + file);
    }
    try {
      return parse(Files.readString(file));
    } catch (IllegalArgumentException e) {
      throw new IOException(
          file + ": " + e.getMessage() + "; bench run and bench compare write such files by --json",
          e);
    }
  }

  /**
   * Reads a text.
   *
   * @throws IllegalArgumentException if it does not hold results; the message names the place
   */
  static Results parse(String text) {
    Json json = Json.parse(text);
    return new Results(
        strings(json.get("machine")),
        strings(json.get("setup")),
        engines(json.get("engines")),
        json.get("works").items().stream()
            .map(work -> new Results.WorkFacts(work.get("name").text(), work.get("about").text()))
            .toList(),
        json.get("results").items().stream().map(ResultsReader::run).toList());
  }

  private static Map<String, String> strings(Json json) {
    Map<String, String> strings = new LinkedHashMap<>();
    json.names().forEach(name -> strings.put(name, json.get(name).text()));
    return strings;
  }

  private static List<Results.EngineFacts> engines(Json json) {
    List<Results.EngineFacts> engines =
        json.items().stream()
            .map(
                engine ->
                    new Results.EngineFacts(
                        engine.get("name").text(),
                        engine.get("about").text(),
                        engine.get("lsm").flag(),
                        engine.get("settings").text(),
                        engine.get("jvm").text(),
                        engine.get("absent").text()))
            .toList();
    if (engines.isEmpty()) {
      throw new IllegalArgumentException("engines is empty");
    }
    return engines;
  }

  private static Results.Run run(Json json) {
    boolean failed = json.has("failure");
    return new Results.Run(
        Math.toIntExact(json.get("round").whole()),
        json.get("workload").text(),
        json.get("engine").text(),
        json.get("entries").whole(),
        failed ? null : outcome(json),
        failed ? json.get("failure").text() : "",
        !failed || json.get("possible").flag());
  }

  private static Outcome outcome(Json json) {
    Map<String, Double> figures = new LinkedHashMap<>();
    Json named = json.get("figures");
    named.names().forEach(name -> figures.put(name, named.get(name).real()));
    Measured.Latency latency =
        new Measured.Latency(
            json.get("p50_us").real(),
            json.get("p90_us").real(),
            json.get("p99_us").real(),
            json.get("p999_us").real(),
            json.get("max_us").real());
    return new Outcome(
        new Measured(
            json.get("ops").whole(),
            json.get("seconds").real(),
            json.get("cut").flag(),
            latency,
            figures),
        json.get("disk_bytes").whole(),
        new Outcome.Resident(
            json.get("resident_peak_bytes").whole(),
            json.get("resident_anonymous_bytes").whole(),
            json.get("resident_file_bytes").whole()));
  }
}
