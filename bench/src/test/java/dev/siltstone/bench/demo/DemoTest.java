package dev.siltstone.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.time.SystemClock;
import dev.siltstone.bench.experiment.Cliff;
import dev.siltstone.bench.experiment.TimeSeries;
import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.measure.Measured.Latency;
import dev.siltstone.bench.report.Progress;
import dev.siltstone.bench.store.FaultyStore;
import dev.siltstone.bench.store.FaultyStore.Fault;
import dev.siltstone.bench.work.WrongAnswerException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: the experiments pass on a right store and fail on a wrong one, and say what they found.
// Method: all of them in small on a skip list and on skip lists that err.
final class DemoTest {
  private static final long PAIRS = 1000;

  @TempDir Path folder;
  private final StringWriter out = new StringWriter();

  @Test
  void theWholeDemoPassesOnARightStoreAndSaysSo() throws Exception {
    DemoResult result =
        new Demo(
                _ -> new FaultyStore(Fault.NONE),
                new SystemClock(),
                new PrintWriter(out),
                false,
                new Demo.Scale(PAIRS, 1, 1, 60))
            .run(folder, Dumps.bundled(), "skiplist", "in memory");

    assertThat(result.right()).isTrue();
    assertThat(result.cliff())
        .extracting(Cliff.Row::pattern)
        .containsExactly("none", "0xf0", "0x70", "0x10", "all");
    assertThat(result.series().buckets()).hasSize(1);
    assertThat(out.toString()).contains("The tombstone cliff", "inventory", "slowest bucket");
    String page = DemoView.html(result);
    assertThat(page).doesNotContain("http:", "https:").contains("Siltstone demo", "0x70");
    assertThat(result.json()).contains("\"verified\": true").contains("\"identical\": true");
  }

  @Test
  void theFiguresHaveExactlyTheShapeThatIsPromised() {
    DemoResult result =
        new DemoResult(
            new DemoResult.Setup("e", "s", 1, Map.of()),
            List.of(
                new Cliff.Row(
                    "none",
                    1,
                    2,
                    Double.NaN,
                    new Cliff.Again(3.5, new Measured(4, 1, false, Latency.NONE, Map.of())),
                    true,
                    "")),
            List.of(new Dumps.Row("d", 7, true, true)),
            new TimeSeries.Result(
                100,
                2,
                1,
                List.of(sample(0.5, 20), sample(1.5, 60), sample(2, 100)),
                new TimeSeries.Reads(3, 12.5),
                Latency.NONE));

    assertThat(result.json())
        .isEqualTo(
            """
            {
              "cliff": [
                {
                  "pattern": "none",
                  "put_per_s": 1,
                  "get_per_s": 2,
                  "delete_per_s": null,
                  "reget_get_per_s": 3.5,
                  "reget_iter_per_s": 4,
                  "verified": true
                }
              ],
              "dumps": [
                {
                  "name": "d",
                  "entries": 7,
                  "identical": true
                }
              ],
              "timeseries": {
                "rows_per_s": 50,
                "bucket_min_over_median": 0.8,
                "reader_p99_us": 12.5
              }
            }
            """);
  }

  private static TimeSeries.Sample sample(double at, long rows) {
    return new TimeSeries.Sample(at, rows, 1, 1, 1);
  }

  @Test
  void patternsDeleteWhatSharesNoBit() {
    assertThat(count("none")).isZero();
    assertThat(count("0xf0")).isEqualTo(64);
    assertThat(count("0x70")).isEqualTo(128);
    assertThat(count("0x10")).isEqualTo(512);
    assertThat(count("all")).isEqualTo(1024);
  }

  private static long count(String label) {
    Cliff.Pattern pattern =
        Cliff.PATTERNS.stream().filter(each -> each.label().equals(label)).findAny().orElseThrow();
    return java.util.stream.LongStream.range(0, 1024).filter(pattern::matches).count();
  }

  @Test
  void theCliffNoticesWrongStores() throws Exception {
    for (Fault fault :
        List.of(Fault.LOSES_PUTS, Fault.LOSES_DELETES, Fault.DAMAGES_VALUES, Fault.SEES_THE_DEAD)) {
      Cliff.Row row =
          new Cliff(new SystemClock(), progress(), PAIRS, 60)
              .run(Cliff.PATTERNS.getLast(), new FaultyStore(fault));
      assertThat(row.verified()).as(fault.name()).isFalse();
      assertThat(row.wrong()).as(fault.name()).contains("pair ");
    }
  }

  @Test
  void dumpsComeBackByteForByteWhereTheOrderIsOurs() throws Exception {
    assertThat(dump("00\t01\n00ff\t\nff\t02\n", Fault.NONE))
        .isEqualTo(new Dumps.Row("d", 3, true, true));
    assertThat(dump("ff\t02\n00ff\t\n00\t01\n", Fault.NONE))
        .isEqualTo(new Dumps.Row("d", 3, true, false));
    assertThat(dump("", Fault.NONE)).isEqualTo(new Dumps.Row("d", 0, true, true));
  }

  @Test
  void dumpsThatComeBackDifferentAreNoticed() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      lines.append("%04x\t%02x%n".formatted(i, i % 256));
    }
    assertThat(dump(lines.toString(), Fault.LOSES_PUTS).identical()).isFalse();
    assertThat(dump(lines.toString(), Fault.SKIPS_ENTRIES).identical()).isFalse();
    // The same key twice: the later one wins, so the dump cannot come back whole.
    assertThat(dump("00\t01\n00\t02\n", Fault.NONE).identical()).isFalse();
    // Not the form that a dump has.
    assertThat(dump("0A\t01\n", Fault.NONE).identical()).isFalse();
    assertThatThrownBy(() -> dump("no tab\n", Fault.NONE)).hasMessageContaining("without a tab");
  }

  private static Dumps.Row dump(String text, Fault fault) throws Exception {
    return Dumps.run(
        new Dumps.Dump("d", text.getBytes(StandardCharsets.ISO_8859_1)), new FaultyStore(fault));
  }

  @Test
  void aCorpusIsPreferredToWhatComesWithTheProgram() throws Exception {
    assertThat(Dumps.find(folder.resolve("nowhere")))
        .extracting(Dumps.Dump::name)
        .containsExactly("inventory", "edges", "newest-first");

    Files.createDirectories(folder.resolve("corpus/b"));
    Files.createDirectories(folder.resolve("corpus/a"));
    Files.createDirectories(folder.resolve("corpus/without"));
    Files.writeString(folder.resolve("corpus/b/expected.tsv"), "00\t01\n");
    Files.writeString(folder.resolve("corpus/a/expected.tsv"), "");

    assertThat(Dumps.find(folder.resolve("corpus")))
        .extracting(Dumps.Dump::name)
        .containsExactly("a", "b");
  }

  @Test
  void theTimeSeriesNoticesWrongStores() {
    for (Fault fault : List.of(Fault.LOSES_PUTS, Fault.SKIPS_ENTRIES, Fault.REPEATS_ENTRIES)) {
      assertThatThrownBy(
              () -> new TimeSeries(new FaultyStore(fault), new SystemClock(), progress()).run(1, 1))
          .as(fault.name())
          .isInstanceOf(WrongAnswerException.class)
          .hasMessageContaining("metric");
    }
  }

  private Progress progress() {
    return new Progress(new PrintWriter(out), false, new SystemClock(), 1);
  }
}
