package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.compaction.Compaction;
import dev.siltstone.engine.compaction.ManualCompaction;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.TreeState;
import dev.siltstone.engine.version.Version;
import dev.siltstone.engine.version.VersionEdit;
import dev.siltstone.engine.version.VersionSet;
import dev.siltstone.engine.wal.Log;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The roads of writing: values that are stored apart go to files of their own, the batch to the
 * queue; flush, compaction, sync and trees on request. What runs beside it is {@link
 * BackgroundWork}.
 *
 * <p><b>Who may what.</b> The log's end, the clock and the active memtables are written by the
 * leader of the {@link WriteQueue} alone. Views are replaced under the lock of {@link Views}, by
 * the leader (sealing) and by background jobs. Lock order: trees, leadership, version set, views.
 */
final class Writes {
  private static final int TREE_NAME_CHARS_MAX = 255;

  /** An open that finds more segments of the log flushes what they hold. */
  private static final int LOGS_KEPT = 8;

  private final Store.Core core;
  private final VersionSet versions;
  private final Edits edits;
  private final Log log;
  private final WriteQueue queue;
  private final Committer committer;
  private final BackgroundWork background;
  private final Views views;
  private final StoreJobs jobs;

  /**
   * Held for reading while values are stored apart: no file may be made after the close, when
   * another open may give out the same numbers.
   */
  private final ReentrantReadWriteLock storing = new ReentrantReadWriteLock();

  /** Held while trees are made and dropped. */
  private final ReentrantLock treeLock = new ReentrantLock();

  Writes(
      Store.Core core,
      VersionSet versions,
      Log log,
      WriteQueue queue,
      Committer committer,
      BackgroundWork background,
      Views views,
      StoreJobs jobs) {
    this.core = core;
    this.versions = versions;
    this.edits = new Edits(versions, core.failure());
    this.log = log;
    this.queue = queue;
    this.committer = committer;
    this.background = background;
    this.views = views;
    this.jobs = jobs;
  }

  /** Starts what runs by itself. */
  void start() {
    if (log.segments().size() > LOGS_KEPT) {
      // A store that is opened often and written little would keep every log it ever began.
      queue.exclusively(() -> core.trees().all().forEach(views::seal));
    }
    background.schedule();
    if (core.options().automaticCompaction()) {
      new QuietWork(core, queue, views, background, log).start();
    }
    if (core.options().durability() == Durability.PERIODIC) {
      scheduleSync();
    }
  }

  void write(WriteBatch batch, WriteOptions options) {
    core.failure().checkWritable();
    boolean sync = options.sync() || core.options().durability() == Durability.SYNC;
    if (batch.isEmpty()) {
      if (sync) {
        sync();
      }
      return;
    }
    batch.resolve();
    List<WriteBatch.SeparateValue> apart = batch.separateValues();
    if (apart.isEmpty()) {
      queue.commit(batch, sync);
      return;
    }
    long[] numbers = storeApart(batch, apart);
    batch.setLogged(false);
    boolean done = false;
    try {
      queue.commit(batch, sync);
      done = true;
    } finally {
      // A batch that failed may yet be in the log, and the next open find it there.
      if (done || !batch.isLogged()) {
        core.blobs().settled(numbers);
      }
    }
  }

  /** Makes everything that was acknowledged durable. */
  void sync() {
    queue.exclusively(committer::sync);
  }

  /** Writes the memtables of a tree to files. */
  void flush(OpenTree tree) {
    core.failure().checkWritable();
    tree.checkUsable();
    queue.exclusively(
        () -> {
          // After a failure the memtables may hold a part of a batch that was never published.
          core.failure().checkWritable();
          views.seal(tree);
        });
    background.schedule();
    background.awaitFlush(tree);
  }

  void compact(OpenTree tree, KeyRange range) {
    flush(tree);
    byte[] lower = range.lower();
    background.compactRange(
        tree,
        new ManualCompaction(
            lower == null ? Bytes.EMPTY : lower, range.upper(), core.filterOf(tree) != null));
    // Whoever compacts wants the store small.
    log.shrink();
    background.sweepSoon();
  }

