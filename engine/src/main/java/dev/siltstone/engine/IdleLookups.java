package dev.siltstone.engine;

import dev.siltstone.base.time.HybridClock;
import dev.siltstone.engine.read.PointGet;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Lookups that wait for their next use, so that a get need not make one. A thread finds the one
 * that it gave back, unless another thread shares its place and was faster; then it makes a new
 * one.
 *
 * <p>Safe for concurrent use; nobody waits.
 */
final class IdleLookups {
  private static final int PLACES = 64;

  /** Places lie a cache line apart. */
  private static final int STRIDE = 16;

  private final HybridClock clock;
  private final AtomicReferenceArray<@Nullable PointGet> idle =
      new AtomicReferenceArray<>(PLACES * STRIDE);

  IdleLookups(HybridClock clock) {
    this.clock = clock;
  }

  /** A lookup for this thread. */
  PointGet take() {
    PointGet waiting = idle.getAndSet(place(), null);
    return waiting == null ? new PointGet(clock) : waiting;
  }

  /** Gives a lookup back, whose result nobody reads any more. */
  void giveBack(PointGet lookup) {
    // What it found must not be kept in memory by it.
    lookup.result().clear();
    idle.setRelease(place(), lookup);
  }

  private static int place() {
    return ((int) Thread.currentThread().threadId() & (PLACES - 1)) * STRIDE;
  }
}
