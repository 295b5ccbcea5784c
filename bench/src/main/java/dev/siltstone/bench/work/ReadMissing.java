package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.Set;

/** Gets of keys that are not there, between keys that are. */
final class ReadMissing implements Workload {
  @Override
  public Spec spec() {
    return new Spec(
        "readmissing",
        "get keys that lie between those there, in random order",
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
    return index -> {
      long number = Scramble.mix(index ^ plan.seed()) % plan.entries();
      if (store.get(Keys.missing(number)) != null) {
        throw new WrongAnswerException("a key after key " + number + " was found, never written");
      }
      return 1;
    };
  }
}
