package dev.siltstone.engine;

import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.memtable.MemTable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The one budget that memtables and block cache share. Memtables may take {@link #MEMTABLE_PERCENT}
 * per cent; the cache takes whatever they leave.
 *
 * <p>Safe for concurrent use.
 */
final class MemoryBudget {
  /** The memtables' share at most. */
  private static final int MEMTABLE_PERCENT = 40;

  /** The cache is resized when the memtables have grown or shrunk by such a part of the budget. */
  private static final int RESIZE_STEPS = 32;

  /** What is left for the cache at least, as a part of the budget. */
  private static final int CACHE_PART_MIN = 8;

  private final long budgetBytes;
  private final BlockCache cache;
  private final AtomicLong memtableBytes = new AtomicLong();
  private final AtomicLong cacheFitsTo = new AtomicLong();

  /** What each memtable that is being written was last counted for. */
  private final ConcurrentHashMap<MemTable, Counted> active = new ConcurrentHashMap<>();

  /** The same of memtables that wait for their flush. */
  private final ConcurrentHashMap<MemTable, Long> sealed = new ConcurrentHashMap<>();

  private final AtomicLong sealedBytes = new AtomicLong();

  /** Growth of all memtables there ever were. Touched under leadership only. */
  private long grownBytes;

  MemoryBudget(long budgetBytes, BlockCache cache) {
    this.budgetBytes = budgetBytes;
    this.cache = cache;
  }

  /** Counts a memtable, anew after it has grown. Requires leadership. */
  void note(MemTable memtable) {
    long bytes = memtable.bytes();
    Counted counted = active.get(memtable);
    if (counted == null) {
      counted = new Counted();
      active.put(memtable, counted);
    }
    long more = bytes - counted.bytes;
    if (more != 0) {
      counted.bytes = bytes;
      grownBytes += more;
      add(more);
    }
  }

  /** What a memtable was last counted for. */
  private static final class Counted {
    volatile long bytes;
  }

  /** Counts a memtable as one that nobody writes any more. Requires leadership. */
  void seal(MemTable memtable) {
    note(memtable);
    long bytes = memtable.bytes();
    sealed.put(memtable, bytes);
    sealedBytes.addAndGet(bytes);
    active.remove(memtable);
  }

  /** Stops counting a memtable. */
  void forget(MemTable memtable) {
    Counted written = active.remove(memtable);
    Long waiting = sealed.remove(memtable);
    sealedBytes.addAndGet(waiting == null ? 0 : -waiting);
    add(-(written == null ? 0 : written.bytes) - (waiting == null ? 0 : waiting));
  }

  long memtableBytes() {
    return memtableBytes.get();
  }

  /** What those take that wait for their flush. */
  long sealedBytes() {
    return sealedBytes.get();
  }

  /** By how much memtables have grown in all. Requires leadership. */
  long grownBytes() {
    return grownBytes;
  }

  /** What memtables may take. */
  long memtableBytesMax() {
    return budgetBytes / 100 * MEMTABLE_PERCENT;
  }

  /**
   * Whether memtables that are being written take more than half of the share, so that the largest
   * should go. The other half is for those that wait for their flush, so that writers need not.
   */
  boolean isOverMemtableShare() {
    return memtableBytes.get() - sealedBytes.get() > memtableBytesMax() / 2;
  }

  long budgetBytes() {
    return budgetBytes;
  }

  private void add(long delta) {
    long now = memtableBytes.addAndGet(delta);
    long fits = cacheFitsTo.get();
    if (Math.abs(now - fits) > budgetBytes / RESIZE_STEPS && cacheFitsTo.compareAndSet(fits, now)) {
      cache.setCapacity(Math.max(budgetBytes / CACHE_PART_MIN, budgetBytes - now));
    }
  }
}
