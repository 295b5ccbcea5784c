package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.Set;

/** The tombstone cliff: seeks into a store of which everything was deleted. */
final class SeekDeleted implements Workload {
  @Override
  public Spec spec() {
    return new Spec(
        "seekdeleted",
        "after every key was put and deleted: new cursor, seek to each key in order, find nothing",
        1,
        Shape.EMPTY,
        Shape.OTHER,
        Set.of());
  }

  @Override
  public long steps(Plan plan) {
    return plan.entries();
  }

  @Override
  public void prepare(Store store, Plan plan) {
    for (long i = 0; i < plan.entries(); i++) {
      store.put(Pairs.key(i), Pairs.value(i));
    }
    for (long i = 0; i < plan.entries(); i++) {
      store.delete(Pairs.key(i));
    }
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    return index -> {
      if (store.getBySeek(Pairs.key(index)) != null) {
        throw new WrongAnswerException("pair " + index + " is there, though deleted");
      }
      return 1;
    };
  }
}
