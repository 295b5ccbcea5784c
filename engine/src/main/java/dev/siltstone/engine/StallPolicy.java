package dev.siltstone.engine;

/**
 * How much writers are held back, so that flush and compaction keep pace. Pure.
 *
 * <p>Each of some debts has a size at which it is free, and one at which it is used up. In between,
 * writers get the rate at which the background was measured to pay that debt off, times what is
 * free of it over what is used: more than the background takes while much is free, as much as it
 * takes at the half, little at the end. So the debt settles by itself where writers are as fast as
 * the background, whatever that is on this machine; nothing of it is known beforehand. The slowest
 * of these rates holds. A debt that is used up does not stop writers yet; they stop where memory or
 * reads would suffer.
 *
 * <p>Source of the idea: Sears and Ramakrishnan, "bLSM" (SIGMOD 2012), spring and gear.
 */
final class StallPolicy {
  /** Sealed memtables of one tree from which on commits are paced: a read looks into each. */
  static final int SEALED_SOFT = 4;

  /** Sealed memtables of one tree at which commits wait. */
  static final int SEALED_MAX = 16;

  /** Files of level 0 from which on commits are paced. */
  static final int LEVEL0_SOFT = 20;

  /** Files of level 0 at which commits wait. */
  static final int LEVEL0_HARD = 60;

  /** Files of level 0 at which no more of them are free. */
  private static final int LEVEL0_FULL = 56;

  /** The debt of compaction that is free, in bytes of the least level. */
  private static final int DEBT_LEVELS_SOFT = 64;

  /** The debt at which nothing is free. */
  private static final int DEBT_LEVELS_FULL = 256;

  /** Writers get this part of the background's rate at least, short of a stop. */
  private static final double SHARE_MIN = 1.0 / 8;

  /** From this multiple of the background's rate on, pacing would cost more than it does. */
  private static final double SHARE_MAX = 32;

  private static final Verdict ADMIT = new Verdict.Admit();

  private StallPolicy() {}

  /** What to do with a commit. */
  sealed interface Verdict {
    /** Go on. */
    record Admit() implements Verdict {}

    /**
     * Go on as fast as memtables grow by so many bytes a second.
     *
     * @param bytesPerSecond more than 0
     */
    record Pace(String cause, double bytesPerSecond) implements Verdict {}

    /** Wait until the background has caught up, then ask again. */
    record Stop(String cause) implements Verdict {}
  }

  /** What weighs on the background. */
  record Pressure(Memory memory, Tables tables) {}

  /**
   * Memtables.
   *
   * @param sealed sealed ones of the tree that has most
   * @param activeBytes of those that are being written
   * @param waitingBytes of sealed ones, without what running flushes have got through
   * @param bytes of all; a flush gives its memory back when it ends
   * @param bytesMax what they may take
   * @param flushBytes what one flush takes at once, about
   * @param flushRate bytes a second that flushes get through; 0 if unknown
   */
  record Memory(
      int sealed,
      long activeBytes,
      long waitingBytes,
      long bytes,
      long bytesMax,
      long flushBytes,
      double flushRate) {}

  /**
   * Table files; all 0 where nothing is compacted.
   *
   * @param level0Files files of level 0 of the tree that has most
   * @param debtBytes what compactions have to write, of all trees
   * @param levelBytes size of the least level below 0
   * @param level0Rate bytes of memtables a second whose files compactions take out of level 0; 0 if
   *     unknown
   */
  record Tables(int level0Files, long debtBytes, long levelBytes, double level0Rate) {}

  /** Whether no commit can be held back, whatever the memory and the rates. */
  static boolean isCalm(int sealed, int level0Files, long debtBytes, long levelBytes) {
    return sealed == 0 && level0Files <= LEVEL0_SOFT && debtBytes <= DEBT_LEVELS_SOFT * levelBytes;
  }

  /** Judges the next commit. */
  static Verdict judge(Pressure pressure) {
    Memory memory = pressure.memory;
    Tables tables = pressure.tables;
    if (memory.sealed >= SEALED_MAX) {
      return new Verdict.Stop("memtables");
    }
    // Without a sealed memtable nothing would ever make room; a huge batch must then go through.
    if (memory.sealed > 0 && memory.bytes > memory.bytesMax) {
      return new Verdict.Stop("memory");
    }
    if (tables.level0Files >= LEVEL0_HARD) {
      return new Verdict.Stop("level0-files");
    }
    // Files that are not compacted yet were flushed, so that there is a rate.
    double level0Rate = tables.level0Rate > 0 ? tables.level0Rate : memory.flushRate;
    Verdict verdict = ADMIT;
    verdict = slower(verdict, "memory", memory.flushRate * share(memoryUsed(memory)));
    verdict =
        slower(
            verdict,
            "memtables",
            memory.flushRate * share(used(memory.sealed, SEALED_SOFT, SEALED_MAX)));
    verdict =
        slower(
            verdict,
            "level0-files",
            level0Rate * share(used(tables.level0Files, LEVEL0_SOFT, LEVEL0_FULL)));
    double levels = tables.levelBytes == 0 ? 0 : (double) tables.debtBytes / tables.levelBytes;
    return slower(
        verdict,
        "compaction-debt",
        level0Rate * share(used(levels, DEBT_LEVELS_SOFT, DEBT_LEVELS_FULL)));
  }

  /**
   * Which part of the memory is used that sealed memtables may wait in.
   *
   * <p>As long as writers are as fast as the flush, what is being written and what waits make up
   * the same sum from one sealed memtable to the next; so the pace does not change with the turns
   * of memtables. What a flush has got through is left out for that, and room for it kept.
   */
  private static double memoryUsed(Memory memory) {
    long free = Math.max(memory.flushBytes, memory.activeBytes);
    long room = Math.max(memory.bytesMax / 16, memory.bytesMax - memory.flushBytes - free);
    return (double) (memory.activeBytes + memory.waitingBytes - free) / room;
  }

  private static double used(double debt, double soft, double full) {
    return (debt - soft) / (full - soft);
  }

  /** What is free over what is used. */
  private static double share(double used) {
    if (used <= 0) {
      return Double.POSITIVE_INFINITY;
    }
    double share = Math.max(SHARE_MIN, (1 - used) / used);
    return share > SHARE_MAX ? Double.POSITIVE_INFINITY : share;
  }

  private static Verdict slower(Verdict before, String cause, double rate) {
    // Not a number: nothing is known of the rate, and nothing is to be asked for.
    if (!(rate > 0) || rate == Double.POSITIVE_INFINITY) {
      return before;
    }
    return before instanceof Verdict.Pace pace && pace.bytesPerSecond <= rate
        ? before
        : new Verdict.Pace(cause, rate);
  }
}
