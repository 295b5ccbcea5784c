package dev.siltstone.bench.experiment;

import dev.siltstone.bench.measure.Driver;
import dev.siltstone.bench.measure.Footprint;
import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.store.Store;
import dev.siltstone.bench.work.Budget;
import dev.siltstone.bench.work.Keys;
import dev.siltstone.bench.work.Plan;
import dev.siltstone.bench.work.Task;
import dev.siltstone.bench.work.Workload;
import dev.siltstone.bench.work.Workloads;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What a store takes once it has come to rest: all entries are put in random order and overwritten
 * once, the store is compacted where that can be asked for, then read at random. Its rate is that
 * of the reads.
 */
final class FootprintExperiment implements Experiment {
  private static final String OVERWRITE = "overwrite";
  private static final String READ = "readrandom";
  private static final double WEIGHT = 4;

  @Override
  public Spec spec() {
    return new Spec(
        "footprint",
        "disk after all was put, overwritten and compacted, memory after random gets; gets are"
            + " counted",
        1,
        Shape.EMPTY,
        Shape.OTHER,
        Set.of());
  }

  @Override
  public double weight(Lab lab) {
    return WEIGHT;
  }

  @Override
  public Measured run(Lab lab) throws IOException, InterruptedException {
    Plan plan = lab.plan();
    Store store = lab.fresh();
    Workload filler = Workloads.filler();
    lab.stages().step("fill", 1);
    all(filler, store, lab);
    lab.stages().step(OVERWRITE, 1);
    Workload overwrite = Workloads.of(OVERWRITE);
    all(overwrite, store, lab);
    lab.stages().step("compact", 1);
    lab.settle();
    compact(store);
    overwrite.verify(store, plan);
    long disk = lab.diskBytes();
    Workload reads = Workloads.of(READ);
    lab.stages().step(READ, 1);
    Measured measured =
        new Driver(lab.clock(), lab.stages()::at)
            .run(
                reads.steps(plan),
                reads.spec().threads(),
                lab.capSeconds(),
                budget -> reads.task(store, plan, budget));
    double logical = (double) plan.entries() * (Keys.BYTES + plan.valueBytes());
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("logical_bytes", logical);
    put(figures, "disk_bytes", disk);
    if (disk >= 0) {
      figures.put("disk_over_logical", disk / logical);
    }
    put(figures, "resident_anonymous_bytes", Footprint.residentAnonymousBytes());
    put(figures, "resident_file_bytes", Footprint.residentFileBytes());
    return measured.with(figures);
  }

  /** Not measured, and so without a cap. */
  private static void all(Workload workload, Store store, Lab lab) {
    Plan plan = lab.plan();
    Task task = workload.task(store, plan, Budget.UNLIMITED);
    long steps = workload.steps(plan);
    for (long i = 0; i < steps; i++) {
      task.step(i);
      if ((i & 0xFFF) == 0) {
        lab.stages().at((double) i / steps);
      }
    }
  }

  private static void compact(Store store) {
    try {
      store.compact();
    } catch (UnsupportedOperationException e) {
      // Then it is as small as its engine makes it by itself.
      store.flush();
    }
  }

  /** A figure that the system may not tell. */
  private static void put(Map<String, Double> figures, String name, long bytes) {
    if (bytes >= 0) {
      figures.put(name, (double) bytes);
    }
  }
}
