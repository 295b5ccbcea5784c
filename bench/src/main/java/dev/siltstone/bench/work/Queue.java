package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.Set;

/** A queue in a store: its head is always behind a growing stretch of tombstones. */
final class Queue implements Workload {
  /** Elements waiting in the queue. */
  private static final int LENGTH = 100;

  @Override
  public Spec spec() {
    return new Spec(
        "queue",
        "put at the tail, seek the head and delete it; cycles are counted",
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
    Values values = new Values(plan.valueBytes());
    for (long number = 0; number < LENGTH; number++) {
      store.put(Keys.key(number), values.value(number, 0));
    }
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    Values values = new Values(plan.valueBytes());
    Head head = new Head(values);
    return index -> {
      long tail = LENGTH + index;
      store.put(Keys.key(tail), values.value(tail, 0));
      head.due = index;
      head.seen = false;
      store.scan(null, false, head);
      if (!head.seen) {
        throw new WrongAnswerException("the queue is empty where element " + index + " was due");
      }
      store.delete(Keys.key(index));
      return 1;
    };
  }

  /** Expects one element. */
  private static final class Head implements Store.Visitor {
    private final Values values;
    private long due;
    private boolean seen;

    Head(Values values) {
      this.values = values;
    }

    @Override
    public boolean visit(byte[] key, byte[] value) {
      Checks.requireKey(key, due);
      values.require(value, due);
      seen = true;
      return false;
    }
  }
}
