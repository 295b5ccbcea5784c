package dev.siltstone.engine;

import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.read.ReadView;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import dev.siltstone.engine.wal.Log;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What is done once writes pause.
 *
 * <ul>
 *   <li>A memtable that deletes much is flushed: compactions know of deletes only what is in files,
 *       so without it what the last ones have deleted would stay on disk until further writes have
 *       filled the memtable.
 *   <li>Files that the log keeps for writes to come are given back.
 * </ul>
 *
 * <p>A tree is quiet if nothing was written to it from one look to the next. The looks come from
 * the scheduler, one after the other.
 */
final class QuietWork {
  /** From one look to the next. */
  static final long PERIOD_NANOS = 2_000_000_000L;

  /** Fewer deletes of single keys are not worth a file, however few records there are. */
  private static final int DELETES_MIN = 100;

  /** As many are worth one, however many records there are. */
  private static final int DELETES_ENOUGH = 1_000;

  /** Between the two, deletes of one in so many records are. */
  private static final int RECORDS_PER_DELETE = 10;

  private final Store.Core core;
  private final WriteQueue queue;
  private final Views views;
  private final BackgroundWork background;
  private final Log log;
  private Map<OpenTree, Seen> seen = Map.of();

  /** The time of the last batch at the last look. */
  private long published = -1;

  /** Whether the log was shrunk since that batch. */
  private boolean shrunk;

  /** The active memtable of a tree at a look. */
  private record Seen(long memtable, long time) {
    static Seen of(OpenTree tree) {
      MemTable active = tree.view().active();
      return new Seen(active.id(), active.maxTime());
    }
  }

  QuietWork(Store.Core core, WriteQueue queue, Views views, BackgroundWork background, Log log) {
    this.log = log;
    this.core = core;
    this.queue = queue;
    this.views = views;
    this.background = background;
  }

  void start() {
    background.scheduler().schedule(this::look, PERIOD_NANOS);
  }

  private void look() {
    if (core.failure().isClosed() || core.failure().cause() != null) {
      return;
    }
    shrinkLog();
    Map<OpenTree, Seen> now = new HashMap<>();
    List<OpenTree> quiet = new ArrayList<>();
    for (OpenTree tree : core.trees().all()) {
      Seen present = Seen.of(tree);
      now.put(tree, present);
      if (present.equals(seen.get(tree)) && isWorthAFlush(tree.view())) {
        quiet.add(tree);
      }
    }
    if (!quiet.isEmpty()) {
      queue.exclusively(() -> seal(quiet, now));
      background.schedule();
    }
    seen = now;
    start();
  }

  private void shrinkLog() {
    long last = core.published().getAsLong();
    if (last != published) {
      published = last;
      shrunk = false;
    } else if (!shrunk) {
      shrunk = true;
      log.shrink();
      background.sweepSoon();
    }
  }

  private void seal(List<OpenTree> quiet, Map<OpenTree, Seen> looked) {
    if (core.failure().isClosed() || core.failure().cause() != null) {
      return;
    }
    for (OpenTree tree : quiet) {
      if (Seen.of(tree).equals(looked.get(tree))) {
        views.seal(tree);
      }
    }
  }

  private static boolean isWorthAFlush(ReadView view) {
    MemTable active = view.active();
    if (active.deletes() == 0 && active.rangeDeletes() == 0 && active.subtrees() == 0) {
      return false;
    }
    long records = 0;
    for (int level = 0; level < Version.LEVELS; level++) {
      for (FileMeta file : view.version().level(level)) {
        records += file.entries();
      }
    }
    if (records == 0) {
      return false;
    }
    long enough = Math.clamp(records / RECORDS_PER_DELETE, DELETES_MIN, DELETES_ENOUGH);
    return active.deletes() >= enough || active.rangeDeletes() > 0 || active.subtrees() > 0;
  }
}
