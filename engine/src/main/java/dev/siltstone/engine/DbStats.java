package dev.siltstone.engine;

import dev.siltstone.engine.gap.GapMemo;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Counters of a store since it was opened, and gauges of this moment.
 *
 * @param gets point lookups
 * @param getHits those that found a value
 * @param cursorsOpened cursors opened
 * @param steppedOver dead or older records that cursors have passed
 * @param gaps the memo of stretches without anything live, of all trees together
 * @param batches batches written
 * @param records records written
 * @param logBytes bytes appended to the log
 * @param logSyncs syncs of the log
 * @param flushes memtables flushed
 * @param flushBytes bytes of the tables they became
 * @param compactions compactions that merged files
 * @param compactionBytesIn bytes they read
 * @param compactionBytesOut bytes they wrote
 * @param filesMoved files moved to the next level unread
 * @param filesDropped files dropped unread
 * @param entriesDropped records that flushes and compactions dropped
 * @param stallNanos time groups of writers were held back, paced or stopped, by cause: the {@code
 *     memory} of memtables that wait for their flush, or the number of such {@code memtables}; the
 *     number of {@code level0-files}, or the {@code compaction-debt} in bytes
 * @param cacheHits blocks found in the block cache
 * @param cacheMisses blocks read from files
 * @param cacheBytes bytes in the block cache
 * @param memtableBytes bytes in memtables
 * @param memoryBudgetBytes what block cache and memtables may take together
 * @param logLiveBytes bytes of log segments that recovery would read
 * @param openCursors cursors not closed
 * @param openSnapshots snapshots not closed
 * @param trees every tree
 */
public record DbStats(
    long gets,
    long getHits,
    long cursorsOpened,
    long steppedOver,
    Gaps gaps,
    long batches,
    long records,
    long logBytes,
    long logSyncs,
    long flushes,
    long flushBytes,
    long compactions,
    long compactionBytesIn,
    long compactionBytesOut,
    long filesMoved,
    long filesDropped,
    long entriesDropped,
    Map<String, Long> stallNanos,
    long cacheHits,
    long cacheMisses,
    long cacheBytes,
    long memtableBytes,
    long memoryBudgetBytes,
    long logLiveBytes,
    long openCursors,
    long openSnapshots,
    List<TreeStats> trees) {

  /**
   * What cursors have learned of stretches without anything live, and what it was good for.
   *
   * @param known stretches known now
   * @param learned stretches that cursors have proven
   * @param jumps times a cursor jumped one
   * @param clips times a put was cut out of one
   * @param evictions stretches given up for want of room
   */
  public record Gaps(long known, long learned, long jumps, long clips, long evictions) {
    static final Gaps NONE = new Gaps(0, 0, 0, 0, 0);

    Gaps plus(GapMemo memo) {
      return new Gaps(
          known + memo.size(),
          learned + memo.learned(),
          jumps + memo.jumps(),
          clips + memo.clips(),
          evictions + memo.evictions());
    }
  }

  /** Copies the collections. */
  public DbStats {
    Objects.requireNonNull(gaps, "gaps");
    Objects.requireNonNull(stallNanos, "stallNanos");
    Objects.requireNonNull(trees, "trees");
    stallNanos = Map.copyOf(stallNanos);
    trees = List.copyOf(trees);
  }

  /** Bytes written by flushes and compactions per byte appended to the log; 0 before any write. */
  public double writeAmplification() {
    return logBytes == 0 ? 0 : (double) (flushBytes + compactionBytesOut) / logBytes;
  }
}
