package dev.siltstone.testkit.run;

// Goal: what is left fails, in order, and nothing of it can be left out; few lists are tried.
// Method: failures planted in random lists.

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class ShrinkerTest {

  @Test
  void onlyTheGuiltyAreLeft() {
    Seeds.forEach(
        1,
        200,
        seed -> {
          SplittableRandom random = seed.random("list");
          List<Integer> all = new ArrayList<>();
          for (int i = 0, n = 1 + random.nextInt(300); i < n; i++) {
            all.add(i);
          }
          TreeSet<Integer> guilty = new TreeSet<>();
          for (int i = 0, n = 1 + random.nextInt(4); i < n; i++) {
            guilty.add(random.nextInt(all.size()));
          }
          int[] asked = new int[1];
          List<Integer> left =
              Shrinker.shrink(
                  all,
                  list -> {
                    asked[0]++;
                    return list.containsAll(guilty);
                  });
          assertThat(left).containsExactlyElementsOf(guilty);
          assertThat(asked[0]).isLessThan(200);
        });
  }

  @Test
  void failureWithoutOperationsShrinksToNone() {
    assertThat(Shrinker.shrink(List.of(1, 2, 3), _ -> true)).isEmpty();
  }

  @Test
  void listThatDoesNotFailIsRefused() {
    assertThatThrownBy(() -> Shrinker.shrink(List.of(1), _ -> false))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void resultIsMinimalWhenOperationsDependOnEachOther() {
    // Fails if the sum is at least 100: many sublists do, and what is left must need each part.
    List<Integer> all = new ArrayList<>();
    for (int i = 1; i <= 40; i++) {
      all.add(i);
    }
    List<Integer> left = Shrinker.shrink(all, list -> sum(list) >= 100);
    for (Integer one : left) {
      assertThat(sum(left) - one).isLessThan(100);
    }
  }

  private static int sum(List<Integer> list) {
    return list.stream().mapToInt(Integer::intValue).sum();
  }
}
