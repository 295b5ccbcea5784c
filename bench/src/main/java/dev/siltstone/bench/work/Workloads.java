package dev.siltstone.bench.work;

import java.util.ArrayList;
import java.util.List;

/** All workloads of like steps, in the order in which one leaves what the next needs. */
public final class Workloads {
  private static final List<Workload> ALL =
      List.of(
          new FillSeq(),
          new FillBatch(),
          new FillRandom(),
          new Overwrite(),
          new ReadRandom(),
          new ReadMissing(),
          new MultiReadRandom(),
          new SeekRandom(),
          new ReadSeq(),
          new ReadReverse(),
          new ReadWhileWriting(),
          new Compact(),
          new DeleteSeq(),
          new DeleteRandom(),
          new SeekDeleted(),
          new Queue(),
          new FillSync("fillsync", 1),
          new FillSync("fillsync8", 8));

  private Workloads() {}

  /** What fills a store with all entries, unless something else is asked for. */
  public static Workload filler() {
    return new FillRandom();
  }

  /** All there are. */
  public static List<Workload> all() {
    return ALL;
  }

  /**
   * Finds a workload by its name.
   *
   * @throws IllegalArgumentException naming those there are
   */
  public static Workload of(String name) {
    return find(ALL, name);
  }

  /**
   * Finds a work by its name.
   *
   * @throws IllegalArgumentException naming those there are
   */
  public static <W extends Work> W find(List<W> works, String name) {
    List<String> known = new ArrayList<>();
    for (W work : works) {
      if (work.spec().name().equals(name)) {
        return work;
      }
      known.add(work.spec().name());
    }
    throw new IllegalArgumentException(
        "no workload is called \"" + name + "\"; there are " + String.join(", ", known));
  }
}
