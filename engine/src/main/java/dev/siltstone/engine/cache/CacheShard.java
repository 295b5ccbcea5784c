package dev.siltstone.engine.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One part of the cache: a hash table with chains that is read without the lock, two queues, and
 * the hashes of what was lately thrown out unused.
 *
 * <ol>
 *   <li>A new entry joins the <em>small</em> queue, a tenth of the bytes. Its oldest entry moves to
 *       the <em>main</em> queue if it was hit twice meanwhile, else it leaves and its hash becomes
 *       a ghost. So one scan passes through the small queue and never touches the main one.
 *   <li>A new entry whose hash is a ghost joins the main queue at once.
 *   <li>The oldest entry of the main queue goes round again if it was hit, with one hit less; else
 *       it leaves.
 * </ol>
 *
 * <p>A reader that walks a chain while it changes may miss an entry, never find a wrong one.
 * Source: Yang et al., "FIFO Queues are All You Need for Cache Eviction" (SOSP 2023).
 */
final class CacheShard {
  private static final int SLOTS_INITIAL = 64;

  /** The small queue's part of the bytes. */
  private static final int SMALL_PART = 10;

  /** Nothing is admitted that takes more than one part in so many. */
  private static final int LARGEST_PART = 4;

  /** Hits that move an entry from the small queue to the main one. */
  private static final int PROMOTING_USES = 2;

  /** What an entry takes beside its object. */
  private static final int ENTRY_BYTES = 80;

  private final ReentrantLock lock = new ReentrantLock();

  /** Twice as many as entries, at least; replaced when it grows. */
  private volatile AtomicReferenceArray<@Nullable CacheEntry> slots =
      new AtomicReferenceArray<>(SLOTS_INITIAL);

  @GuardedBy("lock")
  private final EntryQueue small = new EntryQueue();

  @GuardedBy("lock")
  private final EntryQueue main = new EntryQueue();

  /**
   * Ghosts by slot: fingerprint of the hash in the upper half, and when it left, in the lower.
   * Twice as many as there are slots.
   */
  @GuardedBy("lock")
  private long[] ghosts = new long[2 * SLOTS_INITIAL];

  @GuardedBy("lock")
  private int ghostClock;

  @GuardedBy("lock")
  private long capacity;

  @GuardedBy("lock")
  private long evictions;

  @GuardedBy("lock")
  private long refusals;

  /** Counted by a plain read and a write: concurrent hits may count as one, and cost no more. */
  private final AtomicLong hits = new AtomicLong();

  private final AtomicLong misses = new AtomicLong();

  CacheShard(long capacity) {
    this.capacity = capacity;
  }

  @Nullable Object get(int hash, long file, long offset) {
    CacheEntry entry = find(hash, file, offset);
    Object value = entry == null ? null : entry.value();
    if (value == null) {
      misses.setOpaque(misses.getPlain() + 1);
      return null;
    }
    hits.setOpaque(hits.getPlain() + 1);
    return value;
  }

  @Nullable CacheEntry find(int hash, long file, long offset) {
    AtomicReferenceArray<@Nullable CacheEntry> table = slots;
    CacheEntry entry = table.get(hash & (table.length() - 1));
    while (entry != null && !entry.is(file, offset)) {
      entry = entry.chainNext;
    }
    return entry;
  }

  void put(int hash, long file, long offset, Object value, long valueBytes) {
    long charge = valueBytes + ENTRY_BYTES;
    lock.lock();
    try {
      if (charge > capacity / LARGEST_PART) {
        refusals++;
        return;
      }
      if (find(hash, file, offset) != null) {
        return;
      }
      evictTo(capacity - charge);
      CacheEntry entry = new CacheEntry(file, offset, value, charge);
      entry.inMain = wasGhost(hash);
      (entry.inMain ? main : small).add(entry);
      if (2 * (small.size() + main.size()) > slots.length()) {
        grow();
      }
      link(slots, hash, entry);
    } finally {
      lock.unlock();
    }
  }

