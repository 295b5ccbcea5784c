package dev.siltstone.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.time.Clock;
import dev.siltstone.base.time.SystemClock;
import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.report.Stages;
import dev.siltstone.bench.store.FaultyStore;
import dev.siltstone.bench.store.FaultyStore.Fault;
import dev.siltstone.bench.store.Store;
import dev.siltstone.bench.work.Plan;
import dev.siltstone.bench.work.WrongAnswerException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Goal: an experiment passes on a right store, fails on a wrong one, and gives its figures.
// Method: all of them in small on a skip list, then on skip lists that err in one way each.
final class ExperimentsTest {
  @Test
  void everyExperimentPassesOnARightStore() throws Exception {
    Set<String> names = new HashSet<>();
    for (Experiment experiment : Experiments.all()) {
      SmallLab lab = new SmallLab(Fault.NONE);

      Measured measured = experiment.run(lab);

      assertThat(names.add(experiment.spec().name())).isTrue();
      assertThat(measured.rate()).as(experiment.spec().name()).isPositive();
      assertThat(measured.figures()).as(experiment.spec().name()).isNotEmpty();
      assertThat(lab.weight).as(experiment.spec().name()).isPositive();
      assertThat(experiment.weight(lab)).isPositive();
    }
    assertThat(names).containsExactlyInAnyOrder("cliff", "timeseries", "footprint");
  }

  @ParameterizedTest
  @CsvSource({
    "cliff, LOSES_PUTS",
    "cliff, LOSES_DELETES",
    "cliff, DAMAGES_VALUES",
    "cliff, SEES_THE_DEAD",
    "timeseries, LOSES_PUTS",
    "timeseries, SKIPS_ENTRIES",
    "timeseries, REPEATS_ENTRIES",
    "footprint, LOSES_PUTS",
    "footprint, DAMAGES_VALUES",
    "footprint, SKIPS_ENTRIES"
  })
  void anExperimentNoticesAWrongStore(String name, Fault fault) {
    assertThatThrownBy(() -> of(name).run(new SmallLab(fault)))
        .isInstanceOf(WrongAnswerException.class)
        .hasMessageMatching(".*\\d.*");
  }

  @Test
  void theCliffGivesEveryPhaseOfEveryPattern() throws Exception {
    Measured measured = of("cliff").run(new SmallLab(Fault.NONE));

    assertThat(measured.ops()).isEqualTo(SmallLab.ENTRIES);
    assertThat(measured.figures().keySet())
        .hasSize(24)
        .contains("none_put_per_s", "0x10_delete_per_s", "all_reget_by_cursor_per_s")
        .doesNotContain("none_delete_per_s");
    assertThat(measured.figures().get("all_reget_by_cursor_per_s")).isEqualTo(measured.rate());
  }

  @Test
  void phasesOfTheCliffThatAreCutLeaveTheLaterOnesRight() throws Exception {
    Cliff cliff = new Cliff(new SystemClock(), new SmallLab(Fault.NONE), 1L << 40, 0.02);

    for (Cliff.Pattern pattern : Cliff.PATTERNS) {
      Cliff.Row row = cliff.run(pattern, new FaultyStore(Fault.NONE));
      assertThat(row.wrong()).isEmpty();
      assertThat(row.verified()).isFalse();
    }
  }

  private static Experiment of(String name) {
    return Experiments.all().stream()
        .filter(each -> each.spec().name().equals(name))
        .findAny()
        .orElseThrow();
  }

  /** A lab whose stores are small and may err. */
  private static final class SmallLab implements Experiment.Lab, Stages {
    static final long ENTRIES = 1000;

    private final Fault fault;
    private final Clock clock = new SystemClock();
    private double weight;

    SmallLab(Fault fault) {
      this.fault = fault;
    }

    @Override
    public Plan plan() {
      return new Plan(ENTRIES, ENTRIES, 100, 1);
    }

    @Override
    public double capSeconds() {
      return 1;
    }

    @Override
    public Clock clock() {
      return clock;
    }

    @Override
    public Stages stages() {
      return this;
    }

    @Override
    public Store fresh() {
      return new FaultyStore(fault);
    }

    @Override
    public void settle() {
      // Nothing goes on in the background.
    }

    @Override
    public long diskBytes() {
      return 4096;
    }

    @Override
    public void step(String name, double ofWeight) {
      weight += ofWeight;
    }

    @Override
    public void at(double share) {
      assertThat(share).isBetween(0.0, 1.0);
    }
  }
}
