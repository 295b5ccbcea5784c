package dev.siltstone.bench.experiment;

import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.work.WrongAnswerException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The {@link Cliff} as a work: its rate is that of cursors after everything was deleted. */
final class CliffExperiment implements Experiment {
  /** A phase may take this part of the cap: there are some twenty. */
  private static final double CAP_PART = 1.0 / 3;

  private static final double CAP_SECONDS_MIN = 2;

  @Override
  public Spec spec() {
    return new Spec(
        "cliff",
        "put and get pairs, delete by each of "
            + Cliff.PATTERNS.size()
            + " patterns, get all again; the rate is that of a new cursor for each key after"
            + " everything was deleted",
        1,
        Shape.EMPTY,
        Shape.OTHER,
        Set.of());
  }

  @Override
  public double weight(Lab lab) {
    return Cliff.PATTERNS.size() * Cliff.weight(lab.plan().entries());
  }

  @Override
  public Measured run(Lab lab) throws IOException, InterruptedException {
    double cap = Math.max(Math.min(lab.capSeconds(), CAP_SECONDS_MIN), lab.capSeconds() * CAP_PART);
    Cliff cliff = new Cliff(lab.clock(), lab.stages(), lab.plan().entries(), cap);
    Map<String, Double> figures = new LinkedHashMap<>();
    Measured last = Measured.NONE;
    for (Cliff.Pattern pattern : Cliff.PATTERNS) {
      Cliff.Row row = cliff.run(pattern, lab.fresh());
      if (!row.wrong().isEmpty()) {
        throw new WrongAnswerException("pattern " + pattern.label() + ": " + row.wrong());
      }
      last = row.again().byCursor();
      figures.put(pattern.label() + "_put_per_s", row.putPerSecond());
      figures.put(pattern.label() + "_get_per_s", row.getPerSecond());
      if (pattern.deletes()) {
        figures.put(pattern.label() + "_delete_per_s", row.deletePerSecond());
      }
      figures.put(pattern.label() + "_reget_per_s", row.again().getPerSecond());
      figures.put(pattern.label() + "_reget_by_cursor_per_s", last.rate());
    }
    return last.with(figures);
  }
}
