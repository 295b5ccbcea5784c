package dev.siltstone.engine;

import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.BatchWriter;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.wal.Log;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * Commits groups of batches: the second half of the road of a write.
 *
 * <ol>
 *   <li>Every batch gets a hybrid time, greater than all before, and goes to the log.
 *   <li>If one of the group asks for it, the log is synced.
 *   <li>The batches are applied to the memtables, from the same bytes.
 *   <li>The last time is published: readers see the group, each batch whole.
 *   <li>Memtables that are full are sealed.
 * </ol>
 *
 * <p>Invariant I1: a time is published after its records are in the log and in the memtables. Only
 * the leader of the {@link WriteQueue} calls in here, one at a time.
 */
final class Committer implements WriteQueue.GroupCommit {
  private final Store.Core core;
  private final Log log;
  private final PublishedTime published;
  private final Views views;
  private final MemoryBudget memory;
  private final BackgroundWork background;
  private final Throttle throttle;
  private final long logBytesMax;
  private final BatchReader reader = new BatchReader();

  Committer(
      Store.Core core,
      Log log,
      PublishedTime published,
      Views views,
      MemoryBudget memory,
      BackgroundWork background) {
    this.core = core;
    this.log = log;
    this.published = published;
    this.views = views;
    this.memory = memory;
    this.background = background;
    this.throttle =
        new Throttle(
            core.components().clock(), background.scheduler(), views.backlog(), background);
    Options options = core.options();
    this.logBytesMax = Math.max(4 * options.memtableBytes(), 4 * options.logSegmentBytes());
  }

  @Override
  @SuppressWarnings("CatchingUnchecked") // Passed on, once nobody takes it for success.
  public void commit(List<WriteQueue.Writer> group) {
    boolean open = true;
    try {
      core.failure().checkWritable();
      throttle.admit();
      boolean sync = logAll(group);
      finishLog(sync, group.size());
      publish(group);
      open = false;
      sealWhatIsFull(group);
    } catch (DbException e) {
      fail(group, e);
    } catch (RuntimeException | Error e) {
      // How much of the group is in the log and in the memtables is unknown, so that nothing may
      // come after it.
      DbException unknown = new DbException.Unavailable("failed while committing: " + e, e);
      core.failure().fail(unknown);
      if (open) {
        fail(group, unknown);
      }
      throw e;
    }
  }

  private static void fail(List<WriteQueue.Writer> group, DbException failure) {
    for (int i = 0; i < group.size(); i++) {
      WriteQueue.Writer writer = group.get(i);
      if (!writer.hasFailed()) {
        writer.fail(failure);
      }
    }
  }

  /** Applies what is in the log, and lets readers see it. */
  private void publish(List<WriteQueue.Writer> group) {
    long last = published.getAsLong();
    for (int i = 0; i < group.size(); i++) {
      WriteQueue.Writer writer = group.get(i);
      WriteBatch batch = writer.batch;
      if (!writer.hasFailed() && batch != null) {
        apply(batch);
        last = batch.time();
      }
    }
    reader.clear();
    published.set(last);
  }

  /**
   * Lets readers see files that were ingested, all of whose records have this time. The view of the
   * tree has them, and a new active memtable. Requires leadership.
   */
  void publish(OpenTree tree, List<FileMeta> ingested, long time) {
    VarHandle.fullFence();
    if (!tree.gaps().isIdle()) {
      for (FileMeta file : ingested) {
        tree.gaps().born(file.lower(), file.upper());
      }
    }
    published.set(time);
  }

  /** Waits until writers may go on. Requires leadership. */
  void admit() {
    throttle.admit();
  }

  /** Makes everything committed so far durable. Requires leadership. */
  void sync() {
    core.failure().checkWritable();
    finishLog(true, 0);
  }

  /** Appends every batch of the group; one that cannot be is marked. Whether to sync. */
  private boolean logAll(List<WriteQueue.Writer> group) {
    boolean sync = false;
    for (int i = 0; i < group.size(); i++) {
      WriteQueue.Writer writer = group.get(i);
      WriteBatch batch = writer.batch;
      if (batch == null) {
        continue;
      }
      try {
        checkTrees(batch.trees());
        append(batch);
        sync |= writer.isSync();
      } catch (DbException e) {
        writer.fail(e);
      }
    }
    return sync;
  }