  void remove(long file) {
    lock.lock();
    try {
      removeFrom(small, file);
      removeFrom(main, file);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void removeFrom(EntryQueue queue, long file) {
    CacheEntry entry = queue.oldest();
    while (entry != null) {
      CacheEntry younger = entry.younger;
      if (entry.file == file) {
        queue.remove(entry);
        unlink(entry);
      }
      entry = younger;
    }
  }

  void setCapacity(long newCapacity) {
    lock.lock();
    try {
      capacity = newCapacity;
      evictTo(newCapacity);
    } finally {
      lock.unlock();
    }
  }

  /** Adds the numbers of this shard to those of others. */
  BlockCache.Stats addTo(BlockCache.Stats others) {
    lock.lock();
    try {
      return new BlockCache.Stats(
          others.hits() + hits.getOpaque(),
          others.misses() + misses.getOpaque(),
          others.evictions() + evictions,
          others.refusals() + refusals,
          others.entries() + small.size() + main.size(),
          others.bytes() + small.bytes() + main.bytes(),
          others.pinnedBytes(),
          others.capacityBytes());
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void evictTo(long target) {
    while (small.bytes() + main.bytes() > target) {
      boolean fromSmall = small.bytes() > capacity / SMALL_PART || main.size() == 0;
      CacheEntry entry = fromSmall ? small.oldest() : main.oldest();
      if (entry == null) {
        return;
      }
      if (fromSmall) {
        leaveSmall(entry);
      } else {
        leaveMain(entry);
      }
    }
  }

  @GuardedBy("lock")
  private void leaveSmall(CacheEntry entry) {
    small.remove(entry);
    if (entry.uses() >= PROMOTING_USES) {
      entry.setUses(0);
      entry.inMain = true;
      main.add(entry);
    } else {
      unlink(entry);
      remember(BlockCache.hash(entry.file, entry.offset));
      evictions++;
    }
  }

  @GuardedBy("lock")
  private void leaveMain(CacheEntry entry) {
    main.remove(entry);
    int uses = entry.uses();
    if (uses > 0) {
      entry.setUses(uses - 1);
      main.add(entry);
    } else {
      unlink(entry);
      evictions++;
    }
  }

  @GuardedBy("lock")
  private void remember(int hash) {
    ghostClock++;
    ghosts[ghostSlot(hash)] = (long) hash << Integer.SIZE | (ghostClock & 0xFFFF_FFFFL);
  }

  /** Whether something of that hash left unused lately; it is forgotten by that. */
  @GuardedBy("lock")
  private boolean wasGhost(int hash) {
    int slot = ghostSlot(hash);
    long ghost = ghosts[slot];
    boolean found =
        (int) (ghost >>> Integer.SIZE) == hash
            && ghost != 0
            && ghostClock - (int) ghost <= Math.max(SLOTS_INITIAL, main.size());
    if (found) {
      ghosts[slot] = 0;
    }
    return found;
  }

  @GuardedBy("lock")
  private int ghostSlot(int hash) {
    return hash & (ghosts.length - 1);
  }

  @GuardedBy("lock")
  private void unlink(CacheEntry entry) {
    entry.clear();
    AtomicReferenceArray<@Nullable CacheEntry> table = slots;
    int slot = BlockCache.hash(entry.file, entry.offset) & (table.length() - 1);
    CacheEntry at = table.get(slot);
    if (at == entry) {
      table.set(slot, entry.chainNext);
      return;
    }
    while (at != null) {
      CacheEntry next = at.chainNext;
      if (next == entry) {
        at.chainNext = entry.chainNext;
        return;
      }
      at = next;
    }
    throw new IllegalStateException("entry at " + entry.offset + " is in no chain");
  }

  @GuardedBy("lock")
  private void grow() {
    AtomicReferenceArray<@Nullable CacheEntry> old = slots;
    AtomicReferenceArray<@Nullable CacheEntry> grown = new AtomicReferenceArray<>(2 * old.length());
    for (int i = 0; i < old.length(); i++) {
      CacheEntry entry = old.get(i);
      while (entry != null) {
        CacheEntry next = entry.chainNext;
        link(grown, BlockCache.hash(entry.file, entry.offset), entry);
        entry = next;
      }
    }
    slots = grown;
    ghosts = new long[2 * grown.length()];
  }

  /**
   * Puts an entry in front of its chain. In the new table every link leads to an entry that was
   * moved before, so a reader of the old table that strays into the new one comes to an end.
   */
  private static void link(
      AtomicReferenceArray<@Nullable CacheEntry> table, int hash, CacheEntry entry) {
    int slot = hash & (table.length() - 1);
    entry.chainNext = table.get(slot);
    table.set(slot, entry);
  }
}
