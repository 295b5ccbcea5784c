package dev.siltstone.engine.cache;

import org.jspecify.annotations.Nullable;

/** A cached object. Found without a lock; all links are guarded by the lock of the shard. */
final class CacheEntry {
  private static final int USES_MAX = 3;

  final long file;
  final long offset;
  final Object value;
  final long charge;

  /** The next one with the same slot. Read without the lock. */
  volatile @Nullable CacheEntry chainNext;

  @Nullable CacheEntry older;
  @Nullable CacheEntry younger;
  boolean inMain;

  /** Hits since it was admitted or last spared, capped. Races lose counts, which does no harm. */
  private byte uses;

  CacheEntry(long file, long offset, Object value, long charge) {
    this.file = file;
    this.offset = offset;
    this.value = value;
    this.charge = charge;
  }

  boolean is(long otherFile, long otherOffset) {
    return offset == otherOffset && file == otherFile;
  }

  /** Notes a hit. Writes only where that changes something, so that hot entries stay shared. */
  void touch() {
    byte now = uses;
    if (now < USES_MAX) {
      uses = (byte) (now + 1);
    }
  }

  int uses() {
    return uses;
  }

  void setUses(int newUses) {
    uses = (byte) newUses;
  }
}
