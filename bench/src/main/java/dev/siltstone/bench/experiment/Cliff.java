package dev.siltstone.bench.experiment;

import dev.siltstone.base.time.Clock;
import dev.siltstone.bench.measure.Driver;
import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.report.Stages;
import dev.siltstone.bench.store.Store;
import dev.siltstone.bench.work.Pairs;
import dev.siltstone.bench.work.Task;
import dev.siltstone.bench.work.WrongAnswerException;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The tombstone experiment: put i to i times i for all i below a number, get all, delete those that
 * match a pattern, get all again, by get and by a new cursor for each.
 *
 * <p>A phase that takes too long is cut; the later ones then go as far as it came.
 */
public final class Cliff {
  /** The five patterns, from nothing deleted to everything. */
  public static final List<Pattern> PATTERNS =
      List.of(
          new Pattern("none", -1),
          new Pattern("0xf0", 0xF0),
          new Pattern("0x70", 0x70),
          new Pattern("0x10", 0x10),
          new Pattern("all", 0));

  private final Driver driver;
  private final Stages stages;
  private final long pairs;
  private final double capSeconds;

  /**
   * The experiment, for as many stores as there are patterns.
   *
   * @param pairs how many there are
   * @param capSeconds no phase takes longer: an engine that fell would take days
   */
  public Cliff(Clock clock, Stages stages, long pairs, double capSeconds) {
    this.stages = stages;
    this.pairs = pairs;
    this.capSeconds = capSeconds;
    driver = new Driver(clock, stages::at);
  }

  /** Weight of one pattern for the progress, about seconds. */
  public static double weight(long pairs) {
    return 12 * pairs / 1e6;
  }

  /** Runs one pattern on an empty store. A wrong answer is told in the row. */
  public Row run(Pattern pattern, Store store) throws InterruptedException {
    Measured put =
        phase(pattern, "put", 4, pairs, step(i -> store.put(Pairs.key(i), Pairs.value(i))));
    long there = put.ops();
    try {
      Measured get =
          phase(
              pattern, "get", 3, there, step(i -> Pairs.require(store.get(Pairs.key(i)), i, true)));
      Delete delete = new Delete(pattern, store);
      Measured deleted =
          pattern.deletes()
              ? phase(pattern, "delete", 1, pattern.count(there), delete)
              : Measured.NONE;
      Measured reget =
          phase(
              pattern,
              "get again",
              2,
              there,
              step(i -> Pairs.require(store.get(Pairs.key(i)), i, !delete.deleted(i))));
      Measured iterated =
          phase(
              pattern,
              "get again by cursor",
              2,
              there,
              step(i -> Pairs.require(store.getBySeek(Pairs.key(i)), i, !delete.deleted(i))));
      boolean cut =
          put.cut()
              || get.cut()
              || (pattern.deletes() && deleted.cut())
              || reget.cut()
              || iterated.cut();
      return new Row(
          pattern.label(),
          put.rate(),
          get.rate(),
          deleted.rate(),
          new Again(reget.rate(), iterated),
          !cut,
          "");
    } catch (WrongAnswerException e) {
      return new Row(
          pattern.label(),
          put.rate(),
          Double.NaN,
          Double.NaN,
          new Again(Double.NaN, Measured.NONE),
          false,
          String.valueOf(e.getMessage()));
    }
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

    /** Whether a number was deleted. */
    boolean deleted(long number) {
      return number < next && pattern.matches(number);
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
    stages.step("cliff " + pattern.label() + ": " + what, weight(pairs) * parts / 12);
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
  public record Pattern(String label, long mask) {
    /** How many numbers below a limit it deletes. */
    long count(long limit) {
      return LongStream.range(0, limit).filter(this::matches).count();
    }

    /** Whether it deletes any. */
    public boolean deletes() {
      return mask != -1;
    }

    /** Whether it deletes a number. */
    public boolean matches(long number) {
      return deletes() && (number & mask) == 0;
    }
  }

  /**
   * The second gets.
   *
   * @param getPerSecond by get
   * @param byCursor by a new cursor for each
   */
  public record Again(double getPerSecond, Measured byCursor) {}

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
  public record Row(
      String pattern,
      double putPerSecond,
      double getPerSecond,
      double deletePerSecond,
      Again again,
      boolean verified,
      String wrong) {}
}
