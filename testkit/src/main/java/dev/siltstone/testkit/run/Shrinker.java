package dev.siltstone.testkit.run;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Makes a failing list of operations short. Source: Zeller and Hildebrandt, "Simplifying and
 * Isolating Failure-Inducing Input" (2002).
 */
public final class Shrinker {
  private Shrinker() {}

  /**
   * A sublist that still fails and from which no single operation can be left out, in the same
   * order.
   *
   * @param operations a list that fails
   * @param fails whether a list fails; is asked about O(n^2) lists at worst, O(n log n) if few
   *     operations matter, and must answer the same each time
   */
  public static <T> List<T> shrink(List<T> operations, Predicate<List<T>> fails) {
    if (!fails.test(operations)) {
      throw new IllegalArgumentException("the list does not fail");
    }
    List<T> current = List.copyOf(operations);
    int chunk = Math.max(1, current.size() / 2);
    while (true) {
      List<T> shorter = withoutSomeChunk(current, chunk, fails);
      if (shorter.size() < current.size()) {
        current = shorter;
        chunk = Math.min(chunk, Math.max(1, current.size() / 2));
      } else if (chunk == 1) {
        return current;
      } else {
        chunk = (chunk + 1) / 2;
      }
    }
  }

  /** Leaves out every chunk that is not needed, from the end to the start. */
  private static <T> List<T> withoutSomeChunk(
      List<T> operations, int chunk, Predicate<List<T>> fails) {
    List<T> current = operations;
    // From the end, because what comes last depends on the rest more often than the other way.
    for (int end = current.size(); end > 0; end -= chunk) {
      int start = Math.max(0, end - chunk);
      List<T> shorter = new ArrayList<>(current.subList(0, start));
      shorter.addAll(current.subList(end, current.size()));
      if (fails.test(List.copyOf(shorter))) {
        current = List.copyOf(shorter);
      }
    }
    return current;
  }
}
