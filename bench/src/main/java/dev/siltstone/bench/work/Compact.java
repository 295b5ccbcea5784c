package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Engine.Feature;
import dev.siltstone.bench.store.Store;
import java.util.Set;

/**
 * Compaction of everything. What background compaction has merged before is not merged again, so
 * the rate compares whole engines, not merge loops.
 */
final class Compact implements Workload {
  @Override
  public Spec spec() {
    return new Spec(
        "compact",
        "compact a store of ten overlapping files; entries are counted",
        1,
        Shape.LAYERED,
        Shape.OTHER,
        Set.of(Feature.COMPACT));
  }

  @Override
  public long steps(Plan plan) {
    return 1;
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    return _ -> {
      store.compact();
      return plan.entries();
    };
  }

  @Override
  public void verify(Store store, Plan plan) {
    Checks.filled(store, plan);
  }
}
