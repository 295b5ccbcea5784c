package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.Set;

/** Puts keys that are there, in random order. */
final class Overwrite implements Workload {
  private static final int GENERATION = 1;

  @Override
  public Spec spec() {
    return new Spec(
        "overwrite",
        "put every key again, in another random order",
        1,
        Shape.FILLED,
        Shape.FILLED,
        Set.of());
  }

  @Override
  public long steps(Plan plan) {
    return plan.entries();
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    Values values = new Values(plan.valueBytes());
    Scramble order = new Scramble(plan.entries(), ~plan.seed());
    return index -> {
      long number = order.at(index);
      store.put(Keys.key(number), values.value(number, GENERATION));
      return 1;
    };
  }

  @Override
  public void verify(Store store, Plan plan) {
    Checks.filled(store, plan, GENERATION);
  }
}
