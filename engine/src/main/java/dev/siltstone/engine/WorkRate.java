package dev.siltstone.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How fast jobs of one kind get through their bytes: over the time in which at least one of them
 * runs, of the last seconds; what is longer ago counts the less, the longer.
 *
 * <p>Safe for concurrent use. Times are those of a clock that only goes forward.
 */
final class WorkRate {
  /** When so much time has been counted, all that was counted is halved. */
  private static final long WINDOW_NANOS = 4_000_000_000L;

  /** Less time than this says nothing. */
  private static final long NANOS_MIN = 20_000_000L;

  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private int running;

  /** Up to when time was counted, while something runs. */
  @GuardedBy("lock")
  private long counted;

  @GuardedBy("lock")
  private double bytes;

  @GuardedBy("lock")
  private double nanos;

  /** A job begins. */
  void begin(long now) {
    lock.lock();
    try {
      advance(now);
      running++;
    } finally {
      lock.unlock();
    }
  }

  /** A job that runs has got through so many bytes more. */
  void done(long more) {
    lock.lock();
    try {
      bytes += more;
    } finally {
      lock.unlock();
    }
  }

  /** A job has ended that was not counted while it ran. */
  void add(long more, long took) {
    lock.lock();
    try {
      bytes += more;
      nanos += Math.max(0, took);
      fade();
    } finally {
      lock.unlock();
    }
  }

  /** A job ends. */
  void end(long now) {
    lock.lock();
    try {
      advance(now);
      running--;
    } finally {
      lock.unlock();
    }
  }

  /** The rate; 0 if it is not known. */
  double bytesPerSecond(long now) {
    lock.lock();
    try {
      advance(now);
      return nanos < NANOS_MIN ? 0 : bytes * 1e9 / nanos;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void advance(long now) {
    if (running > 0) {
      nanos += Math.max(0, now - counted);
      fade();
    }
    counted = now;
  }

  @GuardedBy("lock")
  private void fade() {
    if (nanos > WINDOW_NANOS) {
      nanos /= 2;
      bytes /= 2;
    }
  }
}
