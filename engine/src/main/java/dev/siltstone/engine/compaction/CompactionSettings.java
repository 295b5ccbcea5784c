package dev.siltstone.engine.compaction;

/**
 * What shapes the tree of levels.
 *
 * @param level0Files number of level-0 files from which on they are compacted; default 4. More:
 *     less written, slower reads
 * @param fanOut how many times greater a level is than the one above it; 2 to 100, default 10.
 *     More: fewer levels to read, more written
 * @param baseBytes size from which on the first level below level 0 gets another one under it;
 *     default 256 MiB
 * @param fileBytes size at which an output file is ended; default 64 MiB
 * @param overlapBytesMax how much of the level below its own a file may overlap; default 640 MiB
 * @param jobBytesMax how much one compaction reads at most, unless its first file needs more;
 *     default 1600 MiB
 * @param deadPercent share of dead entries, in percent, from which on a file is compacted although
 *     its level has room; 1 to 100, or 101 for never; default 30
 */
public record CompactionSettings(
    int level0Files,
    int fanOut,
    long baseBytes,
    long fileBytes,
    long overlapBytesMax,
    long jobBytesMax,
    int deadPercent) {
  private static final long MIB = 1L << 20;

  /** The defaults. */
  public static final CompactionSettings DEFAULT =
      new CompactionSettings(4, 10, 256 * MIB, 64 * MIB, 640 * MIB, 1600 * MIB, 30);

  /** Checks the ranges. */
  public CompactionSettings {
    require("level0Files", level0Files, 1, 1_000);
    require("fanOut", fanOut, 2, 100);
    require("baseBytes", baseBytes, 1, Long.MAX_VALUE);
    require("fileBytes", fileBytes, 1, Long.MAX_VALUE);
    require("overlapBytesMax", overlapBytesMax, 1, Long.MAX_VALUE);
    require("jobBytesMax", jobBytesMax, 1, Long.MAX_VALUE);
    require("deadPercent", deadPercent, 1, 101);
  }

  /**
   * The defaults for output files of another size; all other sizes change with it.
   *
   * @param fileBytes 1 to 2^40
   */
  public static CompactionSettings forFileBytes(long fileBytes) {
    require("fileBytes", fileBytes, 1, 1L << 40);
    return new CompactionSettings(
        DEFAULT.level0Files,
        DEFAULT.fanOut,
        4 * fileBytes,
        fileBytes,
        10 * fileBytes,
        25 * fileBytes,
        DEFAULT.deadPercent);
  }

  private static void require(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + ": " + value + " is not in " + min + ".." + max);
    }
  }
}
