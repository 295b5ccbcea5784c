package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Engine.Feature;
import dev.siltstone.bench.store.Store;
import java.util.Set;

/** One thing to measure. */
public interface Workload {

  /** The description. */
  Spec spec();

  /** Number of steps of all threads together. */
  long steps(Plan plan);

  /** Whether the store is changed, and its engine may have work to do afterwards. */
  default boolean writes() {
    return true;
  }

  /** Brings the store from its start into the shape the workload needs; not measured. */
  default void prepare(Store store, Plan plan) {}

  /** What a thread does; called once for each thread, in that thread. */
  Task task(Store store, Plan plan, Budget budget);

  /**
   * Demands that the store holds what the workload must have left in it; not measured, and left out
   * if the run was cut short.
   *
   * @throws WrongAnswerException if it does not
   */
  default void verify(Store store, Plan plan) {}

  /** In which shape a store is. */
  enum Shape {
    /** Nothing was ever written. */
    EMPTY,
    /** Keys 0 to entries - 1 have values, and no other. */
    FILLED,
    /** As FILLED, in ten overlapping files or more, with no compaction but on demand. */
    LAYERED,
    /** Anything else. */
    OTHER
  }

  /**
   * What a workload is.
   *
   * @param name as on the command line
   * @param about what is done and counted, in a sentence
   * @param threads number of threads
   * @param before shape that it needs
   * @param after shape that it leaves
   * @param features what an engine must have to run it
   */
  record Spec(
      String name, String about, int threads, Shape before, Shape after, Set<Feature> features) {}
}
