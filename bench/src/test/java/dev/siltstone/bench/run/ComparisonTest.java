package dev.siltstone.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.time.SystemClock;
import dev.siltstone.bench.report.Progress;
import dev.siltstone.bench.result.Results.Run;
import dev.siltstone.bench.store.Engine;
import dev.siltstone.bench.store.StoreConfig;
import dev.siltstone.bench.work.Plan;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: engines take turns, sizes and rounds are all run, and an engine that does not run on this
// machine is named with its reason while the others go on.
// Method: real children in small; a folder for native libraries that is not there.
final class ComparisonTest {
  private static final Plan PLAN = new Plan(300, 300, 100, 1);

  @TempDir Path folder;
  private final StringWriter out = new StringWriter();

  @Test
  void roundsAndSizesInterleaveTheEngines() throws Exception {
    Comparison comparison =
        new Comparison(
            List.of(Engine.SKIPLIST, Engine.IQ80),
            List.of(Catalog.of("fillseq")),
            new Comparison.Scale(List.of(PLAN, PLAN.of(600, 600)), 60, 2, true));

    run(comparison, List.of("-Xmx128m"));

    assertThat(comparison.runs())
        .extracting(run -> run.round() + " " + run.entries() + " " + run.engine())
        .containsExactly(
            "1 300 skiplist",
            "1 300 iq80",
            "1 600 skiplist",
            "1 600 iq80",
            "2 300 iq80",
            "2 300 skiplist",
            "2 600 iq80",
            "2 600 skiplist");
    assertThat(comparison.runs()).extracting(Run::outcome).doesNotContainNull();
    assertThat(comparison.engines().getFirst().settings()).contains("in memory");
    assertThat(comparison.engines().getFirst().jvm()).contains("-Xmx128m");
  }

  @Test
  void anEngineThatDoesNotRunHereIsNamedAndTheOthersGoOn() throws Exception {
    Comparison comparison =
        new Comparison(
            List.of(Engine.SKIPLIST, Engine.ROCKSDBJNI),
            List.of(Catalog.of("fillseq")),
            new Comparison.Scale(List.of(PLAN), 60, 1, false));

    run(comparison, List.of("-Xmx128m", "-Djava.io.tmpdir=" + folder.resolve("nowhere")));

    assertThat(comparison.runs()).extracting(Run::engine).containsExactly("skiplist");
    assertThat(comparison.engines().getLast().absent())
        .contains("Unable to load", "; because of ", "No such file");
    assertThat(out.toString()).contains("rocksdbjni does not run on this machine: ");
  }

  @Test
  void withoutRoundsThereIsNothingToRun() {
    assertThatThrownBy(() -> new Comparison.Scale(List.of(PLAN), 1, 0, false))
        .hasMessageContaining("not 0 and 1");
    assertThatThrownBy(() -> new Comparison.Scale(List.of(), 1, 1, false))
        .hasMessageContaining("not 1 and 0");
  }

  private void run(Comparison comparison, List<String> heap) throws Exception {
    Progress progress =
        new Progress(new PrintWriter(out), false, new SystemClock(), comparison.weight());
    comparison.run(StoreConfig.DEFAULT, folder, heap, progress);
  }
}
