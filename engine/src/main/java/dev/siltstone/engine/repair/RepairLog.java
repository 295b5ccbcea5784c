package dev.siltstone.engine.repair;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.compaction.TableSink;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.wal.LogRecovery;
import dev.siltstone.engine.wal.LogSalvage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings the records of the log that are in no sound table into memtables, one a tree. A memtable
 * that is full becomes a sorted table of the target, which is read again when its tree is merged.
 *
 * <p>A log that recovery accepts is read as recovery reads it; else all that is intact is taken.
 */
final class RepairLog {
  private final FileSystem fileSystem;
  private final Path directory;
  private final Inventory inventory;
  private final Losses losses;
  private final long memtableBytes;
  private final Runs runs;
  private long memtables;
  private long lastTime;
  private long records;

  /** Makes tables for sorted records. */
  @FunctionalInterface
  interface Runs {
    TableSink create(RepairTree tree) throws IOException;
  }

  RepairLog(
      FileSystem fileSystem,
      Path directory,
      Inventory inventory,
      Losses losses,
      long memtableBytes,
      Runs runs) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.inventory = inventory;
    this.losses = losses;
    this.memtableBytes = memtableBytes;
    this.runs = runs;
  }

  void run() throws IOException {
    if (inventory.isExact() && isSound()) {
      LogRecovery.run(
          fileSystem,
          directory,
          inventory.storeId(),
          inventory.oldestLog(),
          inventory.newestLog(),
          this::record);
      return;
    }
    Long storeId = inventory.isStoreIdKnown() ? inventory.storeId() : null;
    LogSalvage.run(
        fileSystem,
        directory,
        storeId,
        inventory.oldestLog(),
        inventory.newestLog(),
        this::record,
        losses::add);
  }

  private boolean isSound() throws IOException {
    try {
      LogRecovery.run(
          fileSystem,
          directory,
          inventory.storeId(),
          inventory.oldestLog(),
          inventory.newestLog(),
          (file, array, offset, length) -> check(file, array, offset, length).time());
      return true;
    } catch (CorruptFileException e) {
      losses.addHarmless(e, null);
      return false;
    }
  }

  /** Reads a batch to its end, so that it counts as a whole or not at all. */
  private BatchReader check(Path file, byte[] array, int offset, int length)
      throws CorruptFileException {
    BatchReader batch = new BatchReader();
    try {
      batch.open(array, offset, length);
      while (batch.next()) {
        inventory.treeOf(batch.treeId());
      }
      batch.open(array, offset, length);
      return batch;
    } catch (IOException e) {
      throw new CorruptFileException(file, offset, String.valueOf(e.getMessage()));
    }
  }

  private long record(Path file, byte[] array, int offset, int length) throws IOException {
    BatchReader batch = check(file, array, offset, length);
    if (batch.time() < lastTime) {
      // Times fall where segments are missing from a chain; a memtable takes rising ones only.
      for (RepairTree tree : inventory.trees().values()) {
        write(tree);
      }
    }
    lastTime = batch.time();
    while (batch.next()) {
      RepairTree tree = inventory.treeOf(batch.treeId());
      if (tree != null && batch.time() > inventory.flushedTime(tree)) {
        memtable(tree).add(batch);
        records++;
      }
    }
    for (RepairTree tree : inventory.trees().values()) {
      MemTable memtable = tree.memtable;
      if (memtable != null && memtable.bytes() >= memtableBytes) {
        write(tree);
      }
    }
    return batch.time();
  }

  private MemTable memtable(RepairTree tree) {
    MemTable memtable = tree.memtable;
    if (memtable == null) {
      memtable = new MemTable(++memtables, memtableBytes);
      tree.memtable = memtable;
    }
    return memtable;
  }

  /** Makes a table of a memtable. */
  private void write(RepairTree tree) throws IOException {
    MemTable memtable = tree.memtable;
    tree.memtable = null;
    if (memtable == null || memtable.isEmpty()) {
      return;
    }
    tree.maxTime = Math.max(tree.maxTime, memtable.maxTime());
    tree.tombstones.add(
        FragmentedRangeTombstones.union(List.of(memtable.rangeTombstones()), HybridTime.MIN));
    if (memtable.entries() == 0) {
      return;
    }
    TableSink sink = runs.create(tree);
    FileMeta file = fill(sink, memtable);
    if (file != null) {
      tree.runs.add(file.number());
    }
  }

  private static @Nullable FileMeta fill(TableSink sink, MemTable memtable) throws IOException {
    try (InternalIterator records = memtable.iterator()) {
      for (records.first(); records.valid(); records.next()) {
        sink.add(
            records.keyArray(),
            records.keyOffset(),
            records.keyLength(),
            records.trailer(),
            records.valueArray(),
            records.valueOffset(),
            records.valueLength());
      }
    }
    return sink.finish();
  }

  /** Records taken, range deletes included. */
  long records() {
    return records;
  }
}
