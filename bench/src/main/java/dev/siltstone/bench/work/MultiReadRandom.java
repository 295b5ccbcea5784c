package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Gets of several keys in one call. */
final class MultiReadRandom implements Workload {
  private static final int KEYS = 100;

  @Override
  public Spec spec() {
    return new Spec(
        "multireadrandom",
        "get " + KEYS + " random keys that are there in one call; keys are counted",
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
    return Math.max(1, plan.reads() / KEYS);
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    Values values = new Values(plan.valueBytes());
    return index -> {
      List<byte[]> keys = new ArrayList<>(KEYS);
      for (int i = 0; i < KEYS; i++) {
        keys.add(Keys.key(number(plan, index, i)));
      }
      List<byte @Nullable []> found = store.getAll(keys);
      if (found.size() != KEYS) {
        throw new WrongAnswerException(found.size() + " answers came for " + KEYS + " keys");
      }
      for (int i = 0; i < KEYS; i++) {
        values.require(found.get(i), number(plan, index, i));
      }
      return KEYS;
    };
  }

  private static long number(Plan plan, long index, int i) {
    return Scramble.mix(index * KEYS + i ^ plan.seed()) % plan.entries();
  }
}
