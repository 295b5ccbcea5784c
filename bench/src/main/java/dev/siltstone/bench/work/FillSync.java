package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Batch;
import dev.siltstone.bench.store.Store;
import java.util.Set;

/** Durable commits: what the device and the grouping of commits allow. */
final class FillSync implements Workload {
  private static final int BATCH_SIZE = 10;

  /** As db_bench: a thousandth of the entries, but enough to see a rate. */
  private static final int ENTRIES_PER_COMMIT = 100;

  private final String name;
  private final int threads;

  FillSync(String name, int threads) {
    this.name = name;
    this.threads = threads;
  }

  @Override
  public Spec spec() {
    return new Spec(
        name,
        "commit batches of "
            + BATCH_SIZE
            + " puts to the device, "
            + threads
            + (threads == 1 ? " thread" : " threads")
            + "; commits are counted",
        threads,
        Shape.EMPTY,
        Shape.OTHER,
        Set.of());
  }

  @Override
  public long steps(Plan plan) {
    return Math.max(100, plan.entries() / ENTRIES_PER_COMMIT);
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    Values values = new Values(plan.valueBytes());
    Batch batch = new Batch();
    Scramble order = new Scramble(steps(plan) * BATCH_SIZE, plan.seed());
    return index -> {
      batch.clear();
      for (int i = 0; i < BATCH_SIZE; i++) {
        long number = order.at(index * BATCH_SIZE + i);
        batch.put(Keys.key(number), values.value(number, 0));
      }
      store.write(batch, true);
      return 1;
    };
  }

  @Override
  public void verify(Store store, Plan plan) {
    Checks.present(store, plan, steps(plan) * BATCH_SIZE);
  }
}
