package dev.siltstone.engine.read;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.iter.ConcatIterator;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.MergingIterator;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sources of a view that may hold something of a key range, opened for iteration, newest first:
 * each memtable, each file of level 0, and each deeper level as one.
 */
public final class ViewSources {
  private final ReadView view;
  private final byte[] lower;
  private final byte @Nullable [] upper;
  private final boolean fillCache;
  private final List<InternalIterator> iterators = new ArrayList<>();
  private final List<Tombstones> tombstones = new ArrayList<>();

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

  private void addMemtables() {
    addMemtable(view.active());
    for (MemTable memtable : view.sealed()) {
      addMemtable(memtable);
    }
  }

  private void addMemtable(MemTable memtable) {
    iterators.add(memtable.iterator());
    // One that is empty now stays so for this reader: what it gains is newer than the reader's
    // time.
    if (!memtable.rangeTombstones().isEmpty()) {
      tombstones.add(
          new Tombstones(
              memtable.rangeTombstones(), iterators.size() - 1, memtable.maxPointTime()));
    }
  }

  private void addFiles() throws IOException {
    Version version = view.version();
    for (FileMeta file : version.level(0)) {
      if (overlaps(file)) {
        iterators.add(view.reader(file).iterator(fillCache));
        addTombstones(file);
      }
    }
    for (int level = 1; level < Version.LEVELS; level++) {
      List<FileMeta> files = version.level(level);
      if (files.isEmpty()) {
        continue;
      }
      int of = level;
      iterators.add(
          new ConcatIterator(
              files.size(),
              (key, offset, length) -> version.find(of, key, offset, length),
              index -> view.reader(files.get(index)).iterator(fillCache)));
      for (FileMeta file : files) {
        if (file.rangeDeletes() > 0 && overlaps(file)) {
          addTombstones(file);
        }
      }
    }
  }

  private void addTombstones(FileMeta file) throws IOException {
    if (file.rangeDeletes() > 0) {
      // Within a file flush and compaction have dropped what is hidden, unless a snapshot sees it.
      tombstones.add(
          new Tombstones(
              view.reader(file).rangeTombstones(), iterators.size() - 1, Long.MAX_VALUE));
    }
  }

  private boolean overlaps(FileMeta file) {
    return Bytes.compare(lower, file.upper()) < 0
        && (upper == null || Bytes.compare(file.lower(), upper) < 0);
  }
}
