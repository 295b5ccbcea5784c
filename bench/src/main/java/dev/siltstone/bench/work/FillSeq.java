package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.Set;

/** Puts in key order. */
final class FillSeq implements Workload {
  @Override
  public Spec spec() {
    return new Spec(
        "fillseq", "put every key once, in order", 1, Shape.EMPTY, Shape.FILLED, Set.of());
  }

  @Override
  public long steps(Plan plan) {
    return plan.entries();
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    Values values = new Values(plan.valueBytes());
    return index -> {
      store.put(Keys.key(index), values.value(index, 0));
      return 1;
    };
  }

  @Override
  public void verify(Store store, Plan plan) {
    Checks.filled(store, plan);
  }
}
