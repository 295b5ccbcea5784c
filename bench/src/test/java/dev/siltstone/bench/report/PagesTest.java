package dev.siltstone.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.time.Clock;
import dev.siltstone.base.time.SystemClock;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

// Goal: tables line up, progress is short, and a page needs nothing but itself.
// Method: golden texts; a clock moved by hand; the page searched for anything that fetches.
final class PagesTest {
  private static final Chart CHART =
      new Chart(
          "rates",
          new Chart.Axis("t", "s"),
          new Chart.Axis("r", "/s"),
          Chart.Scale.LOG,
          Chart.Places.NUMBERS,
          List.of(new Chart.Line("a", List.of(1.0, 2.0), List.of(Double.NaN, 3.5))));

  @Test
  void tablesLineUp() {
    Table table = new Table("name", "rate").row("a", "1,000/s").row("long one", "7/s");

    assertThat(table.text())
        .isEqualTo(
            """
              name         rate
              --------  -------
              a         1,000/s
              long one      7/s
            """);
    assertThatThrownBy(() -> table.row("a")).hasMessageContaining("2 cells");
  }

  @Test
  void aPageNeedsNothingButItself() throws Exception {
    String page =
        new HtmlPage("A <title>", "lead & more")
            .section("S")
            .paragraph("p")
            .tiles(Map.of("what", "1/s"))
            .table(new Table("a", "b").row("<x>", "NO"))
            .facts(Map.of("k", "v"))
            .verbatim("$ x")
            .chart(CHART)
            .render();

    assertThat(page)
        .doesNotContain("http:", "https:", "@import", "src=")
        .contains("A &lt;title&gt;", "lead &amp; more", "&lt;x&gt;", "uPlot=function")
        .contains("<td class=\"no\">NO</td>")
        .contains("MIT License");
    assertThat(page.split("<link")).hasSize(2);
    assertThat(page).contains("<link rel=\"icon\" href=\"data:,\">");
  }

  @Test
  void aChartIsWrittenForTheScriptWithGapsAsNull() {
    JsonWriter json = new JsonWriter();
    CHART.write(json);

    assertThat(json.text().replaceAll("\\s+", ""))
        .isEqualTo(
            "{\"x\":\"t\",\"xUnit\":\"s\",\"y\":\"r\",\"unit\":\"/s\",\"scale\":\"LOG\","
                + "\"joined\":true,\"places\":[],\"xs\":[1,2],"
                + "\"lines\":[{\"label\":\"a\",\"values\":[null,3.5]}]}");
  }

  @Test
  void progressSaysPercentAndTimeLeftOnOneLineOfATerminal() {
    HandClock clock = new HandClock();
    StringWriter out = new StringWriter();
    Progress progress = new Progress(new PrintWriter(out), true, clock, 4);

    progress.step("load", 1);
    clock.seconds(10);
    progress.step("read", 3);
    clock.seconds(5);
    progress.at(0.5);
    progress.print("kept");
    progress.finish();

    assertThat(out.toString())
        .contains("\r\u001b[K  0 %  load")
        .contains(" 25 %  read   about 30 s left")
        .contains(" 62 %  read   about 9.0 s left")
        .contains("kept\n")
        .endsWith("\r\u001b[K");
  }

  @Test
  void progressIsALineNowAndThenElsewhere() {
    HandClock clock = new HandClock();
    StringWriter out = new StringWriter();
    Progress progress = new Progress(new PrintWriter(out), false, clock, 100);

    progress.step("load", 100);
    for (int i = 0; i < 25; i++) {
      clock.seconds(1);
      progress.at(i / 100.0);
    }
    progress.finish();

    assertThat(out.toString().lines()).hasSize(2).allMatch(line -> line.contains("%  load"));
    assertThat(out.toString()).doesNotContain("\r", "\u001b");
  }

  @Test
  void theMachineIsDescribed() {
    Map<String, String> facts = Machine.facts(Path.of("").toAbsolutePath(), new SystemClock());

    assertThat(facts)
        .containsKeys("processor", "cores", "memory", "disk", "system", "JDK", "JVM flags", "date");
    assertThat(facts.values()).noneMatch(String::isBlank);
    assertThat(Machine.memoryBytes()).isPositive();
  }

  /** Moved by hand. */
  private static final class HandClock implements Clock {
    private long nanos;

    void seconds(int seconds) {
      nanos += seconds * 1_000_000_000L;
    }

    @Override
    public long wallMicros() {
      return nanos / 1000;
    }

    @Override
    public long nanoTime() {
      return nanos;
    }
  }
}
