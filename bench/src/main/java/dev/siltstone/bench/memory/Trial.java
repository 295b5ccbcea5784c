package dev.siltstone.bench.memory;

import java.nio.file.Path;

/** Something the engine must be able to do with a bounded heap, run in the child process. */
interface Trial {
  /**
   * Runs it, and throws if an answer is wrong or the memory does not suffice.
   *
   * @param directory empty, for the store
   * @param size how much is done; the unit is the trial's
   * @param report takes a line for each phase
   */
  void run(Path directory, Size size, Report report) throws Exception;

  /**
   * How much a trial does.
   *
   * @param entries pairs of the store
   * @param seconds how long trials go on that have no end of their own
   */
  record Size(long entries, long seconds) {}
}
