package dev.siltstone.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.siltstone.base.time.HybridTime;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which moments must stay readable. Registering a moment and advancing the history floor exclude
 * each other, so no compaction can drop what a snapshot that exists may read.
 *
 * <p>The <em>floor</em> is the greatest cutoff any flush or compaction has used: a reader below it
 * would miss what was dropped. It never falls, and it is persisted with the edit that used it.
 */
final class SnapshotRegistry {
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final TreeMap<Long, Integer> pins = new TreeMap<>();

  @GuardedBy("lock")
  private long floor;

  SnapshotRegistry(long floor) {
    this.floor = floor;
  }

  /**
   * Registers a moment.
   *
   * @throws DbException.Unavailable if its history may be gone
   */
  Snapshot register(long time, long expiryTime) {
    Snapshot snapshot = tryRegister(time, expiryTime);
    if (snapshot == null) {
      throw new DbException.Unavailable(
          "history before hybrid time "
              + floor()
              + " is gone, asked for "
              + time
              + "; a longer retention keeps more",
          null);
    }
    return snapshot;
  }

  /** Registers a moment; {@code null} if its history may be gone. */
  @Nullable Snapshot tryRegister(long time, long expiryTime) {
    lock.lock();
    try {
      if (time < floor) {
        return null;
      }
      pins.merge(time, 1, Integer::sum);
      return new Snapshot(this, time, expiryTime);
    } finally {
      lock.unlock();
    }
  }

  void release(long time) {
    lock.lock();
    try {
      pins.computeIfPresent(time, (_, count) -> count == 1 ? null : count - 1);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Fixes the cutoff of a flush or compaction: no later than {@code wanted} and no later than the
   * oldest snapshot. Raises the floor to it.
   */
  long cutoff(long wanted) {
    lock.lock();
    try {
      Map.Entry<Long, Integer> oldest = pins.firstEntry();
      long cutoff = oldest == null ? wanted : Math.min(wanted, oldest.getKey());
      floor = Math.max(floor, cutoff);
      return cutoff;
    } finally {
      lock.unlock();
    }
  }

  /** Earliest moment that can still be registered. */
  long floor() {
    lock.lock();
    try {
      return floor;
    } finally {
      lock.unlock();
    }
  }

  /** Open snapshots. */
  int count() {
    lock.lock();
    try {
      int count = 0;
      for (int n : pins.values()) {
        count += n;
      }
      return count;
    } finally {
      lock.unlock();
    }
  }

  /** The oldest open moment, or {@link HybridTime#MAX}. */
  long oldest() {
    lock.lock();
    try {
      return pins.isEmpty() ? HybridTime.MAX : pins.firstKey();
    } finally {
      lock.unlock();
    }
  }
}
