package dev.siltstone.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.siltstone.base.time.HybridTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which moments must stay readable. Registering a moment and advancing the history floor of a tree
 * exclude each other, so no compaction can drop what a snapshot that exists may read.
 *
 * <p>The <em>floor</em> of a tree is the greatest cutoff that any flush or compaction of it has
 * used: a reader below it would miss what was dropped. It never falls, and it is persisted with the
 * edit that used it. While a moment is registered, no floor rises above it; so whether a snapshot
 * can read a tree is settled when it is registered.
 */
final class SnapshotRegistry {
  private final Trees trees;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final TreeMap<Long, Integer> pins = new TreeMap<>();

  SnapshotRegistry(Trees trees) {
    this.trees = trees;
  }

  /**
   * Registers a moment of the past, which may lie below the floors of some trees.
   *
   * @param asked the moment in words
   * @throws DbException.Unavailable if it lies below those of all
   */
  Snapshot register(long time, long expiryTime, Instant asked) {
    lock.lock();
    try {
      long lowest = HybridTime.MAX;
      for (OpenTree tree : trees.all()) {
        lowest = Math.min(lowest, tree.historyFloor());
      }
      if (time < lowest) {
        throw gone("every tree", lowest, asked);
      }
      return pinned(time, expiryTime);
    } finally {
      lock.unlock();
    }
  }

  /** Registers a moment that all trees can be read at; {@code null} if it is too late for that. */
  @Nullable Snapshot tryRegister(long time, long expiryTime) {
    lock.lock();
    try {
      for (OpenTree tree : trees.all()) {
        if (time < tree.historyFloor()) {
          return null;
        }
      }
      return pinned(time, expiryTime);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private Snapshot pinned(long time, long expiryTime) {
    pins.merge(time, 1, Integer::sum);
    return new Snapshot(this, time, expiryTime);
  }

  /**
   * Refuses to read a tree at a moment that was registered.
   *
   * @throws DbException.Unavailable if its history may be gone
   */
  static void checkReadable(OpenTree tree, long time) {
    if (time < tree.historyFloor()) {
      throw gone("tree '" + tree.name() + "'", tree.historyFloor(), instant(time));
    }
  }

  private static Instant instant(long time) {
    return Instant.EPOCH.plus(HybridTime.toUnixMicros(time), ChronoUnit.MICROS);
  }

  private static DbException gone(String what, long floor, Instant asked) {
    return new DbException.Unavailable(
        "the history of "
            + what
            + " before "
            + instant(floor)
            + " is gone, asked for "
            + asked
            + "; a longer TreeOptions.retention keeps more",
        null);
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
   * Fixes the cutoff of a flush or compaction of a tree: no later than {@code wanted} and no later
   * than the oldest snapshot. Raises the tree's floor to it.
   */
  long cutoff(OpenTree tree, long wanted) {
    lock.lock();
    try {
      Map.Entry<Long, Integer> oldest = pins.firstEntry();
      long cutoff = oldest == null ? wanted : Math.min(wanted, oldest.getKey());
      tree.raiseHistoryFloor(cutoff);
      return cutoff;
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
