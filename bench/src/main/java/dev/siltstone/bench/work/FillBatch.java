package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Batch;
import dev.siltstone.bench.store.Store;
import java.util.Set;

/** Puts in key order, a thousand to a batch. */
final class FillBatch implements Workload {
  private static final int BATCH_SIZE = 1000;

  @Override
  public Spec spec() {
    return new Spec(
        "fillbatch",
        "put every key once, in order, in batches of " + BATCH_SIZE,
        1,
        Shape.EMPTY,
        Shape.FILLED,
        Set.of());
  }

  @Override
  public long steps(Plan plan) {
    return (plan.entries() + BATCH_SIZE - 1) / BATCH_SIZE;
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    Values values = new Values(plan.valueBytes());
    Batch batch = new Batch();
    return index -> {
      batch.clear();
      long end = Math.min(plan.entries(), (index + 1) * BATCH_SIZE);
      for (long number = index * BATCH_SIZE; number < end; number++) {
        batch.put(Keys.key(number), values.value(number, 0));
      }
      store.write(batch, false);
      return batch.size();
    };
  }

  @Override
  public void verify(Store store, Plan plan) {
    Checks.filled(store, plan);
  }
}
