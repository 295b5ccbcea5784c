package dev.siltstone.engine.read;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.iter.ConcatIterator;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.MergingIterator;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sources of a view that may hold something of a key range, opened for iteration, newest first:
 * each memtable, each file of level 0, and each deeper level as one. A memtable that is empty and a
 * file beside the range are left out.
 */
public final class ViewSources {
  private final ReadView view;
  private final byte[] lower;
  private final byte @Nullable [] upper;
  private final boolean fillCache;
  private final List<InternalIterator> iterators = new ArrayList<>();
  private final List<Tombstones> tombstones = new ArrayList<>();
  private boolean activeOpened;

  /**
   * Range deletes of a source.
   *
   * @param source its index in what is {@link #merged}
   * @param maxPointTime time that none of its point records exceeds, as far as the reader sees them
   */
  record Tombstones(RangeTombstones ranges, int source, long maxPointTime) {}

  private ViewSources(
      ReadView view, byte @Nullable [] lower, byte @Nullable [] upper, boolean fillCache) {
    this.view = view;
    this.lower = lower == null ? Bytes.EMPTY : lower;
    this.upper = upper;
    this.fillCache = fillCache;
  }

  /**
   * Opens the sources. If that fails, what was opened is closed.
   *
   * @param lower inclusive; {@code null} for no bound
   * @param upper exclusive; {@code null} for no bound
   * @param fillCache whether blocks that are read stay in the block cache
   */
  public static ViewSources open(
      ReadView view, byte @Nullable [] lower, byte @Nullable [] upper, boolean fillCache)
      throws IOException {
    ViewSources sources = new ViewSources(view, lower, upper, fillCache);
    try {
      sources.addMemtables();
      sources.addFiles();
      return sources;
    } catch (IOException | RuntimeException e) {
      sources.iterators.forEach(InternalIterator::close);
      throw e;
    }
  }

  ReadView view() {
    return view;
  }

  /** The inclusive bound of the range; empty for none. */
  byte[] lower() {
    return lower;
  }

  /** The exclusive bound of the range, or {@code null}. */
  byte @Nullable [] upper() {
    return upper;
  }

  /** All point records of the range, and perhaps some beside it, merged. */
  public InternalIterator merged() {
    return MergingIterator.of(iterators.toArray(new InternalIterator[0]));
  }

  /** The range deletes of the sources that have any, in the order of the sources. */
  List<Tombstones> tombstones() {
    return tombstones;
  }

  /**
   * Whether the sources show everything of the active memtable, that is also what is newer than the
   * reader. A writer counts a record before it looks for walks that it concerns.
   */
  public boolean showActive() {
    return activeOpened || view.active().entries() == 0;
  }

  private void addMemtables() {
    activeOpened = addMemtable(view.active());
    for (MemTable memtable : view.sealed()) {
      addMemtable(memtable);
    }
  }

  /**
   * Whether the memtable was opened. One that is empty now stays so for this reader: what it gains
   * is newer than the reader's time.
   */
  private boolean addMemtable(MemTable memtable) {
    boolean anyRange = !memtable.rangeTombstones().isEmpty();
    if (!anyRange && memtable.entries() == 0) {
      return false;
    }
    iterators.add(memtable.iterator());
    if (anyRange) {
      tombstones.add(
          new Tombstones(
              memtable.rangeTombstones(), iterators.size() - 1, memtable.maxPointTime()));
    }
    return true;
  }

  private void addFiles() throws IOException {
    LevelFiles newest = view.newestFiles();
    for (int i = 0; i < newest.count(); i++) {
      if (overlaps(newest.file(i))) {
        iterators.add(newest.reader(i).iterator(fillCache));
        addTombstones(newest, i);
      }
    }
    for (LevelFiles level : view.deeperFiles()) {
      int from = level.find(lower, 0, lower.length, LevelFiles.head(lower, 0, lower.length));
      int to = from;
      while (to < level.count() && overlaps(level.file(to))) {
        to++;
      }
      if (from < to) {
        addLevel(level, from, to);
      }
    }
  }

  /** Adds the files of a deeper level that overlap the range. */
  private void addLevel(LevelFiles level, int from, int to) throws IOException {
    int count = to - from;
    iterators.add(
        count == 1
            ? level.reader(from).iterator(fillCache)
            : new ConcatIterator(
                count,
                (key, offset, length) -> {
                  long head = LevelFiles.head(key, offset, length);
                  return Math.clamp(level.find(key, offset, length, head) - from, 0, count);
                },
                index -> level.reader(from + index).iterator(fillCache)));
    for (int i = from; i < to; i++) {
      addTombstones(level, i);
    }
  }

  private void addTombstones(LevelFiles level, int index) throws IOException {
    if (level.hasRangeDeletes(index)) {
      // Within a file flush and compaction have dropped what is hidden, unless a snapshot sees it.
      tombstones.add(
          new Tombstones(
              level.reader(index).rangeTombstones(), iterators.size() - 1, Long.MAX_VALUE));
    }
  }

  private boolean overlaps(FileMeta file) {
    return Bytes.compare(lower, file.upper()) < 0
        && (upper == null || Bytes.compare(file.lower(), upper) < 0);
  }
}
