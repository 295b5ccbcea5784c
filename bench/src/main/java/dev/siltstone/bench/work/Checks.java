package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.Arrays;

/** What workloads demand of a store after they changed it. */
final class Checks {
  /** About how many keys are looked up one by one. */
  static final long SAMPLES = 1000;

  private Checks() {}

  /** Demands that the store holds all entries of a plan and nothing else. */
  static void filled(Store store, Plan plan) {
    Values values = new Values(plan.valueBytes());
    filled(store, plan, values::require);
  }

  /** Demands the same, each entry of a generation: none of the writes that made it was lost. */
  static void filled(Store store, Plan plan, int generation) {
    Values values = new Values(plan.valueBytes());
    filled(store, plan, (value, number) -> values.requireGeneration(value, number, generation));
  }

  private static void filled(Store store, Plan plan, ValueCheck check) {
    long[] next = {0};
    store.scan(
        null,
        false,
        (key, value) -> {
          requireKey(key, next[0]);
          check.require(value, next[0]);
          next[0]++;
          return true;
        });
    if (next[0] != plan.entries()) {
      throw new WrongAnswerException(
          "the store has " + next[0] + " entries, not " + plan.entries());
    }
    present(store, plan, plan.entries());
  }

  /** Demands that keys 0 to count - 1 have their values, by samples. */
  static void present(Store store, Plan plan, long count) {
    Values values = new Values(plan.valueBytes());
    long stride = Math.max(1, count / SAMPLES);
    for (long number = 0; number < count; number += stride) {
      values.require(store.get(Keys.key(number)), number);
    }
  }

  /** Demands something of the value of a key. */
  @FunctionalInterface
  private interface ValueCheck {
    void require(byte[] value, long number);
  }

  /** Demands that a key is the one with a number. */
  static void requireKey(byte[] key, long number) {
    if (!Keys.is(key, number)) {
      throw new WrongAnswerException(
          "a scan came to key " + Arrays.toString(key) + " where key " + number + " was due");
    }
  }
}
