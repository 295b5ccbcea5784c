package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.Set;

/** One scan of everything, upward. */
final class ReadSeq implements Workload {
  @Override
  public Spec spec() {
    return new Spec(
        "readseq",
        "one cursor over all entries, forward; entries are counted",
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
    return 1;
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    return _ -> FullScan.run(store, plan, false, budget);
  }
}
