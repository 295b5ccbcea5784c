package dev.siltstone.engine;

import dev.siltstone.engine.table.TableCache;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Files whose range deletes a picker has asked for but nobody has read yet. A picker decides under
 * a lock and reads no files; what it misses is read by a job, and then it is asked again.
 *
 * <p>Safe for concurrent use.
 */
final class UnreadRangeDeletes {
  private final TableCache tables;
  private final Set<FileMeta> wanted = ConcurrentHashMap.newKeySet();

  /** Numbers of files that could not be read; of them nothing will be known. */
  private final Set<Long> unreadable = ConcurrentHashMap.newKeySet();

  UnreadRangeDeletes(TableCache tables) {
    this.tables = tables;
  }

  void want(FileMeta file) {
    if (!unreadable.contains(file.number())) {
      wanted.add(file);
    }
  }

  boolean isWanted() {
    return !wanted.isEmpty();
  }

  /** Opens and reads what is wanted; touches files. */
  void read() {
    for (FileMeta file : Set.copyOf(wanted)) {
      try {
        tables.reader(file.number(), file.bytes()).rangeTombstones();
      } catch (IOException e) {
        // Gone meanwhile, or whoever reads the file next meets the failure.
        unreadable.add(file.number());
      }
      wanted.remove(file);
    }
  }
}
