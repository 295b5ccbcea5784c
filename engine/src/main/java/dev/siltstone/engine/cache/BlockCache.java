package dev.siltstone.engine.cache;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Immutable objects by file and offset, within a budget of bytes. Scans do not push out what is
 * used often: {@link CacheShard} says how.
 *
 * <p>The budget is for all that was put in and for what is pinned: bytes that readers keep outside.
 * It is spread evenly over shards, and no object is admitted that takes more than a quarter of one.
 *
 * <p>Safe for concurrent use. A hit takes no lock and allocates nothing.
 */
public final class BlockCache {
  private static final int SHARDS_MAX = 64;

  /** Smaller shards would refuse filters and would keep little apart. */
  private static final long SHARD_BYTES_MIN = 4 << 20;

  /** What the shards have at least, of the budget, whatever is pinned. */
  private static final int UNPINNED_PART_MIN = 8;

  private final CacheShard[] shards;
  private final int shardShift;
  private final AtomicLong capacity = new AtomicLong();
  private final AtomicLong pinned = new AtomicLong();

  /**
   * Numbers since the cache was made, and of now.
   *
   * @param hits lookups that found something, without those that an entry kept by the caller has
   *     saved; concurrent ones may count as one
   * @param misses lookups that did not; concurrent ones may count as one
   * @param evictions objects that made room for others
   * @param refusals objects that were too large to be admitted
   * @param entries objects in the cache
   * @param bytes their charge, and that of the table around them
   * @param pinnedBytes bytes that readers keep outside
   * @param capacityBytes the budget
   */
  public record Stats(
      long hits,
      long misses,
      long evictions,
      long refusals,
      long entries,
      long bytes,
      long pinnedBytes,
      long capacityBytes) {}

  /**
   * A cache with a budget, which also fixes the number of shards: one for every 4 MiB, up to 64.
   */
  public BlockCache(long capacityBytes) {
    this(capacityBytes, shards(capacityBytes));
  }

  /**
   * A cache with a given number of shards.
   *
   * @param shardCount a power of two
   */
  BlockCache(long capacityBytes, int shardCount) {
    if (capacityBytes < 0 || Integer.bitCount(shardCount) != 1) {
      throw new IllegalArgumentException(capacityBytes + " bytes in " + shardCount + " shards");
    }
    capacity.set(capacityBytes);
    shards = new CacheShard[shardCount];
    shardShift = Integer.SIZE - Integer.numberOfTrailingZeros(shardCount);
    for (int i = 0; i < shardCount; i++) {
      shards[i] = new CacheShard(capacityBytes / shardCount);
    }
  }

  private static int shards(long capacityBytes) {
    long wanted = Math.clamp(capacityBytes / SHARD_BYTES_MIN, 1, SHARDS_MAX);
    return (int) Long.highestOneBit(wanted);
  }

  /** The object at a place, or {@code null} if it is not in the cache. */
  public @Nullable Object get(long file, long offset) {
    int hash = hash(file, offset);
    return shard(hash).get(hash, file, offset);
  }

  /**
   * The entry of the object at a place, for a caller that keeps it instead of looking it up again;
   * {@code null} if there is none. Not counted.
   */
  public @Nullable CacheEntry entry(long file, long offset) {
    int hash = hash(file, offset);
    return shard(hash).find(hash, file, offset);
  }

  /**
   * Puts an object in, which may push others out; does nothing if there is one at that place or if
   * the object is too large.
   *
   * @param value immutable
   * @param bytes the memory that it keeps in use
   */
  public void put(long file, long offset, Object value, long bytes) {
    int hash = hash(file, offset);
    shard(hash).put(hash, file, offset, value, bytes);
  }

  /**
   * Forgets all objects of a file. A reader that is loading one may still put it in; it then goes
   * with time. Takes time in proportion to all objects in the cache.
   */
  public void remove(long file) {
    for (CacheShard shard : shards) {
      shard.remove(file);
    }
  }

  /** Changes the budget; objects beyond it are pushed out before this returns. */
  public void setCapacity(long capacityBytes) {
    if (capacityBytes < 0) {
      throw new IllegalArgumentException(capacityBytes + " bytes");
    }
    capacity.set(capacityBytes);
    applyCapacity();
  }

  /** Counts bytes that a reader keeps outside the cache against the budget. */
  public void pin(long bytes) {
    pinned.addAndGet(bytes);
    applyCapacity();
  }

  /** Takes back a {@link #pin}. */
  public void unpin(long bytes) {
    pin(-bytes);
  }

  /** Each call applies the newest numbers, so that of concurrent ones the last prevails. */
  private void applyCapacity() {
    for (CacheShard shard : shards) {
      long budget = capacity.get();
      long free = Math.max(budget - pinned.get(), budget / UNPINNED_PART_MIN);
      shard.setCapacity(free / shards.length);
    }
  }

  /** Hits, misses and sizes; not a consistent picture while others use the cache. */
  public Stats stats() {
    Stats stats = new Stats(0, 0, 0, 0, 0, 0, pinned.get(), capacity.get());
    for (CacheShard shard : shards) {
      stats = shard.addTo(stats);
    }
    return stats;
  }

  private CacheShard shard(int hash) {
    // A shift by 32 would be one by 0.
    return shards.length == 1 ? shards[0] : shards[hash >>> shardShift];
  }

  /** The upper bits choose the shard, the lower ones the slot. */
  static int hash(long file, long offset) {
    long mixed = (file ^ Long.rotateLeft(offset, 29)) * 0x9E37_79B9_7F4A_7C15L;
    mixed = (mixed ^ (mixed >>> 32) ^ offset) * 0xBF58_476D_1CE4_E5B9L;
    return (int) (mixed >>> 32);
  }
}
