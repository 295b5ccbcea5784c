package dev.siltstone.bench.result;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A row of one file beside the same row of another.
 *
 * @param key which work and size
 * @param engine on which engine
 * @param before rates of the first file
 * @param after rates of the second
 */
public record Change(Summary.Key key, String engine, Spread before, Spread after) {
  /** Two rounds say nothing of how far a third one may lie. */
  private static final int ROUNDS_MIN = 3;

  /** What can be said. */
  public enum Verdict {
    /** The second file is faster by more than the noise. */
    FASTER,
    /** The second file is slower by more than the noise. */
    SLOWER,
    /** No more than what rounds of one file differ by. */
    WITHIN_NOISE,
    /** A file has fewer than three rounds of it, so its noise is not known. */
    TOO_FEW_ROUNDS,
    /** One of the files has no rate here. */
    NOT_IN_BOTH;

    /** As in a table. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** All rows that either of two files has, in the order of the first. */
  public static List<Change> between(Summary before, Summary after) {
    List<Change> changes = new ArrayList<>();
    collect(before, before, after, changes);
    List<Change> more = new ArrayList<>();
    collect(after, before, after, more);
    for (Change change : more) {
      if (!changes.contains(change)) {
        changes.add(change);
      }
    }
    return changes;
  }

  private static void collect(Summary rows, Summary before, Summary after, List<Change> changes) {
    for (Summary.Key key : rows.keys()) {
      for (Results.EngineFacts engine : rows.results().engines()) {
        Spread one = before.rate(key, engine.name());
        Spread other = after.rate(key, engine.name());
        if (one.rounds() + other.rounds() > 0) {
          changes.add(new Change(key, engine.name(), one, other));
        }
      }
    }
  }

  /** How many times faster the second file is, by its medians. */
  public double ratio() {
    return after.median() / before.median();
  }

  /**
   * The noise: by how much the medians may differ without meaning anything, as a part of the first
   * one. It is what the rounds of both files spread over together: medians of three rounds of the
   * same program differ by more in 1 or 2 of 100 rows.
   */
  public double noise() {
    return (before.width() + after.width()) / before.median();
  }

  /** Whether the files differ, and how. */
  public Verdict verdict() {
    if (before.rounds() == 0 || after.rounds() == 0) {
      return Verdict.NOT_IN_BOTH;
    }
    if (before.rounds() < ROUNDS_MIN || after.rounds() < ROUNDS_MIN) {
      return Verdict.TOO_FEW_ROUNDS;
    }
    if (Math.abs(ratio() - 1) <= noise()) {
      return Verdict.WITHIN_NOISE;
    }
    return ratio() > 1 ? Verdict.FASTER : Verdict.SLOWER;
  }
}
