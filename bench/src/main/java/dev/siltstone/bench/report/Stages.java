package dev.siltstone.bench.report;

/** Listens to how far a long work is. The work is a row of steps, each with a weight. */
public interface Stages {

  /**
   * Ends the current step and begins one.
   *
   * @param name what is done, for a person
   * @param weight about the seconds it takes; only ratios matter
   */
  void step(String name, double weight);

  /** Tells which share of the current step is done, 0 to 1. May be called often. */
  void at(double share);
}
