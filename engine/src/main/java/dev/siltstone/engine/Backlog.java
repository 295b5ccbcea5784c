package dev.siltstone.engine;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What flushes and compactions have before them, and how fast they get through it: what {@link
 * StallPolicy} judges by.
 *
 * <p>Safe for concurrent use.
 */
final class Backlog {
  private final MemoryBudget memory;
  private final long levelBytes;

  /** What one flush takes at once, about. */
  private final long flushBytes;

  private final WorkRate flushRate = new WorkRate();
  private final WorkRate level0Rate = new WorkRate();

  /** Bytes of sealed memtables that running flushes have got through. */
  private final AtomicLong flushed = new AtomicLong();

  private volatile Counts counts = new Counts(0, 0, 0, true);

  /** Bytes of files that a byte of a memtable becomes; of the flush that ended last. */
  private volatile double fileBytesPerByte = 1;

  /** What changes with the views of trees only. */
  private record Counts(int sealed, int level0Files, long debtBytes, boolean calm) {}

  Backlog(MemoryBudget memory, Options options) {
    this.memory = memory;
    this.levelBytes = options.levelBaseBytes();
    long max = memory.memtableBytesMax();
    // Small memtables are flushed together, and the largest leave room for the next one.
    this.flushBytes = Math.clamp(options.memtableBytes(), max / 4, max / 5 * 2);
  }

  /** Bytes of memtables that one flush shall take, if there are more than one. */
  long flushBytes() {
    return flushBytes;
  }

  /**
   * The views have changed.
   *
   * @param sealed sealed memtables of the tree that has most
   * @param level0Files files of level 0 of the tree that has most, of those that are compacted
   * @param debtBytes of all trees that are compacted
   */
  void set(int sealed, int level0Files, long debtBytes) {
    boolean calm = StallPolicy.isCalm(sealed, level0Files, debtBytes, levelBytes);
    counts = new Counts(sealed, level0Files, debtBytes, calm);
  }

  /** Whether no commit can be held back. */
  boolean isCalm() {
    return counts.calm;
  }

  /** By how many bytes memtables have grown in all. For the leader. */
  long grownBytes() {
    return memory.grownBytes();
  }

  /** What weighs on the background now. */
  StallPolicy.Pressure pressure(long now) {
    Counts last = counts;
    long bytes = memory.memtableBytes();
    long sealed = memory.sealedBytes();
    return new StallPolicy.Pressure(
        new StallPolicy.Memory(
            last.sealed,
            bytes - sealed,
            Math.max(0, sealed - flushed.get()),
            bytes,
            memory.memtableBytesMax(),
            flushBytes,
            flushRate.bytesPerSecond(now)),
        new StallPolicy.Tables(
            last.level0Files,
            last.debtBytes,
            levelBytes,
            level0Rate.bytesPerSecond(now) / fileBytesPerByte));
  }

  /** A flush of memtables begins; it has to be closed. */
  Flush flush(long bytes, long entries, long now) {
    return new Flush(bytes, entries, now);
  }

  /** A compaction has taken files out of level 0. */
  void tookFromLevel0(long fileBytes, long nanos) {
    level0Rate.add(fileBytes, nanos);
  }

  /** One flush. Not safe for concurrent use. */
  final class Flush {
    private final long bytes;
    private final long entries;
    private long done;

    private Flush(long bytes, long entries, long now) {
      this.bytes = bytes;
      this.entries = entries;
      flushRate.begin(now);
    }

    /** It has got through so many records. */
    void at(long entriesDone) {
      long reached = (long) ((double) bytes * Math.min(entriesDone, entries) / entries);
      flushRate.done(reached - done);
      flushed.addAndGet(reached - done);
      done = reached;
    }

    /** All of it is in files of so many bytes. */
    void written(long fileBytes) {
      flushRate.done(bytes - done);
      flushed.addAndGet(bytes - done);
      done = bytes;
      if (fileBytes > 0) {
        fileBytesPerByte = (double) fileBytes / bytes;
      }
    }

    /** It has ended, one way or the other; what it has flushed is not among the sealed now. */
    void close(long now) {
      flushed.addAndGet(-done);
      flushRate.end(now);
    }
  }
}
