package dev.siltstone.bench.run;

import dev.siltstone.bench.report.Stages;
import java.util.function.DoubleConsumer;

/** Makes one share of the whole out of steps of known weight in all. */
final class ShareOfStages implements Stages {
  private final DoubleConsumer share;
  private final double total;
  private double done;
  private double weight;

  ShareOfStages(DoubleConsumer share, double total) {
    this.share = share;
    this.total = total;
  }

  @Override
  public void step(String name, double ofWeight) {
    done += weight;
    weight = ofWeight;
    at(0);
  }

  @Override
  public void at(double ofStep) {
    share.accept(total <= 0 ? 0 : Math.clamp((done + ofStep * weight) / total, 0, 1));
  }
}
