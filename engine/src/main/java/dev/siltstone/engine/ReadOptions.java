package dev.siltstone.engine;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a cursor reads. Immutable; each method returns a changed copy.
 *
 * @param range the keys the cursor may stand on
 * @param snapshot the moment to read at; {@code null} for the moment the cursor is opened
 * @param fillCache whether blocks read from files are kept in the block cache; {@code false} suits
 *     one-off scans
 */
public record ReadOptions(KeyRange range, @Nullable Snapshot snapshot, boolean fillCache) {
  /** All keys, now, through the cache. */
  public static final ReadOptions DEFAULT = new ReadOptions(KeyRange.ALL, null, true);

  /** Checks the range. */
  public ReadOptions {
    Objects.requireNonNull(range, "range");
  }

  /** Limits the keys. */
  public ReadOptions withRange(KeyRange range) {
    return new ReadOptions(range, snapshot, fillCache);
  }

  /** Sets the moment. */
  public ReadOptions withSnapshot(@Nullable Snapshot snapshot) {
    return new ReadOptions(range, snapshot, fillCache);
  }

  /** Sets whether the block cache is filled. */
  public ReadOptions withFillCache(boolean fillCache) {
    return new ReadOptions(range, snapshot, fillCache);
  }
}
