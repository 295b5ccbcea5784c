package dev.siltstone.testkit.run;

// Goal: streams of one seed are independent and repeatable; a failure names its seed.
// Method: examples.

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class SeedsTest {

  @Test
  void streamsAreRepeatableAndDiffer() {
    Set<Long> firsts = new HashSet<>();
    for (long value = 0; value < 50; value++) {
      Seed seed = new Seed(value);
      for (String name : List.of("a", "b", "ab", "ba", "")) {
        long first = seed.random(name).nextLong();
        assertThat(seed.random(name).nextLong()).isEqualTo(first);
        firsts.add(first);
      }
      firsts.add(seed.derive(1).value());
      firsts.add(seed.derive(2).value());
    }
    assertThat(firsts).hasSize(50 * 7);
  }

  @Test
  void allSeedsRunUntilOneFails() {
    assumeTrue(System.getProperty(Seeds.PROPERTY) == null, "one seed was asked for");
    List<Long> seen = new ArrayList<>();
    assertThatThrownBy(
            () ->
                Seeds.forEach(
                    10,
                    10,
                    seed -> {
                      seen.add(seed.value());
                      assertThat(seed.value()).isLessThan(13);
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("seed 13 failed; replay with -Dsiltstone.seed=13");
    assertThat(seen).containsExactly(10L, 11L, 12L, 13L);
  }
}
