package dev.siltstone.engine.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One part of the cache: a chained hash table over parallel arrays, whose slots are also the
 * clock's face.
 */
final class Shard {
  private static final int NONE = -1;
  private static final int SLOTS_MIN = 64;

  /** What a block costs besides its own charge: the slot. */
  private static final int SLOT_BYTES = 40;

  /** A block that would take more than this part of the shard is not kept. */
  private static final int LARGEST_PART = 2;

  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private int[] buckets = new int[2 * SLOTS_MIN];

  @GuardedBy("lock")
  private int[] next = new int[SLOTS_MIN];

  @GuardedBy("lock")
  private long[] files = new long[SLOTS_MIN];

  @GuardedBy("lock")
  private long[] offsets = new long[SLOTS_MIN];

  @GuardedBy("lock")
  private int[] charges = new int[SLOTS_MIN];

  @GuardedBy("lock")
  private boolean[] used = new boolean[SLOTS_MIN];

  @GuardedBy("lock")
  private @Nullable Object[] blocks = new Object[SLOTS_MIN];

  /** Slots from here on were never used. */
  @GuardedBy("lock")
  private int fresh;

  /** First of the slots that were used and are free, linked by {@code next}. */
  @GuardedBy("lock")
  private int free = NONE;

  @GuardedBy("lock")
  private int hand;

  @GuardedBy("lock")
  private long bytes;

  @GuardedBy("lock")
  private long capacity;

  Shard() {
    Arrays.fill(buckets, NONE);
  }

  @Nullable Object get(int hash, long file, long offset) {
    lock.lock();
    try {
      int slot = find(hash, file, offset);
      if (slot == NONE) {
        return null;
      }
      used[slot] = true;
      return blocks[slot];
    } finally {
      lock.unlock();
    }
  }

  void put(int hash, long file, long offset, Object block, int chargeBytes) {
    int charge = chargeBytes + SLOT_BYTES;
    lock.lock();
    try {
      if (charge > capacity / LARGEST_PART || find(hash, file, offset) != NONE) {
        return;
      }
      evictTo(capacity - charge);
      int slot = takeSlot();
      int bucket = hash & (buckets.length - 1);
      files[slot] = file;
      offsets[slot] = offset;
      charges[slot] = charge;
      used[slot] = false;
      blocks[slot] = block;
      next[slot] = buckets[bucket];
      buckets[bucket] = slot;
      bytes += charge;
    } finally {
      lock.unlock();
    }
  }

  void remove(long file) {
    lock.lock();
    try {
      for (int slot = 0; slot < fresh; slot++) {
        if (blocks[slot] != null && files[slot] == file) {
          release(slot);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  void setCapacity(long capacityBytes) {
    lock.lock();
    try {
      capacity = capacityBytes;
      evictTo(capacityBytes);
    } finally {
      lock.unlock();
    }
  }

  long bytes() {
    lock.lock();
    try {
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private int find(int hash, long file, long offset) {
    int slot = buckets[hash & (buckets.length - 1)];
    while (slot != NONE && (files[slot] != file || offsets[slot] != offset)) {
      slot = next[slot];
    }
    return slot;
  }

  @GuardedBy("lock")
  private void evictTo(long target) {
    while (bytes > target && bytes > 0) {
      hand = hand + 1 >= fresh ? 0 : hand + 1;
      if (blocks[hand] == null) {
        continue;
      }
      if (used[hand]) {
        used[hand] = false;
      } else {
        release(hand);
      }
    }
  }

  @GuardedBy("lock")
  private void release(int slot) {
    int bucket = BlockHash.of(files[slot], offsets[slot]) & (buckets.length - 1);
    int at = buckets[bucket];
    if (at == slot) {
      buckets[bucket] = next[slot];
    } else {
      while (next[at] != slot) {
        at = next[at];
      }
      next[at] = next[slot];
    }
    blocks[slot] = null;
    bytes -= charges[slot];
    next[slot] = free;
    free = slot;
  }

  @GuardedBy("lock")
  private int takeSlot() {
    if (free != NONE) {
      int slot = free;
      free = next[slot];
      return slot;
    }
    if (fresh == files.length) {
      grow();
    }
    return fresh++;
  }

  @GuardedBy("lock")
  private void grow() {
    int slots = 2 * files.length;
    next = Arrays.copyOf(next, slots);
    files = Arrays.copyOf(files, slots);
    offsets = Arrays.copyOf(offsets, slots);
    charges = Arrays.copyOf(charges, slots);
    used = Arrays.copyOf(used, slots);
    blocks = Arrays.copyOf(blocks, slots);
    buckets = new int[2 * slots];
    Arrays.fill(buckets, NONE);
    for (int slot = 0; slot < fresh; slot++) {
      if (blocks[slot] != null) {
        int bucket = BlockHash.of(files[slot], offsets[slot]) & (buckets.length - 1);
        next[slot] = buckets[bucket];
        buckets[bucket] = slot;
      }
    }
  }
}
