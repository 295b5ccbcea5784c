package dev.siltstone.engine.read;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.base.time.HybridClock;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.spi.SubtreeLengths;
import dev.siltstone.engine.table.AscendingLookups;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Looks many keys up at one time in one view.
 *
 * <p>As {@link PointGet}, source by source from the newest to the oldest; but each source is asked
 * for all keys that no newer one has answered, in key order, so that a block is visited once for
 * all keys in it. Equal keys are looked up each for itself, beside each other.
 *
 * <p>The view must be pinned. One thread; for one call.
 */
public final class MultiGet {
  private final ReadView view;
  private final long atTime;
  private final long expiryTime;
  private final SubtreeLengths subtrees;
  private final Sink sink;
  private final PointGet rules;
  private final PointResult result = new PointResult();

  /** Keys that no source has answered yet, ascending. */
  private final Wanted[] wanted;

  private int wantedCount;

  /** Takes what is found. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Takes a live record.
     *
     * @param place index of its key in the caller's list
     * @param record the record, borrowed until this returns; its value includes the expiry
     */
    void found(int place, PointResult record) throws IOException;
  }

  /** A key on its way down. */
  private static final class Wanted {
    private final byte[] key;
    private final int place;
    private final long hash;
    private final long head;

    /** Time of the newest range delete over the key in the sources asked so far. */
    private long hiddenBelow = HybridTime.MIN;

    Wanted(byte[] key, int place) {
      this.key = key;
      this.place = place;
      this.hash = Hash64.of(key, 0, key.length);
      this.head = LevelFiles.head(key, 0, key.length);
    }

    int compareKey(Wanted other) {
      return head != other.head ? Long.compare(head, other.head) : Bytes.compare(key, other.key);
    }
  }

  private MultiGet(
      ReadView view,
      List<byte[]> keys,
      long atTime,
      long expiryTime,
      SubtreeLengths subtrees,
      HybridClock clock,
      Sink sink) {
    this.view = view;
    this.atTime = atTime;
    this.expiryTime = expiryTime;
    this.subtrees = subtrees;
    this.sink = sink;
    this.rules = new PointGet(clock);
    this.wanted = new Wanted[keys.size()];
    for (int i = 0; i < wanted.length; i++) {
      wanted[i] = new Wanted(keys.get(i), i);
    }
    Arrays.sort(wanted, Wanted::compareKey);
    this.wantedCount = wanted.length;
  }

  /**
   * Passes the live records of some keys to a sink, in no order.
   *
   * @param atTime the reader's time
   * @param expiryTime when expiry is judged
   */
  public static void find(
      ReadView view,
      List<byte[]> keys,
      long atTime,
      long expiryTime,
      SubtreeLengths subtrees,
      HybridClock clock,
      Sink sink)
      throws IOException {
    new MultiGet(view, keys, atTime, expiryTime, subtrees, clock, sink).run();
  }

  private void run() throws IOException {
    ask(view.active());
    List<MemTable> sealed = view.sealed();
    for (int i = 0; i < sealed.size() && wantedCount > 0; i++) {
      ask(sealed.get(i));
    }
    LevelFiles newest = view.newestFiles();
    for (int i = 0; i < newest.count() && wantedCount > 0; i++) {
      askFile(newest, i);
    }
    for (LevelFiles level : view.deeperFiles()) {
      askLevel(level);
    }
  }

  private void ask(MemTable source) throws IOException {
    RangeTombstones ranges = source.rangeTombstones();
    int left = 0;
    for (int i = 0; i < wantedCount; i++) {
      Wanted one = wanted[i];
      hide(one, ranges);
      if (source.find(one.key, 0, one.key.length, one.hash, atTime, 0, result)) {
        answer(one);
      } else {
        wanted[left++] = one;
      }
    }
    wantedCount = left;
  }

  private void askFile(LevelFiles level, int file) throws IOException {
    AscendingLookups lookups = null;
    int left = 0;
    for (int i = 0; i < wantedCount; i++) {
      Wanted one = wanted[i];
      if (level.covers(file, one.key, one.key.length, one.head)) {
        lookups = lookups == null ? level.reader(file).lookups() : lookups;
        if (ask(level, file, lookups, one)) {
          continue;
        }
      }
      wanted[left++] = one;
    }
    wantedCount = left;
  }

  private void askLevel(LevelFiles level) throws IOException {
    AscendingLookups lookups = null;
    int last = -1;
    int left = 0;
    for (int i = 0; i < wantedCount; i++) {
      Wanted one = wanted[i];
      int file = level.find(one.key, 0, one.key.length, one.head);
      if (file < level.count() && level.startsBy(file, one.key, one.key.length, one.head)) {
        if (lookups == null || file != last) {
          lookups = level.reader(file).lookups();
          last = file;
        }
        if (ask(level, file, lookups, one)) {
          continue;
        }
      }
      wanted[left++] = one;
    }
    wantedCount = left;
  }

  private boolean ask(LevelFiles level, int file, AscendingLookups lookups, Wanted one)
      throws IOException {
    if (level.hasRangeDeletes(file)) {
      hide(one, level.reader(file).rangeTombstones());
    }
    if (!lookups.find(one.key, one.hash, atTime, result)) {
      return false;
    }
    answer(one);
    return true;
  }

  private void hide(Wanted one, RangeTombstones ranges) {
    if (!ranges.isEmpty()) {
      long covering = ranges.newestCovering(one.key, 0, one.key.length, atTime);
      one.hiddenBelow = Math.max(one.hiddenBelow, covering);
    }
  }

  private void answer(Wanted one) throws IOException {
    if (rules.isLive(view, one.key, result, one.hiddenBelow, atTime, expiryTime, subtrees)) {
      sink.found(one.place, result);
    }
  }
}
