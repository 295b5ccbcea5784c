package dev.siltstone.engine;

/**
 * How much a commit is held back, so that flush and compaction keep pace. Pure.
 *
 * <p>Below the soft limits nothing is delayed. Between soft and hard limit each commit pays a delay
 * that grows with the debt and with its own size, so that throughput falls smoothly to what the
 * background can take; at a hard limit commits wait until it is left again.
 *
 * <p>Source of the idea: Sears and Ramakrishnan, "bLSM" (SIGMOD 2012), spring and gear.
 */
final class StallPolicy {
  /** Sealed memtables of one tree at which commits wait. */
  static final int SEALED_MAX = 4;

  /** Files of level 0 from which on commits are delayed. */
  static final int LEVEL0_SOFT = 20;

  /** Files of level 0 at which commits wait. */
  static final int LEVEL0_HARD = 60;

  /** The rate to which delays alone bring the writers down, in bytes a second. */
  private static final double RATE_MIN = 4e6;

  /** The rate at the soft limit, in bytes a second. */
  private static final double RATE_MAX = 256e6;

  private static final Verdict ADMIT = new Verdict.Admit();

  private StallPolicy() {}

  /** What to do with a commit. */
  sealed interface Verdict {
    /** Go on. */
    record Admit() implements Verdict {}

    /** Pause first. */
    record Delay(String cause, long nanos) implements Verdict {}

    /** Wait until the background has caught up, then ask again. */
    record Stop(String cause) implements Verdict {}
  }

  /**
   * What weighs on the background.
   *
   * @param sealed sealed memtables of the tree that has most
   * @param level0Files files of level 0 of the tree that has most; 0 if nothing compacts them
   * @param memtableBytes bytes of all memtables
   * @param memtableBytesMax what they may take
   */
  record Pressure(int sealed, int level0Files, long memtableBytes, long memtableBytesMax) {}

  /** Judges a commit of so many bytes. */
  static Verdict judge(long bytes, Pressure pressure) {
    if (pressure.sealed >= SEALED_MAX) {
      return new Verdict.Stop("memtables");
    }
    // Without a sealed memtable nothing would ever make room; a huge batch must then go through.
    if (pressure.sealed > 0 && pressure.memtableBytes > pressure.memtableBytesMax) {
      return new Verdict.Stop("memory");
    }
    int level0 = pressure.level0Files;
    if (level0 >= LEVEL0_HARD) {
      return new Verdict.Stop("level0-files");
    }
    if (level0 > LEVEL0_SOFT) {
      double debt = (double) (level0 - LEVEL0_SOFT) / (LEVEL0_HARD - LEVEL0_SOFT);
      double rate = RATE_MAX * Math.pow(RATE_MIN / RATE_MAX, debt);
      return new Verdict.Delay("level0-files", (long) (bytes / rate * 1e9));
    }
    return ADMIT;
  }
}
