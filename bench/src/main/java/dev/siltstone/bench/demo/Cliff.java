package dev.siltstone.bench.demo;

import dev.siltstone.base.time.Clock;
import dev.siltstone.bench.report.Progress;
import dev.siltstone.bench.run.Driver;
import dev.siltstone.bench.run.Measured;
import dev.siltstone.bench.store.Store;
import dev.siltstone.bench.work.Pairs;
import dev.siltstone.bench.work.Task;
import dev.siltstone.bench.work.WrongAnswerException;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The tombstone experiment: put i to i times i for all i below a number, get all, delete those that
 * match a pattern, get all again, by get and by a new cursor for each.
 */
final class Cliff {
  /** The five patterns, from nothing deleted to everything. */
  static final List<Pattern> PATTERNS =
      List.of(
          new Pattern("none", -1),
          new Pattern("0xf0", 0xF0),
          new Pattern("0x70", 0x70),
          new Pattern("0x10", 0x10),
          new Pattern("all", 0));

  private final Driver driver;
  private final Progress progress;
  private final long pairs;
  private final double capSeconds;

  Cliff(Clock clock, Progress progress, long pairs, double capSeconds) {
    this.progress = progress;
    this.pairs = pairs;
    this.capSeconds = capSeconds;
    driver = new Driver(clock, progress::at);
  }

  /** Weight of one pattern for the progress, about seconds. */
  static double weight(long pairs) {
    return 12 * pairs / 1e6;
  }

  /** Runs one pattern on an empty store. */
  Row run(Pattern pattern, Store store) throws InterruptedException {
    Measured put =
        phase(pattern, "put", 4, pairs, step(i -> store.put(Pairs.key(i), Pairs.value(i))));
    boolean verified = !put.cut();
    try {
      Measured get =
          phase(
              pattern, "get", 3, pairs, step(i -> Pairs.require(store.get(Pairs.key(i)), i, true)));
      Measured delete = pattern.deletes() ? delete(pattern, store) : null;
      Measured reget =
          phase(
              pattern,
              "get again",
              2,
              pairs,
              step(i -> Pairs.require(store.get(Pairs.key(i)), i, !pattern.matches(i))));
      Measured iterated =
          phase(
              pattern,
              "get again by cursor",
              2,
              pairs,
              step(i -> Pairs.require(store.getBySeek(Pairs.key(i)), i, !pattern.matches(i))));
      return new Row(
          pattern.label(),
          put.rate(),
          get.rate(),
          delete == null ? Double.NaN : delete.rate(),
          new Again(reget.rate(), iterated.rate(), iterated.cut()),
          verified && !get.cut() && !reget.cut() && !iterated.cut(),
          "");
    } catch (WrongAnswerException e) {
      return new Row(
          pattern.label(),
          put.rate(),
          Double.NaN,
          Double.NaN,
          new Again(Double.NaN, Double.NaN, true),
          false,
          String.valueOf(e.getMessage()));
    }
  }

  private Measured delete(Pattern pattern, Store store) throws InterruptedException {
    long count = LongStream.range(0, pairs).filter(pattern::matches).count();
    return phase(pattern, "delete", 1, count, new Delete(pattern, store));
  }

  /** Deletes the next number that matches. */
  private static final class Delete implements Task {
    private final Pattern pattern;
    private final Store store;
    private long next;

    Delete(Pattern pattern, Store store) {
      this.pattern = pattern;
      this.store = store;
    }

    @Override
    public long step(long index) {
      while (!pattern.matches(next)) {
        next++;
      }
      store.delete(Pairs.key(next));
      next++;
      return 1;
    }
  }

  private Measured phase(Pattern pattern, String what, int parts, long steps, Task task)
      throws InterruptedException {
    progress.step("cliff " + pattern.label() + ": " + what, weight(pairs) * parts / 12);
    return driver.run(steps, 1, capSeconds, _ -> task);
  }

  private static Task step(Numbered action) {
    return index -> {
      action.run(index);
      return 1;
    };
  }

  /** Something done for a number. */
  @FunctionalInterface
  private interface Numbered {
    void run(long number);
  }

  /**
   * Which numbers are deleted: those that share no bit with the mask.
   *
   * @param label as printed
   * @param mask bits; 0 deletes everything, -1 nothing (not even 0)
   */
  record Pattern(String label, long mask) {
    boolean deletes() {
      return mask != -1;
    }

    boolean matches(long number) {
      return deletes() && (number & mask) == 0;
    }
  }

  /**
   * The second gets.
   *
   * @param getPerSecond by get
   * @param iterPerSecond by a new cursor for each
   * @param cut whether the cursors were stopped at the cap
   */
  record Again(double getPerSecond, double iterPerSecond, boolean cut) {}

  /**
   * What one pattern gave; rates are operations a second, NaN where there was no such phase.
   *
   * @param pattern label
   * @param putPerSecond puts
   * @param getPerSecond gets before the deletes
   * @param deletePerSecond deletes
   * @param again gets after the deletes
   * @param verified whether every answer came and was right
   * @param wrong what was wrong, or empty
   */
  record Row(
      String pattern,
      double putPerSecond,
      double getPerSecond,
      double deletePerSecond,
      Again again,
      boolean verified,
      String wrong) {}
}
