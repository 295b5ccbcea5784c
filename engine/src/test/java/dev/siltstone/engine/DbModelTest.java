package dev.siltstone.engine;

import dev.siltstone.testkit.run.Seeds;
import dev.siltstone.testkit.run.Shrinker;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: whatever is written, flushed, compacted, reopened or killed in between, a store reads like
 * the model. Method: seeded lists of operations on a simulated machine, under configurations drawn
 * from the seed; a list that fails is shortened and printed.
 */
final class DbModelTest {
  private static final int SEEDS = Integer.getInteger("siltstone.model.seeds", 300);
  private static final int OPERATIONS = 250;

  @Test
  void readsLikeTheModelUnderAnyConfiguration() {
    Seeds.forEach(
        1,
        SEEDS,
        seed -> {
          List<StoreOperation> operations = StoreOperation.draw(seed, OPERATIONS);
          AssertionError failure = StoreScript.run(seed, operations);
          if (failure != null) {
            List<StoreOperation> shortest =
                Shrinker.shrink(operations, some -> StoreScript.run(seed, some) != null);
            throw new AssertionError(
                "shortest failing list: " + shortest, StoreScript.run(seed, shortest));
          }
        });
  }
}
