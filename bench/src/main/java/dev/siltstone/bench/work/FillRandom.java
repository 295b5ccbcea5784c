package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.Set;

/**
 * Puts in random order. Every key comes once, where db_bench draws with replacement, so that the
 * store is full afterwards and every later read has one right answer.
 */
final class FillRandom implements Workload {
  @Override
  public Spec spec() {
    return new Spec(
        "fillrandom",
        "put every key once, in random order",
        1,
        Shape.EMPTY,
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
    Scramble order = new Scramble(plan.entries(), plan.seed());
    return index -> {
      long number = order.at(index);
      store.put(Keys.key(number), values.value(number, 0));
      return 1;
    };
  }

  @Override
  public void verify(Store store, Plan plan) {
    Checks.filled(store, plan);
  }
}
