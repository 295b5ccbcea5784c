package dev.siltstone.bench.run;

import dev.siltstone.bench.report.Machine;
import dev.siltstone.bench.store.StoreConfig;
import dev.siltstone.bench.work.Plan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that all runs share. */
final class RunOptions {
  private static final long ENTRIES = 1_000_000;
  private static final long ENTRIES_QUICK = 200_000;
  private static final long MIB = 1 << 20;
  private static final long HEAP_MIB = 4096;
  private static final long HEAP_MIN_MIB = 1024;

  @Option(
      names = "--quick",
      description = "200,000 entries instead of 1,000,000, cut after 3 s instead of 30 s.")
  boolean quick;

  @Option(
      names = {"--entries", "--num"},
      split = ",",
      paramLabel = "N",
      converter = CountConverter.class,
      description =
          "Entries of a filled store, such as 200000, 200k or 1M. Several, by comma, run one after"
              + " another and show how costs grow. Default: 1M.")
  @Nullable List<Long> entries;

  @Option(
      names = "--reads",
      paramLabel = "N",
      converter = CountConverter.class,
      description = "Reads. Default: as many as entries.")
  @Nullable Long reads;

  @Option(
      names = "--value-size",
      paramLabel = "BYTES",
      defaultValue = "100",
      description = "Bytes of a value. Default: ${DEFAULT-VALUE}.")
  int valueBytes = 100;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "How often everything is run, engines taking turns; medians are printed, and from two on"
              + " the noise. Default: 1; compare --quick: 3.")
  @Nullable Integer rounds;

  @Option(
      names = "--fork",
      description = "Start the engines anew for every round, so that noise between JVMs is seen.")
  boolean fork;

  @Option(
      names = "--cap",
      paramLabel = "SECONDS",
      description = "A measured part is cut after so long. Default: 30.")
  @Nullable Integer capSeconds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "What random orders follow from. Default: ${DEFAULT-VALUE}.")
  long seed = 1;

  @Option(
      names = "--memtable",
      paramLabel = "MIB",
      defaultValue = "64",
      description = "Write buffer in MiB. Default: ${DEFAULT-VALUE}.")
  long memtableMib = 64;

  @Option(
      names = "--cache",
      paramLabel = "MIB",
      defaultValue = "512",
      description = "Block cache in MiB. Default: ${DEFAULT-VALUE}.")
  long cacheMib = 512;

  @Option(names = "--no-compression", description = "Store table files uncompressed.")
  boolean uncompressed;

  @Option(
      names = "--heap",
      paramLabel = "MIB",
      description =
          "Heap of each engine's JVM in MiB, at most. Default: 4096, less where memory is short.")
  @Nullable Integer heapMib;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Where the stores go while it runs. Default: a folder below target/.")
  @Nullable Path dir;

  @Option(names = "--json", paramLabel = "FILE", description = "Also write all figures as JSON.")
  @Nullable Path json;

  @Option(names = "--html", paramLabel = "FILE", description = "Also write a report.")
  @Nullable Path html;

  /**
   * How much is to be done.
   *
   * @param sizes unless the user has named others
   * @param usualRounds likewise
   * @throws IllegalArgumentException if there is a number that cannot be
   */
  Comparison.Scale scale(List<Long> sizes, int usualRounds) {
    double cap = capSeconds != null ? capSeconds : quick ? 3 : 30;
    List<Plan> plans = new ArrayList<>();
    for (long count : entries != null ? entries : sizes) {
      plans.add(new Plan(count, reads != null ? reads : count, valueBytes, seed));
    }
    return new Comparison.Scale(plans, cap, rounds != null ? rounds : usualRounds, fork);
  }

  /** The one size that a run has unless the user names others. */
  List<Long> usualSizes() {
    return List.of(quick ? ENTRIES_QUICK : ENTRIES);
  }

  StoreConfig config() {
    return new StoreConfig(memtableMib * MIB, cacheMib * MIB, !uncompressed, true);
  }

  /**
   * Arguments of each child's JVM for its heap.
   *
   * @param engines that run at once; together they leave a third of the memory to the page cache
   */
  List<String> heap(int engines) {
    long share = Machine.memoryBytes() * 2 / 3 / engines / MIB;
    long most = heapMib != null ? heapMib : Math.clamp(share, 256, HEAP_MIB);
    return List.of("-Xms" + Math.min(most, HEAP_MIN_MIB) + "m", "-Xmx" + most + "m");
  }
}
