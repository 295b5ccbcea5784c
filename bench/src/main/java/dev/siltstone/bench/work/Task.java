package dev.siltstone.bench.work;

/** What one thread of a workload does, step by step. */
@FunctionalInterface
public interface Task {
  /**
   * Does one step.
   *
   * @param index number of the step, counted from 0 over all threads
   * @return entries read or written
   * @throws WrongAnswerException if the store answers wrongly
   */
  long step(long index);
}