  /** Takes files into a tree as one write; returns when that is durable. */
  void ingest(OpenTree tree, List<Path> files) {
    core.failure().checkWritable();
    tree.checkUsable();
    if (files.isEmpty()) {
      return;
    }
    try (Ingestion ingestion = new Ingestion(core, jobs, tree, files)) {
      ingestion.stage();
      // What can be done beside other writers is not left to do while they wait.
      if (ingestion.overlapsMemtables(tree.view())) {
        flush(tree);
      }
      sync();
      queue.exclusively(() -> install(tree, ingestion));
      background.schedule();
    } catch (IOException e) {
      throw core.failure().translate(e, "ingesting into tree '" + tree.name() + "'");
    }
  }

  /** Gives files their time and makes them part of a tree, as leader. */
  private void install(OpenTree tree, Ingestion ingestion) {
    core.failure().checkWritable();
    tree.checkUsable();
    committer.admit();
    try {
      if (ingestion.overlapsMemtables(tree.view())) {
        // What is newer must not lie below what is older.
        views.seal(tree);
        background.schedule();
        background.awaitFlush(tree);
      }
      // As with a flush: what is older than the files must not be lost when they are not.
      committer.sync();
      long time = core.clock().next();
      List<FileMeta> dated = ingestion.date(time);
      List<Compaction> places = background.place(tree, dated);
      try {
        ingestion.setOffered();
        edits.apply(ingested(tree, places, time));
        publish(tree, dated, time);
      } finally {
        background.placed(tree, places);
      }
    } catch (IOException e) {
      throw core.failure().translate(e, "ingesting into tree '" + tree.name() + "'");
    }
  }

  private VersionEdit ingested(OpenTree tree, List<Compaction> places, long time) {
    VersionEdit edit = new VersionEdit().lastTime(time);
    for (Compaction place : places) {
      edit.addFile(tree.id(), place.outputLevel(), place.inputs().getFirst());
    }
    return edit;
  }

  @SuppressWarnings("CatchingUnchecked") // Passed on, once the store refuses writes.
  private void publish(OpenTree tree, List<FileMeta> files, long time) {
    try {
      views.ingested(tree);
      committer.publish(tree, files, time);
    } catch (RuntimeException | Error e) {
      // The files are part of the store: a later time must not be published over them.
      core.failure().fail(new DbException.Unavailable("failed while ingesting: " + e, e));
      throw e;
    }
  }

  /** Makes a copy of the store as it is at one moment while this call runs. */
  void checkpoint(Path target) {
    core.failure().checkWritable();
    try (Checkpoint checkpoint = new Checkpoint(core, versions, jobs, target)) {
      checkpoint.prepare();
      try {
        take(checkpoint);
        background.schedule();
        checkpoint.build();
      } finally {
        if (checkpoint.release()) {
          viewReleased();
        }
      }
    } catch (IOException e) {
      throw core.failure().translate(e, "making checkpoint " + target);
    }
  }

  /**
   * Fixes the moment of a checkpoint: between two groups of writers, and with no tree half made.
   */
  private void take(Checkpoint checkpoint) {
    treeLock.lock();
    try {
      queue.exclusively(
          () -> {
            // After a failure the memtables may hold a part of a batch that was never published.
            core.failure().checkWritable();
            core.trees().all().forEach(views::seal);
            checkpoint.take();
          });
    } finally {
      treeLock.unlock();
    }
  }

  OpenTree createTree(String name, TreeOptions options) {
    if (name.isEmpty() || name.length() > TREE_NAME_CHARS_MAX) {
      throw new IllegalArgumentException(
          "tree name of " + name.length() + " characters: 1 to " + TREE_NAME_CHARS_MAX);
    }
    if (!new String(name.getBytes(UTF_8), UTF_8).equals(name)) {
      throw new IllegalArgumentException("tree name '" + name + "' is not valid Unicode");
    }
    treeLock.lock();
    try {
      core.failure().checkWritable();
      OpenTree there = core.trees().find(name);
      if (there != null) {
        reopen(there, options);
        return there;
      }
      int id = versions.newTreeId();
      edits.apply(
          new VersionEdit()
              .createTree(id, name, StoredTreeOptions.encode(options))
              .flushedTime(id, core.published().getAsLong()));
      OpenTree tree =
          new OpenTree(
              id,
              name,
              options.subtrees().name(),
              options,
              views.first(Version.EMPTY),
              core.options().newGapMemo());
      core.trees().add(tree);
      return tree;
    } catch (IOException e) {
      throw core.failure().translate(e, "creating tree '" + name + "'");
    } finally {
      treeLock.unlock();
    }
  }

