package dev.siltstone.engine;

import dev.siltstone.base.time.HybridTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A moment of the store that stays readable until it is closed: all trees, every batch whole. What
 * was overwritten or deleted since is kept as long, so snapshots are best short-lived.
 *
 * <p>Safe for concurrent use.
 */
public final class Snapshot implements AutoCloseable {
  private final SnapshotRegistry registry;
  private final long time;
  private final long expiryTime;
  private final AtomicBoolean closed = new AtomicBoolean();

  Snapshot(SnapshotRegistry registry, long time, long expiryTime) {
    this.registry = registry;
    this.time = time;
    this.expiryTime = expiryTime;
  }

  /** The wall-clock time of the last write that the snapshot sees, to the microsecond. */
  public Instant time() {
    return Instant.EPOCH.plus(HybridTime.toUnixMicros(time), ChronoUnit.MICROS);
  }

  /** The hybrid time of the last write that the snapshot sees. */
  public long hybridTime() {
    return time;
  }

  /** Gives the moment up. Idempotent. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      registry.release(time);
    }
  }

  /** Its moment, and whether it is open. */
  @Override
  public String toString() {
    return "snapshot of " + time() + (closed.get() ? " (closed)" : " (open)");
  }

  long expiryTime() {
    return expiryTime;
  }

  void checkUsable(SnapshotRegistry expected) {
    if (registry != expected) {
      throw new IllegalArgumentException("the snapshot belongs to another store");
    }
    if (closed.get()) {
      throw new DbException.Closed("the snapshot");
    }
  }
}
