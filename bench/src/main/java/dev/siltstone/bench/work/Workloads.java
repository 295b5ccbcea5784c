package dev.siltstone.bench.work;

import java.util.ArrayList;
import java.util.List;

/** All workloads, in the order in which one leaves what the next needs. */
public final class Workloads {
  private static final List<Workload> ALL =
      List.of(
          new FillSeq(),
          new FillBatch(),
          new FillRandom(),
          new Overwrite(),
          new ReadRandom(),
          new ReadMissing(),
          new SeekRandom(),
          new ReadSeq(),
          new ReadReverse(),
          new Compact(),
          new DeleteRandom(),
          new SeekDeleted(),
          new Queue(),
          new FillSync("fillsync", 1),
          new FillSync("fillsync8", 8));

  private Workloads() {}

  /** All there are. */
  public static List<Workload> all() {
    return ALL;
  }

  /** All but those that say little beside another one. */
  public static List<Workload> usual() {
    return ALL.stream().filter(workload -> !(workload instanceof FillBatch)).toList();
  }

  /**
   * Finds a workload by its name.
   *
   * @throws IllegalArgumentException naming those there are
   */
  public static Workload of(String name) {
    List<String> known = new ArrayList<>();
    for (Workload workload : ALL) {
      if (workload.spec().name().equals(name)) {
        return workload;
      }
      known.add(workload.spec().name());
    }
    throw new IllegalArgumentException(
        "no workload is called \"" + name + "\"; there are " + String.join(", ", known));
  }
}
