package dev.siltstone.bench.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.siltstone.bench.report.Json;
import dev.siltstone.bench.report.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: results are summed up right, come back from JSON as they were, and are shown whole.
// Method: made-up results of three engines, one of which is absent.
final class ResultsTest {
  private static final Summary.Key FILL = new Summary.Key("fill", 1000);
  private static final Summary.Key READ = new Summary.Key("read", 1000);

  @TempDir Path folder;

  private static ResultFixture fixture() {
    return new ResultFixture()
        .rates("fill", "ours", 200, 100, 300)
        .rates("fill", "tree", 50, 50, 100)
        .rates("fill", "btree", 400, 400, 400)
        .rates("read", "ours", 10, 20)
        .failure("read", "tree", true)
        .failure("read", "btree", false);
  }

  @Test
  void roundsAreSummedUpByTheirMedian() {
    Summary summary = fixture().summary();

    assertThat(summary.keys()).containsExactly(FILL, READ);
    assertThat(summary.rate(FILL, "ours")).isEqualTo(new Spread(3, 100, 200, 300));
    assertThat(summary.rate(READ, "ours")).isEqualTo(new Spread(2, 10, 15, 20));
    assertThat(summary.rate(READ, "tree").rounds()).isZero();
    assertThat(Spread.of(1, 2, 3, 4).noise()).isCloseTo(1.2, within(1e-9));
    assertThat(Spread.of(Double.NaN).median()).isNaN();
  }

  @Test
  void ratiosAreThoseWithinARound() {
    Summary summary = fixture().summary();

    // 200/50, 100/50, 300/100
    assertThat(summary.ratio(FILL, "tree")).isEqualTo(new Spread(3, 2, 3, 4));
    assertThat(summary.ratioOverBest(FILL, Results.EngineFacts::lsm)).isEqualTo(3);
    assertThat(summary.ratioOverBest(FILL, _ -> true)).isEqualTo(0.5);
    assertThat(summary.ratioOverBest(READ, _ -> true)).isNaN();
  }

  @Test
  void onlyWhatAnEngineCanDoIsAFailure() {
    assertThat(fixture().results().failed()).isTrue();
    assertThat(new ResultFixture().failure("read", "btree", false).results().failed()).isFalse();
    assertThat(new ResultTables(fixture().summary()).failures().rows())
        .containsExactly(List.of("read", "tree", "1", "planted <failure>"));
  }

  @Test
  void resultsComeBackFromJsonAsTheyWere() throws Exception {
    Results results = fixture().results();
    Path file = folder.resolve("r.json");
    Files.writeString(file, ResultsJson.write(results));

    assertThat(ResultsReader.read(file)).isEqualTo(results);
  }

  @Test
  void theRowsHaveTheShapeThatIsPromised() {
    Json json = Json.parse(ResultsJson.write(fixture().results()));

    Json row = json.get("rows").items().getFirst();
    assertThat(row.names())
        .containsExactly("work", "ours", "peers", "ratio_lsm", "ratio_any", "entries", "noise");
    assertThat(row.get("work").text()).isEqualTo("fill");
    assertThat(row.get("ours").real()).isEqualTo(200);
    assertThat(row.get("peers").names()).containsExactly("tree", "btree", "gone");
    assertThat(row.get("peers").get("btree").real()).isEqualTo(400);
    assertThat(row.get("peers").get("gone").real()).isNaN();
    assertThat(row.get("ratio_lsm").real()).isEqualTo(3);
    assertThat(row.get("ratio_any").real()).isEqualTo(0.5);
    assertThat(row.get("noise").get("ours").get("max").real()).isEqualTo(300);
  }

