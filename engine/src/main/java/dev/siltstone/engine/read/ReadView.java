package dev.siltstone.engine.read;

import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.table.TableCache;
import dev.siltstone.engine.table.TableReader;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * All sources of one tree at one moment: the active memtable, the sealed ones and the files.
 * Immutable but for its pins.
 *
 * <p><b>Pins.</b> A view is born with one pin, which its tree gives up when it replaces the view. A
 * cursor holds a pin for its lifetime; a point lookup holds none, since the worst that can happen
 * to it is that a file of a replaced view is gone, upon which it starts over with the present view.
 * Files that a pinned view names are not removed.
 */
public final class ReadView {
  private final MemTable active;
  private final List<MemTable> sealed;
  private final Version version;
  private final TableCache tables;
  private final LevelFiles newestFiles;

  /** The deeper levels that have files. */
  private final LevelFiles[] deeperFiles;

  private final boolean filesHaveSubtrees;
  private final long maxFileTime;
  private final AtomicInteger pins = new AtomicInteger(1);

  /**
   * A view.
   *
   * @param sealed newest first
   */
  public ReadView(MemTable active, List<MemTable> sealed, Version version, TableCache tables) {
    this.active = active;
    this.sealed = List.copyOf(sealed);
    this.version = version;
    this.tables = tables;
    this.newestFiles = new LevelFiles(version.level(0), tables);
    this.deeperFiles = deeper(version, tables);
    this.filesHaveSubtrees = anySubtrees(version);
    this.maxFileTime = version.maxTime();
  }

  private static LevelFiles[] deeper(Version version, TableCache tables) {
    List<LevelFiles> levels = new ArrayList<>();
    for (int level = 1; level < Version.LEVELS; level++) {
      if (!version.level(level).isEmpty()) {
        levels.add(new LevelFiles(version.level(level), tables));
      }
    }
    return levels.toArray(new LevelFiles[0]);
  }

  /** The memtable that takes writes. */
  public MemTable active() {
    return active;
  }

  /** The memtables that wait for their flush, newest first. */
  public List<MemTable> sealed() {
    return sealed;
  }

  /** The files. */
  public Version version() {
    return version;
  }

  /** The files of level 0, newest first, for point lookups. */
  LevelFiles newestFiles() {
    return newestFiles;
  }

  /** The other levels that have files, for point lookups. */
  LevelFiles[] deeperFiles() {
    return deeperFiles;
  }

  /** The open reader of a file. */
  public TableReader reader(FileMeta file) throws IOException {
    return tables.reader(file.number(), file.bytes());
  }

  /** The greatest time of anything in the files; the smallest time if there are none. */
  public long maxFileTime() {
    return maxFileTime;
  }

  /** Whether any source may hold subtree records. */
  public boolean hasSubtrees() {
    if (filesHaveSubtrees || active.subtrees() > 0) {
      return true;
    }
    for (MemTable memtable : sealed) {
      if (memtable.subtrees() > 0) {
        return true;
      }
    }
    return false;
  }

  /** Pins the view, unless its last pin is already gone; then the caller takes a newer view. */
  public boolean tryPin() {
    int count = pins.get();
    while (count > 0) {
      if (pins.compareAndSet(count, count + 1)) {
        return true;
      }
      count = pins.get();
    }
    return false;
  }

  /** Whether anybody holds a pin. */
  public boolean isPinned() {
    return pins.get() > 0;
  }

  /** Gives up one pin; true if it was the last. */
  public boolean unpin() {
    int left = pins.decrementAndGet();
    assert left >= 0 : "unpinned more often than pinned";
    return left == 0;
  }

  private static boolean anySubtrees(Version version) {
    for (int level = 0; level < Version.LEVELS; level++) {
      for (FileMeta file : version.level(level)) {
        if (file.subtrees() > 0) {
          return true;
        }
      }
    }
    return false;
  }
}
