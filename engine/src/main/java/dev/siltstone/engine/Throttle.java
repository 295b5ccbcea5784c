package dev.siltstone.engine;

import dev.siltstone.base.run.Scheduler;
import dev.siltstone.base.time.Clock;

/**
 * Holds commits back as {@link StallPolicy} says.
 *
 * <p>What memtables grow by is owed, and paid off with time at the rate that the policy gives. A
 * commit pauses for what those before it owe, in small steps between which the policy is asked
 * anew; so it does not wait longer than needed if the background gets on, and writers slower than
 * the rate are not held back at all. For the leader of the {@link WriteQueue} only.
 */
final class Throttle {
  /** The policy is asked anew after so much of a pause. */
  static final long STEP_NANOS = 5_000_000L;

  /** A commit is not paced for longer; what is owed then is left to the next one. */
  static final long PACED_NANOS_MAX = 100_000_000L;

  /** Shorter pauses are not worth their cost; what is owed adds up. */
  static final long PAUSE_NANOS_MIN = 1_000_000L;

  /** More than this long is never owed: a huge batch does not slow those long after it. */
  private static final long OWED_NANOS_MAX = 500_000_000L;

  private final Clock clock;
  private final Scheduler scheduler;
  private final Backlog backlog;
  private final Background background;

  /** Growth of the memtables that is accounted for. */
  private long grown;

  /** Bytes that are to be paid off, as of {@link #paid}. */
  private double owed;

  private long paid;

  Throttle(Clock clock, Scheduler scheduler, Backlog backlog, Background background) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.backlog = backlog;
    this.background = background;
  }

  /** What writers wait for, and who is told that they did. */
  interface Background {
    /**
     * Returns when commits need not stop any more.
     *
     * @throws DbException if the background cannot make room
     */
    void awaitRoom();

    /** Writers were held back for so long. */
    void stalled(String cause, long nanos);
  }

  /**
   * Returns when the next commit may go on.
   *
   * @throws DbException if the background cannot make room
   */
  void admit() {
    long now = backlog.grownBytes();
    long more = now - grown;
    grown = now;
    if (backlog.isCalm()) {
      owed = 0;
      return;
    }
    owed += more;
    hold();
  }

  private void hold() {
    long begin = clock.nanoTime();
    long now = begin;
    while (true) {
      switch (StallPolicy.judge(backlog.pressure(now))) {
        case StallPolicy.Verdict.Admit _ -> {
          owed = 0;
          return;
        }
        case StallPolicy.Verdict.Pace pace -> {
          long left = Math.min(due(pace.bytesPerSecond(), now), PACED_NANOS_MAX - (now - begin));
          if (left < PAUSE_NANOS_MIN) {
            return;
          }
          scheduler.pause(Math.min(left, STEP_NANOS));
          now = stalled(pace.cause(), now, clock.nanoTime());
        }
        case StallPolicy.Verdict.Stop stop -> {
          try {
            background.awaitRoom();
          } finally {
            now = stalled(stop.cause(), now, clock.nanoTime());
          }
        }
      }
    }
  }

  /** How long it takes at a rate to pay off what is owed. */
  private long due(double bytesPerSecond, long now) {
    owed = Math.max(0, owed - bytesPerSecond * (now - paid) / 1e9);
    owed = Math.min(owed, bytesPerSecond * OWED_NANOS_MAX / 1e9);
    paid = now;
    return (long) (owed / bytesPerSecond * 1e9);
  }

  private long stalled(String cause, long since, long now) {
    background.stalled(cause, now - since);
    return now;
  }
}
