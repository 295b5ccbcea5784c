package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.Set;

/** Deletes all keys. */
final class DeleteSeq implements Workload {
  @Override
  public Spec spec() {
    return new Spec(
        "deleteseq", "delete every key, in order", 1, Shape.FILLED, Shape.OTHER, Set.of());
  }

  @Override
  public long steps(Plan plan) {
    return plan.entries();
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    return index -> {
      store.delete(Keys.key(index));
      return 1;
    };
  }

  @Override
  public void verify(Store store, Plan plan) {
    long stride = Math.max(1, plan.entries() / Checks.SAMPLES);
    for (long number = 0; number < plan.entries(); number += stride) {
      if (store.get(Keys.key(number)) != null) {
        throw new WrongAnswerException("key " + number + " is there, though deleted");
      }
    }
  }
}
