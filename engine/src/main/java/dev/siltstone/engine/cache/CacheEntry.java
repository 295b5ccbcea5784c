package dev.siltstone.engine.cache;

import org.jspecify.annotations.Nullable;

/**
 * A cached object. Found without a lock; all links are guarded by the lock of the shard.
 *
 * <p>Who will want the object again may keep the entry and ask it, which saves the lookup. An entry
 * that has left the cache is empty and stays so, so that keeping it keeps no object in memory.
 */
public final class CacheEntry {
  private static final int USES_MAX = 3;

  final long file;
  final long offset;
  final long charge;

  /**
   * {@code null} once the entry has left the cache. Read without the lock, and by readers that were
   * given the entry by a data race: they see the object whole, since it is immutable, or none.
   */
  private @Nullable Object value;

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

  /** The object, or {@code null} if it has left the cache. That is a hit, but is not counted. */
  public @Nullable Object value() {
    Object present = value;
    if (present != null) {
      touch();
    }
    return present;
  }

  /** Empties the entry: it leaves the cache. */
  void clear() {
    value = null;
  }

  /** Notes a hit. Writes only where that changes something, so that hot entries stay shared. */
  private void touch() {
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
