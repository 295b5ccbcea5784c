package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.Set;

/** Gets of keys that are there. */
final class ReadRandom implements Workload {
  @Override
  public Spec spec() {
    return new Spec(
        "readrandom",
        "get keys that are there, in random order",
        1,
        Shape.FILLED,
        Shape.FILLED,
        Set.of());
  }

  @Override
  public boolean writes() {
    return false;
  }

  @Override
  public long steps(Plan plan) {
    return plan.reads();
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    Values values = new Values(plan.valueBytes());
    return index -> {
      long number = Scramble.mix(index ^ plan.seed()) % plan.entries();
      values.require(store.get(Keys.key(number)), number);
      return 1;
    };
  }
}
