package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import java.util.Set;

/** Short range scans. */
final class SeekRandom implements Workload {
  private static final int NEXTS = 10;

  @Override
  public Spec spec() {
    return new Spec(
        "seekrandom",
        "new cursor, seek to a random key, " + NEXTS + " next; cursors are counted",
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
    return Math.max(1, plan.reads() / 4);
  }

  @Override
  public Task task(Store store, Plan plan, Budget budget) {
    Values values = new Values(plan.valueBytes());
    Run run = new Run(values);
    return index -> {
      long first = Scramble.mix(index ^ plan.seed()) % plan.entries();
      run.next = first;
      run.left = NEXTS + 1;
      store.scan(Keys.key(first), false, run);
      long due = Math.min(NEXTS + 1, plan.entries() - first);
      if (run.next - first != due) {
        throw new WrongAnswerException(
            "a scan from key " + first + " saw " + (run.next - first) + " entries, not " + due);
      }
      return 1;
    };
  }

  /** Expects consecutive keys. */
  private static final class Run implements Store.Visitor {
    private final Values values;
    private long next;
    private int left;

    Run(Values values) {
      this.values = values;
    }

    @Override
    public boolean visit(byte[] key, byte[] value) {
      Checks.requireKey(key, next);
      values.require(value, next);
      next++;
      left--;
      return left > 0;
    }
  }
}
