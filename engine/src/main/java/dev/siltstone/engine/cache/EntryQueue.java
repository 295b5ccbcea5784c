package dev.siltstone.engine.cache;

import org.jspecify.annotations.Nullable;

/** Entries, first in, first out, and the sum of their charges. Guarded by the lock of the shard. */
final class EntryQueue {
  private @Nullable CacheEntry oldest;
  private @Nullable CacheEntry youngest;
  private long bytes;
  private int size;

  long bytes() {
    return bytes;
  }

  int size() {
    return size;
  }

  @Nullable CacheEntry oldest() {
    return oldest;
  }

  void add(CacheEntry entry) {
    CacheEntry before = youngest;
    entry.older = before;
    entry.younger = null;
    if (before == null) {
      oldest = entry;
    } else {
      before.younger = entry;
    }
    youngest = entry;
    bytes += entry.charge;
    size++;
  }

  void remove(CacheEntry entry) {
    CacheEntry older = entry.older;
    CacheEntry younger = entry.younger;
    if (older == null) {
      oldest = younger;
    } else {
      older.younger = younger;
    }
    if (younger == null) {
      youngest = older;
    } else {
      younger.older = older;
    }
    entry.older = null;
    entry.younger = null;
    bytes -= entry.charge;
    size--;
  }
}
