package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.Arrays;
import java.util.Set;

/**
 * Gets beside a thread that overwrites without pause. Now and then that thread looks whether it can
 * read what it has just written.
 */
final class ReadWhileWriting implements Workload {
  /** Puts between two looks. Odd, so that it meets every key in time. */
  private static final int LOOK_STRIDE = 61;

  @Override
  public Spec spec() {
    return new Spec(
        "readwhilewriting",
        "get keys that are there while another thread overwrites; gets are counted",
        1,
        Shape.FILLED,
        Shape.FILLED,
        Set.of());
  }

  @Override
  public long steps(Plan plan) {
    return plan.reads();
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    Values values = new Values(plan.valueBytes());
    return index -> {
      long number = Scramble.mix(index ^ plan.seed()) % plan.entries();
      values.require(store.get(Keys.key(number)), number);
      return 1;
    };
  }

  @Override
  public Task background(Store store, Plan plan) {
    Values values = new Values(plan.valueBytes());
    Scramble order = new Scramble(plan.entries(), ~plan.seed());
    return index -> {
      long number = order.at(index % plan.entries());
      byte[] key = Keys.key(number);
      byte[] value = values.value(number, (int) (index / plan.entries()) + 1);
      store.put(key, value);
      if (index % LOOK_STRIDE == 0 && !Arrays.equals(store.get(key), value)) {
        throw new WrongAnswerException("key " + number + " has not the value just written");
      }
      return 1;
    };
  }

  @Override
  public void verify(Store store, Plan plan) {
    Checks.filled(store, plan);
  }
}
