package dev.siltstone.bench.experiment;

import dev.siltstone.base.time.Clock;
import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.report.Stages;
import dev.siltstone.bench.store.Store;
import dev.siltstone.bench.work.Plan;
import dev.siltstone.bench.work.Work;
import java.io.IOException;

/** A work of several phases, which runs and times itself. */
public interface Experiment extends Work {

  /** Sum of the weights of the steps that a run tells. */
  double weight(Lab lab);

  /**
   * Runs all phases.
   *
   * @throws dev.siltstone.bench.work.WrongAnswerException if a store answers wrongly
   * @throws IOException if there is no room for a store
   */
  Measured run(Lab lab) throws IOException, InterruptedException;

  /** What an experiment works with. */
  interface Lab {
    /** How much of it. */
    Plan plan();

    /** About how long a measured part may take. */
    double capSeconds();

    /** What times are taken from. */
    Clock clock();

    /** Who wants to know how far it is. */
    Stages stages();

    /** An empty store in the place of the last one, which is closed and deleted. */
    Store fresh() throws IOException;

    /** Has the newest store flush, and waits until its engine has nothing to do. */
    void settle() throws InterruptedException;

    /** Bytes that the files of the newest store take on disk, or -1. */
    long diskBytes();
  }
}
