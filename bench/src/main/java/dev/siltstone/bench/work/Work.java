package dev.siltstone.bench.work;

import dev.siltstone.bench.store.Engine.Feature;
import java.util.Set;

/** Something that can be run and measured on every engine that has what it needs. */
public interface Work {

  /** The description. */
  Spec spec();

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
   * What a work is.
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
