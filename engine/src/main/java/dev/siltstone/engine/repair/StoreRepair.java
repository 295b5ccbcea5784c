package dev.siltstone.engine.repair;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.blob.BlobFiles;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.compaction.CompactionJob;
import dev.siltstone.engine.compaction.JobControl;
import dev.siltstone.engine.compaction.OlderData;
import dev.siltstone.engine.compaction.TableSink;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.iter.ConcatIterator;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.MergingIterator;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.table.Compressors;
import dev.siltstone.engine.table.TableIdentity;
import dev.siltstone.engine.table.TableReader;
import dev.siltstone.engine.table.TableSalvage;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import dev.siltstone.engine.version.VersionEdit;
import dev.siltstone.engine.version.VersionSet;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Builds a new store of what can be read of a damaged one.
 *
 * <ol>
 *   <li>{@link Inventory}: trees and tables, from the manifest or from what is left.
 *   <li>{@link RepairLog}: what only the log holds.
 *   <li>Each tree is merged into tables of the last level, nothing dropped; blobs are copied.
 *   <li>A manifest that names all this is written last. Until then the target is no store, so that
 *       a repair that was cut off is never taken for a whole one.
 * </ol>
 *
 * <p>Reads the damaged directory, writes nothing there and takes no lock. Memory: a memtable a
 * tree, the range deletes of a tree, a block of each table that overlaps, one log segment, one
 * blob.
 */
public final class StoreRepair {
  private static final int READ_AHEAD_BYTES = 256 << 10;

  private final Setting setting;
  private final long targetId;
  private final AtomicLong numbers = new AtomicLong(1);
  private final Losses losses = new Losses();
  private final Inventory inventory;
  private final BlobFiles targetBlobs;

  /** By number in the damaged store: what refers to the copy. */
  private final Map<Long, BlobReference> copied = new HashMap<>();

  /** By number in the damaged store: what is lost. */
  private final Map<Long, CorruptFileException> lostBlobs = new HashMap<>();

  private final List<TreeResult> results = new ArrayList<>();

  /**
   * What a repair works on and with.
   *
   * @param damaged where the damaged store is
   * @param target where the new one is made: an empty directory that exists
   * @param defaultName name of the tree that every store has
   * @param random random numbers: ids of the new store and its manifest
   * @param memtableBytes at which a memtable becomes a table
   * @param tableBytes at which a table of the new store ends
   * @param sinks makes its tables
   */
  public record Setting(
      FileSystem fileSystem,
      Path damaged,
      Path target,
      Compressors compressors,
      String defaultName,
      LongSupplier random,
      long memtableBytes,
      long tableBytes,
      Sinks sinks) {}

  /** Makes tables of the new store. */
  @FunctionalInterface
  public interface Sinks {
    /** A table of the last level. */
    TableSink create(OutputTree tree, Path path, long number, long storeId) throws IOException;
  }

  /**
   * A tree of the new store.
   *
   * @param options in the form of the manifest; empty if nobody tells; not to be changed
   */
  public record OutputTree(int id, String name, byte[] options) {}

  /**
   * What became of a tree.
   *
   * @param entries records that the new store has of it, versions and deletes included
   * @param rangeDeletes range-delete fragments
   * @param bytes length of its tables
   */
  public record TreeResult(String name, long entries, long rangeDeletes, long bytes) {}

  /**
   * What was done.
   *
   * @param exact whether the manifest could be read to its end
   */
  public record Result(
      boolean exact,
      List<TreeResult> trees,
      long tablesRead,
      long tablesDamaged,
      long logRecords,
      long blobs,
      Losses losses) {}

  private StoreRepair(Setting setting) {
    this.setting = setting;
    this.targetId = setting.random.getAsLong();
    this.inventory =
        new Inventory(
            setting.fileSystem, setting.damaged, setting.compressors, losses, setting.defaultName);
    this.targetBlobs =
        new BlobFiles(setting.fileSystem, setting.target, targetId, numbers::getAndIncrement);
  }

  /** Does it. */
  public static Result run(Setting setting) throws IOException {
    return new StoreRepair(setting).run();
  }

  private Result run() throws IOException {
    inventory.take();
    RepairLog log =
        new RepairLog(
            setting.fileSystem,
            setting.damaged,
            inventory,
            losses,
            setting.memtableBytes,
            tree -> sink(output(tree)));
    log.run();
    VersionEdit edit = new VersionEdit();
    long lastTime = inventory.lastTime();
    for (RepairTree tree : inventory.trees().values()) {
      OutputTree output = output(tree);
      edit.createTree(tree.id, tree.name, output.options);
      merge(tree, output, edit);
      lastTime = Math.max(lastTime, tree.maxTime);
    }
    for (RepairTree tree : inventory.trees().values()) {
      edit.flushedTime(tree.id, lastTime);
      // Nobody knows what was dropped of the history if the manifest does not tell.
      edit.historyFloor(tree.id, inventory.isExact() ? tree.historyFloor : lastTime);
      for (long run : tree.runs) {
        setting.fileSystem.remove(target(run));
      }
    }
    edit.lastTime(lastTime);
    setting.fileSystem.syncDirectory(setting.target);
    VersionSet.build(setting.fileSystem, setting.target, targetId, setting.random, edit);
    return new Result(
        inventory.isExact(),
        results,
        inventory.tablesRead(),
        inventory.tablesDamaged(),
        log.records(),
        copied.size(),
        losses);
  }

