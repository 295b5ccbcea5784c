package dev.siltstone.base.time;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The one source of hybrid times of a store: strictly increasing, never behind the wall clock when
 * that runs forward, never behind a time that was handed out or persisted before.
 *
 * <p>Safe for concurrent use.
 */
public final class HybridClock {
  private final Clock clock;
  private final AtomicLong last;

  /**
   * A clock that continues after {@code last}.
   *
   * @param last the greatest hybrid time known to be in use; {@link HybridTime#MIN} for none
   */
  public HybridClock(Clock clock, long last) {
    this.clock = clock;
    this.last = new AtomicLong(last);
  }

  /** A hybrid time greater than all before: max(now, last + 1). */
  public long next() {
    long now = HybridTime.ofUnixMicros(clock.wallMicros());
    while (true) {
      long before = last.get();
      long next = Math.max(now, before + 1);
      if (last.compareAndSet(before, next)) {
        return next;
      }
    }
  }

  /**
   * The present: max(wall clock, last). Not handed out, so a later {@link #next} may return the
   * same number.
   */
  public long now() {
    return Math.max(HybridTime.ofUnixMicros(clock.wallMicros()), last.get());
  }

  /** The greatest time handed out or observed. */
  public long last() {
    return last.get();
  }

  /** Makes every later {@link #next} greater than {@code hybridTime}. */
  public void observe(long hybridTime) {
    last.accumulateAndGet(hybridTime, Math::max);
  }
}
