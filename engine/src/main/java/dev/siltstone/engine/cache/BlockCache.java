package dev.siltstone.engine.cache;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Keeps immutable blocks by (file number, offset) within a budget of bytes.
 *
 * <p>The cache is cut into shards by hash. Each shard evicts by a clock: a block that was used
 * since the hand passed it last stays once more, and a new block counts as unused, so that the
 * blocks of a long scan push out each other and not what is read again and again.
 *
 * <p>Evicting a block only forgets it; whoever holds it reads on. Safe for concurrent use. A hit
 * allocates nothing.
 */
public final class BlockCache {
  private static final int SHARDS = 32;

  private final Shard[] shards = new Shard[SHARDS];
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private volatile long capacity;

  /** A cache of so many bytes. */
  public BlockCache(long capacityBytes) {
    for (int i = 0; i < SHARDS; i++) {
      shards[i] = new Shard();
    }
    setCapacity(capacityBytes);
  }

  /** Changes the budget; blocks over it are evicted at once. */
  public void setCapacity(long capacityBytes) {
    capacity = capacityBytes;
    for (Shard shard : shards) {
      shard.setCapacity(capacityBytes / SHARDS);
    }
  }

  /** The budget in bytes. */
  public long capacity() {
    return capacity;
  }

  /** The block of a place, or {@code null}. */
  public @Nullable Object get(long fileNumber, long offset) {
    long hash = BlockHash.whole(fileNumber, offset);
    Object block = shard(hash).get((int) hash, fileNumber, offset);
    (block == null ? misses : hits).increment();
    return block;
  }

  /**
   * Keeps a block, if there is room for it.
   *
   * @param chargeBytes what it counts for
   */
  public void put(long fileNumber, long offset, Object block, int chargeBytes) {
    long hash = BlockHash.whole(fileNumber, offset);
    shard(hash).put((int) hash, fileNumber, offset, block, chargeBytes);
  }

  /** Forgets all blocks of a file that is gone. */
  public void remove(long fileNumber) {
    for (Shard shard : shards) {
      shard.remove(fileNumber);
    }
  }

  /** Lookups that found their block. */
  public long hits() {
    return hits.sum();
  }

  /** Lookups that did not. */
  public long misses() {
    return misses.sum();
  }

  /** Bytes kept now. */
  public long bytes() {
    long bytes = 0;
    for (Shard shard : shards) {
      bytes += shard.bytes();
    }
    return bytes;
  }

  private Shard shard(long hash) {
    return shards[(int) (hash >>> 32) & (SHARDS - 1)];
  }
}
