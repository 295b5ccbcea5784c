package dev.siltstone.engine.read;

import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.base.time.HybridClock;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.spi.SubtreeLengths;
import dev.siltstone.engine.table.TableReader;
import dev.siltstone.engine.version.Version;
import java.io.IOException;
import java.util.List;

/**
 * Looks up one key at one time without an iterator.
 *
 * <ol>
 *   <li>Sources are asked from the newest to the oldest: active memtable, sealed memtables, level 0
 *       from its newest file, then at most one file of each deeper level. The first record found is
 *       the newest, because for any one key a source holds nothing older than what a later source
 *       holds ({@link Version} rule 3).
 *   <li>On the way the newest range delete over the key is noted; by the same rule none of a later
 *       source can be newer than the record.
 *   <li>Where the tree declares subtree prefixes, the newest subtree record of each is looked up by
 *       its own key.
 *   <li>The record is live if it is a put, has not expired, and nothing of 2 and 3 is newer.
 * </ol>
 *
 * <p>An instance serves one lookup at a time and may be reused.
 */
public final class PointGet {
  private final HybridClock clock;
  private final PointResult result = new PointResult();
  private long hiddenBelow;

  /** A lookup that asks {@code clock} for the present when it meets an expiry. */
  public PointGet(HybridClock clock) {
    this.clock = clock;
  }

  /**
   * Looks a key up.
   *
   * @param atTime the reader's time
   * @param expiryTime when expiry is judged: an expiry at or before it has passed; {@link
   *     HybridTime#MAX} for the present
   * @return whether the key is live; then {@link #result} holds the record
   */
  public boolean find(
      ReadView view, byte[] key, long atTime, long expiryTime, SubtreeLengths subtrees)
      throws IOException {
    result.clear();
    hiddenBelow = HybridTime.MIN;
    long hash = Hash64.of(key, 0, key.length);
    if (!findNewest(view, key, key.length, hash, atTime, 0, result)) {
      return false;
    }
    return isLive(view, key, result, hiddenBelow, atTime, expiryTime, subtrees);
  }

  /**
   * Whether the newest record of a key is live.
   *
   * @param hiddenBelow time of the newest range delete over the key that is not older than it
   */
  boolean isLive(
      ReadView view,
      byte[] key,
      PointResult found,
      long hiddenBelow,
      long atTime,
      long expiryTime,
      SubtreeLengths subtrees)
      throws IOException {
    long trailer = found.trailer();
    if (!KeyKind.isPut(Trailer.kind(trailer))
        || Trailer.time(trailer) < hiddenBelow
        || isExpired(trailer, found.valueArray(), found.valueOffset(), expiryTime)) {
      return false;
    }
    return subtrees.isNone()
        || !view.hasSubtrees()
        || Trailer.time(trailer) >= newestAncestor(view, key, key.length, atTime, subtrees);
  }

  /** The record that the last successful {@link #find} found. Its value includes the expiry. */
  public PointResult result() {
    return result;
  }

  /**
   * The time of the newest subtree record at a declared proper prefix of a key; {@link
   * HybridTime#MIN} if there is none.
   */
  long newestAncestor(ReadView view, byte[] key, int length, long atTime, SubtreeLengths subtrees)
      throws IOException {
    int[] lengths = new int[SubtreeLengths.LENGTHS_MAX];
    int count = subtrees.of(key, 0, length, lengths);
    PointResult found = new PointResult();
    long newest = HybridTime.MIN;
    for (int i = 0; i < count && lengths[i] < length; i++) {
      newest = Math.max(newest, subtreeTime(view, key, lengths[i], atTime, found));
    }
    return newest;
  }

  /** The time of the newest subtree record at exactly this key, or {@link HybridTime#MIN}. */
  long subtreeTime(ReadView view, byte[] key, int length, long atTime, PointResult found)
      throws IOException {
    long hash = Hash64.of(key, 0, length);
    return findNewest(view, key, length, hash, atTime, KeyKind.SUBTREE, found)
        ? Trailer.time(found.trailer())
        : HybridTime.MIN;
  }

  private boolean isExpired(long trailer, byte[] valueArray, int valueOffset, long expiryTime) {
    return KeyKind.expires(Trailer.kind(trailer))
        && Fixed.getLong(valueArray, valueOffset)
            <= (expiryTime == HybridTime.MAX ? clock.now() : expiryTime);
  }

  private boolean findNewest(
      ReadView view, byte[] key, int length, long hash, long atTime, int flags, PointResult found)
      throws IOException {
    if (ask(view.active(), key, length, hash, atTime, flags, found)) {
      return true;
    }
    List<MemTable> sealed = view.sealed();
    for (int i = 0; i < sealed.size(); i++) {
      if (ask(sealed.get(i), key, length, hash, atTime, flags, found)) {
        return true;
      }
    }
    long head = LevelFiles.head(key, 0, length);
    LevelFiles newest = view.newestFiles();
    for (int i = 0; i < newest.count(); i++) {
      if (newest.covers(i, key, length, head)
          && ask(newest, i, key, length, hash, atTime, flags, found)) {
        return true;
      }
    }
    for (LevelFiles level : view.deeperFiles()) {
      int i = level.find(key, 0, length, head);
      if (i < level.count()
          && level.startsBy(i, key, length, head)
          && ask(level, i, key, length, hash, atTime, flags, found)) {
        return true;
      }
    }
    return false;
  }

  private boolean ask(
      MemTable source,
      byte[] key,
      int length,
      long hash,
      long atTime,
      int flags,
      PointResult found) {
    noteRangeDeletes(source.rangeTombstones(), key, length, atTime);
    return source.find(key, 0, length, hash, atTime, flags, found);
  }

  private boolean ask(
      LevelFiles level,
      int index,
      byte[] key,
      int length,
      long hash,
      long atTime,
      int flags,
      PointResult found)
      throws IOException {
    TableReader source = level.reader(index);
    if (level.hasRangeDeletes(index)) {
      noteRangeDeletes(source.rangeTombstones(), key, length, atTime);
    }
    return source.find(key, 0, length, hash, atTime, flags, found);
  }

  private void noteRangeDeletes(RangeTombstones ranges, byte[] key, int length, long atTime) {
    if (!ranges.isEmpty()) {
      hiddenBelow = Math.max(hiddenBelow, ranges.newestCovering(key, 0, length, atTime));
    }
  }
}