  private Path target(long table) {
    return setting.target.resolve(FileNames.table(table));
  }

  private static OutputTree output(RepairTree tree) {
    return new OutputTree(tree.id, tree.name, tree.options);
  }

  private TableSink sink(OutputTree tree) throws IOException {
    long number = numbers.getAndIncrement();
    return setting.sinks.create(tree, target(number), number, targetId);
  }

  private void merge(RepairTree tree, OutputTree output, VersionEdit edit) throws IOException {
    List<InternalIterator> sources = new ArrayList<>();
    MemTable memtable = tree.memtable;
    if (memtable != null) {
      sources.add(memtable.iterator());
      tree.tombstones.add(memtable.rangeTombstones());
      tree.maxTime = Math.max(tree.maxTime, memtable.maxTime());
    }
    List<TableReader> readers = new ArrayList<>();
    try {
      for (long run : tree.runs) {
        TableReader reader = openRun(run);
        readers.add(reader);
        sources.add(reader.scan(READ_AHEAD_BYTES));
      }
      merge(tree, sources, output, edit);
    } finally {
      for (TableReader reader : readers) {
        reader.close();
      }
    }
  }

  private TableReader openRun(long number) throws IOException {
    return TableReader.open(
        setting.fileSystem,
        target(number),
        number,
        targetId,
        new BlockCache(0),
        setting.compressors);
  }

  private void merge(
      RepairTree tree, List<InternalIterator> sources, OutputTree output, VersionEdit edit)
      throws IOException {
    for (List<RepairTree.Source> run : tree.disjointRuns()) {
      sources.add(concat(tree, run));
    }
    InternalIterator records =
        new RepairIterator(
            MergingIterator.of(sources.toArray(new InternalIterator[0])),
            tree.name,
            this::copyBlob,
            losses,
            setting.damaged);
    CompactionJob.Result result =
        new CompactionJob(
                records,
                FragmentedRangeTombstones.union(tree.tombstones, HybridTime.MIN),
                OlderData.NONE,
                new CompactionJob.Limits(
                    HybridTime.MIN, setting.tableBytes, Long.MAX_VALUE, List.of()),
                () -> sink(output),
                JobControl.NONE,
                null)
            .run();
    long entries = 0;
    long rangeDeletes = 0;
    long bytes = 0;
    for (FileMeta file : result.outputs()) {
      edit.addFile(tree.id, Version.LEVELS - 1, file);
      tree.maxTime = Math.max(tree.maxTime, file.maxTime());
      entries += file.entries();
      rangeDeletes += file.rangeDeletes();
      bytes += file.bytes();
    }
    results.add(new TreeResult(tree.name, entries, rangeDeletes, bytes));
  }

  private InternalIterator concat(RepairTree tree, List<RepairTree.Source> tables) {
    return new ConcatIterator(
        tables.size(),
        (_, _, _) -> {
          throw new IllegalStateException("a repair does not seek");
        },
        index -> {
          long number = tables.get(index).number();
          Path path = setting.damaged.resolve(FileNames.table(number));
          TableSalvage salvage =
              TableSalvage.open(
                  setting.fileSystem,
                  path,
                  new TableIdentity(inventory.storeId(), number),
                  setting.compressors,
                  TableSalvage.Losses.NONE);
          return salvage.iterator(losses.of(tree.name));
        });
  }

  private BlobReference copyBlob(BlobReference reference) throws IOException {
    long number = reference.fileNumber();
    BlobReference copy = copied.get(number);
    CorruptFileException lost = lostBlobs.get(number);
    if (lost != null) {
      throw new CorruptFileException(lost.file(), lost.offset(), String.valueOf(lost.getMessage()));
    }
    if (copy == null) {
      Path path = setting.damaged.resolve(FileNames.blob(number));
      byte[] value;
      try {
        value =
            new BlobFiles(setting.fileSystem, setting.damaged, inventory.storeId(), () -> 0)
                .read(reference);
      } catch (NoSuchFileException e) {
        throw note(number, new CorruptFileException(path, -1, "missing"));
      } catch (IOException e) {
        throw note(number, Losses.damage(path, e));
      }
      copy = targetBlobs.write(value);
      copied.put(number, copy);
    }
    return copy;
  }

  private CorruptFileException note(long number, CorruptFileException lost) {
    lostBlobs.put(number, lost);
    return lost;
  }
}
