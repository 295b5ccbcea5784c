package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;

/** Expects every key of a filled store in turn, from one end to the other. */
final class FullScan implements Store.Visitor {
  /** Entries between two looks at the clock. */
  private static final int STRIDE = 4096;

  private final Values values;
  private final Budget budget;
  private final long step;
  private long next;
  private long seen;
  private boolean cut;

  private FullScan(Plan plan, boolean descending, Budget budget) {
    values = new Values(plan.valueBytes());
    this.budget = budget;
    step = descending ? -1 : 1;
    next = descending ? plan.entries() - 1 : 0;
  }

  /**
   * Scans all of a filled store, or what the budget allows.
   *
   * @return entries seen
   */
  static long run(Store store, Plan plan, boolean descending, Budget budget) {
    FullScan scan = new FullScan(plan, descending, budget);
    store.scan(null, descending, scan);
    if (!scan.cut && scan.seen != plan.entries()) {
      throw new WrongAnswerException(
          "a scan of everything saw " + scan.seen + " entries, not " + plan.entries());
    }
    return scan.seen;
  }

  @Override
  public boolean visit(byte[] key, byte[] value) {
    Checks.requireKey(key, next);
    values.requireHead(value, next);
    next += step;
    seen++;
    cut = seen % STRIDE == 0 && budget.spent();
    return !cut;
  }
}