  @Test
  void filesThatAreNotOfFiguresAreRefusedWithTheWayOut() throws Exception {
    Path file = folder.resolve("x.json");
    assertThatThrownBy(() -> ResultsReader.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("there is no file ");
    for (String text :
        List.of(
            "", "[]", "{\"machine\": {}}", "{\"machine\": {}, \"setup\": {}, \"engines\": []}")) {
      Files.writeString(file, text);
      assertThatThrownBy(() -> ResultsReader.read(file))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("x.json: ")
          .hasMessageContaining("--json");
    }
    String whole = ResultsJson.write(fixture().results());
    Files.writeString(file, whole.replaceFirst("\"ops\": \\d+", "\"ops\": \"many\""));
    assertThatThrownBy(() -> ResultsReader.read(file))
        .hasMessageContaining("results[0].ops is not a number");
  }

  @Test
  void anEngineThatDoesNotRunHereIsNamedWithItsReason() {
    ResultTables tables = new ResultTables(fixture().summary());

    assertThat(tables.setup())
        .containsEntry("gone", "does not run on this machine: no library for this system")
        .containsEntry("ours", "Ours: set so");
    assertThat(tables.rates().head())
        .containsExactly(
            "workload", "ours", "tree", "ratio", "btree", "ratio", "over best LSM", "over best");
    assertThat(tables.rates().rows().get(1)).contains("read", "FAILED", "-");
  }

  @Test
  void tablesShowNoiseLatenciesSpaceAndFigures() {
    ResultTables tables = new ResultTables(fixture().summary());

    assertThat(tables.noise().rows().getFirst())
        .containsExactly("fill", "ours", "3", "100/s", "200/s", "300/s", "100 %");
    assertThat(tables.latencies().rows().getFirst())
        .containsExactly("fill", "ours", "1.50 µs", "2.00 µs", "3.00 µs", "4.00 µs", "5.00 µs");
    assertThat(tables.space().rows().getFirst())
        .containsExactly("fill", "ours", "4.00 KiB", "1.00 MiB", "512 KiB", "-");
    assertThat(tables.figures().rows())
        .contains(List.of("fill", "all reget", "100/s", "25/s", "200/s"))
        .contains(List.of("fill", "disk over logical", "1.25 x", "1.25 x", "1.25 x"));
    assertThat(tables.growth().isEmpty()).isTrue();
    assertThat(new ResultTables(new ResultFixture().rates("fill", "ours", 1).summary()).noise())
        .returns(true, Table::isEmpty);
  }

  @Test
  void costsAreShownBySize() {
    ResultTables tables =
        new ResultTables(
            new ResultFixture()
                .rates("fill", 1_000_000, "ours", 1e6)
                .rates("read", 1_000_000, "ours", 2e6)
                .rates("fill", 5_000_000, "ours", 5e5)
                .rates("read", 5_000_000, "ours", 2e6)
                .summary());

    assertThat(tables.growth().head())
        .containsExactly("workload", "engine", "1.00M", "5.00M", "last over first");
    assertThat(tables.growth().rows())
        .containsExactly(
            List.of("fill", "ours", "1.00 µs", "2.00 µs", "2.00 x"),
            List.of("read", "ours", "0.50 µs", "0.50 µs", "1.00 x"));
    assertThat(tables.rates().rows().get(2)).startsWith("fill, 5.00M");
  }

  @Test
  void aPageHoldsAllFilesAndNeedsNothingButItself() throws Exception {
    Map<String, Results> files = new LinkedHashMap<>();
    files.put("monday", fixture().results());
    files.put(
        "tuesday",
        new ResultFixture()
            .rates("fill", 1000, "ours", 250)
            .rates("fill", 2000, "ours", 125)
            .results());

    String page = ResultsPage.render(files);

    assertThat(page)
        .doesNotContain("http:", "https:", "@import", "src=")
        .contains("all files", "monday: rates", "tuesday: cost by size", "of paper", "made up")
        .contains("no library for this system", "planted &lt;failure&gt;", "put all")
        .contains("uPlot=function", "\"label\": \"btree\"");
    assertThat(ResultsPage.render(Map.of("x", fixture().results())))
        .doesNotContain("all files")
        .contains("<h2>rates</h2>");
  }
}