  private static void checkTrees(List<Tree> trees) {
    for (int i = 0; i < trees.size(); i++) {
      trees.get(i).state().checkUsable();
    }
  }

  private void append(WriteBatch batch) {
    long time = core.clock().next();
    batch.seal(time);
    batch.setLogged(true);
    try {
      log.append(batch.writer().array(), 0, batch.bytes(), time);
    } catch (NoSpaceException e) {
      // The log is as it was before: this batch fails, later ones may find space again.
      batch.setLogged(false);
      throw Failure.ofIo(e, "appending to the log");
    } catch (IOException e) {
      throw core.failure().failLog(e, "appending to the log");
    }
  }

  private void finishLog(boolean sync, int batches) {
    try {
      if (sync) {
        syncLog(batches);
      } else {
        log.flush();
      }
    } catch (NoSpaceException e) {
      // All batches since the last flush are taken back.
      throw Failure.ofIo(e, "writing the log");
    } catch (IOException e) {
      throw core.failure().failLog(e, "writing the log");
    }
  }

  private void syncLog(int batches) throws IOException {
    Events.WalSync event = new Events.WalSync();
    event.begin();
    log.flushThrough();
    core.counters().logSyncs.increment();
    event.batches = batches;
    event.commit();
  }

  private void apply(WriteBatch batch) {
    BatchWriter writer = batch.writer();
    try {
      reader.open(writer.array(), 0, writer.bytes());
      while (reader.next()) {
        OpenTree tree = core.trees().find(reader.treeId());
        if (tree != null) {
          MemTable memtable = tree.view().active();
          memtable.add(reader);
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException("a batch that was just built cannot be read", e);
    }
    tellGaps(batch);
    core.counters().batches.increment();
    core.counters().records.add(writer.count());
    core.counters().logBytes.add(writer.bytes());
  }

  /**
   * Takes the keys of the batch's puts out of the gaps. The records are in the memtables; the fence
   * comes before the look at the memo, as the package {@code engine.gap} demands.
   */
  private void tellGaps(WriteBatch batch) {
    VarHandle.fullFence();
    boolean idle = true;
    List<Tree> trees = batch.trees();
    for (int i = 0; i < trees.size(); i++) {
      idle &= trees.get(i).state().gaps().isIdle();
    }
    if (idle) {
      return;
    }
    BatchWriter writer = batch.writer();
    try {
      reader.open(writer.array(), 0, writer.bytes());
      while (reader.next()) {
        OpenTree tree = core.trees().find(reader.treeId());
        if (tree != null && KeyKind.isPut(reader.kind())) {
          tree.gaps().born(reader.array(), reader.keyOffset(), reader.keyLength());
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException("a batch that was just built cannot be read", e);
    }
  }

  private void sealWhatIsFull(List<WriteQueue.Writer> group) {
    boolean sealed = false;
    for (int i = 0; i < group.size(); i++) {
      WriteQueue.Writer writer = group.get(i);
      if (writer.batch == null || writer.hasFailed()) {
        continue;
      }
      List<Tree> trees = writer.batch.trees();
      for (int j = 0; j < trees.size(); j++) {
        sealed |= sealIfFull(trees.get(j).state());
      }
    }
    if (log.needsPrepare()) {
      background.prepareLog(log);
      if (log.totalBytes() > logBytesMax) {
        sealed |= sealOldest();
      }
    }
    if (memory.isOverMemtableShare()) {
      sealed |= sealLargest();
    }
    if (sealed) {
      background.schedule();
    }
  }

  private boolean sealIfFull(OpenTree tree) {
    MemTable active = tree.view().active();
    memory.note(active);
    return active.bytes() >= core.options().memtableBytes() && views.seal(tree);
  }

  /** Seals the memtable whose records keep the oldest segment of the log. */
  private boolean sealOldest() {
    OpenTree oldest = null;
    for (OpenTree tree : core.trees().all()) {
      long time = tree.view().active().minTime();
      if (oldest == null || time < oldest.view().active().minTime()) {
        oldest = tree;
      }
    }
    return oldest != null && views.seal(oldest);
  }

  private boolean sealLargest() {
    OpenTree largest = null;
    for (OpenTree tree : core.trees().all()) {
      if (largest == null || tree.view().active().bytes() > largest.view().active().bytes()) {
        largest = tree;
      }
    }
    return largest != null && views.seal(largest);
  }
}
