package dev.siltstone.engine;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.version.StoreState;
import dev.siltstone.engine.version.TreeState;
import dev.siltstone.engine.wal.LogRecovery;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * Brings the records of the log that are in no table yet into memtables. Times rise along the log,
 * so the time up to which a tree was flushed tells exactly which of its records those are.
 */
final class LogReplay {
  private final Store.Core core;
  private final Views views;
  private final StoreState state;
  private final Set<Long> blobs = new HashSet<>();
  private long lastTime;

  LogReplay(Store.Core core, Views views, StoreState state) {
    this.core = core;
    this.views = views;
    this.state = state;
    this.lastTime = state.lastTime();
  }

  /** Reads the log. Afterwards clock and published time are past all that was found. */
  LogRecovery run(FileSystem fileSystem, Path directory, long storeId) throws IOException {
    LogRecovery recovered =
        LogRecovery.run(
            fileSystem, directory, storeId, state.oldestLog(), state.newestLog(), this::record);
    core.clock().observe(lastTime);
    ((PublishedTime) core.published()).set(lastTime);
    for (OpenTree tree : core.trees().all()) {
      tree.view().active().forEachBlob(blobs::add);
      for (MemTable memtable : tree.view().sealed()) {
        memtable.forEachBlob(blobs::add);
      }
    }
    return recovered;
  }

  /** Numbers of the blob files that the records refer to. */
  Set<Long> blobs() {
    return blobs;
  }

  private long record(Path file, byte[] array, int offset, int length) throws IOException {
    BatchReader batch = new BatchReader();
    try {
      batch.open(array, offset, length);
      while (batch.next()) {
        add(batch);
      }
    } catch (CorruptFileException e) {
      throw e;
    } catch (IOException e) {
      throw new CorruptFileException(file, offset, String.valueOf(e.getMessage()));
    }
    lastTime = Math.max(lastTime, batch.time());
    sealWhatIsFull();
    return batch.time();
  }

  /**
   * Seals memtables between batches only: the time up to which a tree is flushed stands for all its
   * records of that time, so a batch must not be cut in two.
   */
  private void sealWhatIsFull() {
    for (OpenTree tree : core.trees().all()) {
      if (tree.view().active().bytes() >= core.options().memtableBytes()) {
        views.seal(tree);
      }
    }
  }

  private void add(BatchReader record) throws IOException {
    TreeState stored = state.tree(record.treeId());
    if (stored == null) {
      if (record.treeId() >= state.nextTreeId()) {
        throw new IOException("a record of tree " + record.treeId() + ", which never was");
      }
      return;
    }
    if (record.time() <= stored.flushedTime()) {
      return;
    }
    OpenTree tree = core.trees().find(record.treeId());
    if (tree == null) {
      throw new IOException("tree " + record.treeId() + " is not open");
    }
    tree.view().active().add(record);
  }
}
