package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.Set;

/** Deletes half of the keys. */
final class DeleteRandom implements Workload {
  @Override
  public Spec spec() {
    return new Spec(
        "deleterandom",
        "delete every second key, in random order",
        1,
        Shape.FILLED,
        Shape.OTHER,
        Set.of());
  }

  @Override
  public long steps(Plan plan) {
    return Math.max(1, plan.entries() / 2);
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    Scramble order = new Scramble(steps(plan), plan.seed());
    return index -> {
      store.delete(Keys.key(2 * order.at(index)));
      return 1;
    };
  }

  @Override
  public void verify(Store store, Plan plan) {
    Values values = new Values(plan.valueBytes());
    long stride = Math.max(1, plan.entries() / Checks.SAMPLES);
    for (long number = 0; number < plan.entries(); number += stride) {
      byte[] found = store.get(Keys.key(number));
      if (number % 2 == 1 || number / 2 >= steps(plan)) {
        values.require(found, number);
      } else if (found != null) {
        throw new WrongAnswerException("key " + number + " is there, though deleted");
      }
    }
  }
}