  /**
   * Has a tree take other options, and keeps them in the manifest if they are not there yet.
   * Options that the manifest has already are taken even if the store refuses writes.
   */
  void reopen(OpenTree tree, TreeOptions options) {
    treeLock.lock();
    try {
      tree.checkReopen(options);
      TreeState kept = versions.state().tree(tree.id());
      byte[] encoded =
          kept == null
              ? StoredTreeOptions.encode(options)
              : StoredTreeOptions.encode(options, kept.options());
      if (kept == null || !Arrays.equals(kept.options(), encoded)) {
        core.failure().checkWritable();
        edits.apply(new VersionEdit().treeOptions(tree.id(), encoded));
      }
      tree.reopen(options);
    } catch (IOException e) {
      throw core.failure().translate(e, "changing options of tree '" + tree.name() + "'");
    } finally {
      treeLock.unlock();
    }
  }

  void dropTree(OpenTree tree) {
    treeLock.lock();
    boolean done = false;
    try {
      core.failure().checkWritable();
      tree.checkUsable();
      // From here on no batch of the tree is logged, so that none is lost that was acknowledged.
      queue.exclusively(() -> tree.setDropped(true));
      // A job's edit would not fit a state that has the tree no more.
      background.awaitEnd(tree);
      edits.apply(new VersionEdit().dropTree(tree.id()));
      done = true;
      views.dropped(tree);
      background.sweepSoon();
    } catch (IOException e) {
      throw core.failure().translate(e, "dropping tree '" + tree.name() + "'");
    } finally {
      if (!done && isKnown(tree)) {
        // It is still there, and can be dropped when the disk works again.
        tree.setDropped(false);
      }
      treeLock.unlock();
    }
  }

  private boolean isKnown(OpenTree tree) {
    return core.trees().find(tree.id()) == tree;
  }

  /** Somebody has stopped reading a replaced view. */
  void viewReleased() {
    background.sweepSoon();
  }

  BackgroundWork background() {
    return background;
  }

  long logBytes() {
    return log.totalBytes();
  }

  /** Lets no write and no job begin any more, and waits for those under way. */
  void close() {
    queue.exclusively(core.failure()::close);
    // Whoever stores values apart has done so, or finds the store closed.
    storing.writeLock().lock();
    try {
      background.close();
    } finally {
      storing.writeLock().unlock();
    }
  }

  private void scheduleSync() {
    background
        .scheduler()
        .schedule(this::syncPeriodically, core.options().syncInterval().toNanos());
  }

  private void syncPeriodically() {
    if (core.failure().isClosed() || core.failure().cause() != null) {
      return;
    }
    try {
      log.sync();
      core.counters().logSyncs.increment();
      scheduleSync();
    } catch (IOException e) {
      core.failure().failLog(e, "syncing the log");
    }
  }

  /**
   * Writes the values to blob files, durably, before the batch that refers to them is logged: a
   * reference in the log then never dangles, whatever a power loss leaves of either.
   */
  private long[] storeApart(WriteBatch batch, List<WriteBatch.SeparateValue> apart) {
    long[] numbers = new long[apart.size()];
    storing.readLock().lock();
    try {
      core.failure().checkWritable();
      for (int i = 0; i < numbers.length; i++) {
        WriteBatch.SeparateValue value = apart.get(i);
        BlobReference reference = core.blobs().write(value.value());
        numbers[i] = reference.fileNumber();
        reference.write(batch.writer().array(), value.offset());
      }
      core.blobs().sync();
      return numbers;
    } catch (IOException e) {
      core.blobs().settled(numbers);
      throw core.failure().translate(e, "storing a large value");
    } finally {
      storing.readLock().unlock();
    }
  }
}
