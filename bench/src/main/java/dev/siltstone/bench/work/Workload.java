package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Store;
import org.jspecify.annotations.Nullable;

/** A work that is a number of like steps on one store. */
public interface Workload extends Work {

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
   * What one more thread does beside the others, until they are done; its steps are no operations
   * of the workload. Null if there is no such thread.
   */
  default @Nullable Task background(Store store, Plan plan) {
    return null;
  }

  /**
   * Demands that the store holds what the workload must have left in it; not measured, and left out
   * if the run was cut short.
   *
   * @throws WrongAnswerException if it does not
   */
  default void verify(Store store, Plan plan) {}
}
