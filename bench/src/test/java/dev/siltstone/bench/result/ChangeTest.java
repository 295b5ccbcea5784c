package dev.siltstone.bench.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.bench.result.Change.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

// Goal: a difference is called one only where it exceeds the noise of both files.
// Method: made-up rates around the border.
final class ChangeTest {
  @Test
  void onlyWhatExceedsTheNoiseIsADifference() {
    double[] before = {95, 100, 105};
    assertThat(verdict(before, 195, 200, 205)).isEqualTo(Verdict.FASTER);
    assertThat(verdict(before, 45, 50, 55)).isEqualTo(Verdict.SLOWER);
    assertThat(verdict(before, 95, 100, 105)).isEqualTo(Verdict.WITHIN_NOISE);
    // The rounds spread over 10 and 10: medians may differ by 20.
    assertThat(verdict(before, 115, 120, 125)).isEqualTo(Verdict.WITHIN_NOISE);
    assertThat(verdict(before, 116, 121, 126)).isEqualTo(Verdict.FASTER);
    assertThat(verdict(before, 74, 79, 84)).isEqualTo(Verdict.SLOWER);
    assertThat(verdict(before, 75, 80, 85)).isEqualTo(Verdict.WITHIN_NOISE);
    assertThat(verdict(new double[] {10, 100, 190}, 200, 200, 200)).isEqualTo(Verdict.WITHIN_NOISE);
  }

  @Test
  void withoutThreeRoundsTheNoiseIsNotKnown() {
    assertThat(verdict(new double[] {100, 100}, 200, 200, 200)).isEqualTo(Verdict.TOO_FEW_ROUNDS);
    assertThat(verdict(new double[] {1, 1, 1}, 200)).isEqualTo(Verdict.TOO_FEW_ROUNDS);
    assertThat(verdict(new double[] {}, 1, 1, 1)).isEqualTo(Verdict.NOT_IN_BOTH);
  }

  private static Verdict verdict(double[] before, double... after) {
    return new Change(new Summary.Key("w", 1), "e", Spread.of(before), Spread.of(after)).verdict();
  }

  @Test
  void rowsOfEitherFileAreListedOnce() {
    Summary before =
        new ResultFixture()
            .rates("fill", "ours", 100, 101, 102)
            .rates("read", "ours", 7, 7, 7)
            .summary();
    Summary after =
        new ResultFixture()
            .rates("fill", "ours", 200, 201, 202)
            .rates("fill", "tree", 1, 1, 1)
            .summary();

    List<Change> changes = Change.between(before, after);

    assertThat(changes)
        .extracting(change -> change.key().work() + " " + change.engine() + " " + change.verdict())
        .containsExactly("fill ours FASTER", "fill tree NOT_IN_BOTH", "read ours NOT_IN_BOTH");
    assertThat(ChangeTables.changes(changes).rows().getFirst())
        .containsExactly("fill", "1,000", "ours", "101/s", "201/s", "1.99 x", "3.96 %", "faster");
    assertThat(ChangeTables.verdict(changes))
        .isEqualTo("3 rows: 1 faster, 0 slower, 0 within noise, 0 too few rounds, 2 not in both");
  }

  @Test
  void whatElseDiffersIsNamed() {
    Results one = new ResultFixture().results();
    Results other =
        new Results(
            java.util.Map.of("processor", "of stone", "date", "today"),
            one.setup(),
            one.engines(),
            one.works(),
            one.runs());

    assertThat(ChangeTables.differences(one, one).isEmpty()).isTrue();
    assertThat(ChangeTables.differences(one, other).rows())
        .containsExactly(List.of("processor", "of paper", "of stone"));
  }
}
