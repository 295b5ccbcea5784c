package dev.siltstone.engine;

import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.BatchRecord;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.version.StoreState;
import dev.siltstone.engine.version.TreeState;
import dev.siltstone.engine.wal.LogRecovery;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Brings the records of the log that are in no table yet into memtables. Times rise along the log,
 * so the time up to which a tree was flushed tells exactly which of its records those are.
 *
 * <p>A log may hold more than memtables may take, for one because the budget was larger when it was
 * written. Then only its front is kept at first, and the rest is merely checked, since nothing of
 * the store may change before the log has been read to its end. Once it can be written to, {@link
 * #finish} flushes what was kept and reads on, in turns.
 */
final class LogReplay {
  private final Store.Core core;
  private final Views views;
  private final MemoryBudget memory;
  private final StoreState state;
  private final long memtableBytesMax;
  private final Set<Long> blobs = new HashSet<>();

  /** Trees that the present batch has records of. */
  private final Set<OpenTree> touched = new HashSet<>();

  /** The time of the last batch of the log. */
  private long lastTime;

  /** The time up to which all records are in memtables or tables. */
  private long appliedTime;

  /** Whether memtables hold all they may. */
  private boolean full;

  /** Whether records were passed over for that reason. */
  private boolean incomplete;

  /**
   * A replay.
   *
   * @param memtableBytesMax what memtables may take
   */
  LogReplay(
      Store.Core core, Views views, MemoryBudget memory, StoreState state, long memtableBytesMax) {
    this.core = core;
    this.views = views;
    this.memory = memory;
    this.state = state;
    this.memtableBytesMax = memtableBytesMax;
    this.lastTime = state.lastTime();
    this.appliedTime = HybridTime.MIN;
  }

  /** Flushes a tree. */
  @FunctionalInterface
  interface Flush {
    /** Writes all sealed memtables of a tree to files. */
    void flush(OpenTree tree) throws IOException;
  }

  /**
   * Reads the log. Afterwards the clock is past all that was found, and what is {@link #isComplete}
   * is published.
   */
  LogRecovery run(FileSystem fileSystem, Path directory, long storeId) throws IOException {
    LogRecovery recovered =
        LogRecovery.run(
            fileSystem, directory, storeId, state.oldestLog(), state.newestLog(), this::first);
    core.clock().observe(lastTime);
    publish();
    return recovered;
  }

  private long first(Path file, byte[] array, int offset, int length) throws IOException {
    incomplete |= full;
    long time = read(file, array, offset, length, !full);
    lastTime = Math.max(lastTime, time);
    return time;
  }

  /** Whether all records of the log are in memtables. */
  boolean isComplete() {
    return !incomplete;
  }

  /** Makes it complete. To be called when tables can be flushed; nothing else may run beside it. */
  void finish(LogRecovery recovered, Flush flush) throws IOException {
    flushAll(flush);
    recovered.again(
        appliedTime,
        (file, array, offset, length) -> {
          long time = Fixed.getLong(array, offset + BatchRecord.TIME_OFFSET);
          if (time <= appliedTime) {
            return time;
          }
          if (full) {
            flushAll(flush);
          }
          return read(file, array, offset, length, true);
        });
    incomplete = false;
    publish();
  }

  /**
   * Publishes what is applied and no more: the time to which a flush says that the store is flushed
   * must not pass records that are yet to be read.
   */
  private void publish() {
    ((PublishedTime) core.published()).set(incomplete ? appliedTime : lastTime);
  }

  private void flushAll(Flush flush) throws IOException {
    publish();
    for (OpenTree tree : core.trees().all()) {
      if (views.seal(tree) || !tree.view().sealed().isEmpty()) {
        flush.flush(tree);
      }
    }
    full = false;
  }

  /** Numbers of the blob files that the records refer to. */
  Set<Long> blobs() {
    return blobs;
  }

  private long read(Path file, byte[] array, int offset, int length, boolean apply)
      throws IOException {
    BatchReader batch = new BatchReader();
    try {
      batch.open(array, offset, length);
      while (batch.next()) {
        OpenTree tree = treeOf(batch);
        if (tree == null) {
          continue;
        }
        noteBlob(batch);
        if (apply) {
          tree.view().active().add(batch);
          touched.add(tree);
        }
      }
    } catch (CorruptFileException e) {
      throw e;
    } catch (IOException e) {
      throw new CorruptFileException(file, offset, String.valueOf(e.getMessage()));
    }
    if (apply) {
      appliedTime = batch.time();
      noteTouched();
    }
    return batch.time();
  }

  private void noteBlob(BatchReader record) {
    if (KeyKind.isSeparated(record.kind())) {
      int skip = KeyKind.expires(record.kind()) ? KeyKind.EXPIRY_BYTES : 0;
      blobs.add(BlobReference.fileNumber(record.array(), record.valueOffset() + skip));
    }
  }

  /**
   * Seals memtables between batches only: the time up to which a tree is flushed stands for all its
   * records of that time, so a batch must not be cut in two.
   */
  private void noteTouched() {
    for (OpenTree tree : touched) {
      MemTable active = tree.view().active();
      memory.note(active);
      if (active.bytes() >= core.options().memtableBytes()) {
        views.seal(tree);
      }
    }
    touched.clear();
    full = memory.memtableBytes() > memtableBytesMax;
  }

  /** The tree that a record is to be added to; {@code null} if it is in a table, or dropped. */
  private @Nullable OpenTree treeOf(BatchReader record) throws IOException {
    TreeState stored = state.tree(record.treeId());
    if (stored == null) {
      if (record.treeId() >= state.nextTreeId()) {
        throw new IOException("a record of tree " + record.treeId() + ", which never was");
      }
      return null;
    }
    if (record.time() <= stored.flushedTime()) {
      return null;
    }
    OpenTree tree = core.trees().find(record.treeId());
    if (tree == null) {
      throw new IOException("tree " + record.treeId() + " is not open");
    }
    return tree;
  }
}
