package dev.siltstone.engine;

import dev.siltstone.base.io.FileLock;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.base.time.HybridClock;
import dev.siltstone.engine.compaction.TableSink;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.repair.Losses;
import dev.siltstone.engine.repair.StoreRepair;
import dev.siltstone.engine.table.Compressors;
import dev.siltstone.engine.table.TableTree;
import dev.siltstone.engine.table.TableWriterOptions;
import dev.siltstone.engine.version.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@link Db#repair}: makes the directory, runs the repair, and tells of it. */
final class Repairer {
  private final Path damaged;
  private final Path target;
  private final Options options;
  private final Components components;
  private final FileSystem fileSystem;
  private final Compressors compressors;

  /** Why the damaged store could not be locked, if it should have been. */
  private @Nullable String unlocked;

  Repairer(Path damaged, Path target, Options options, Components components) {
    this.damaged = damaged;
    this.target = target;
    this.options = options;
    this.components = components;
    FileSystem given = components.fileSystem();
    this.fileSystem = given == null ? new OsFileSystem(options.maxOpenFiles()) : given;
    this.compressors = new Compressors(components.compressors());
  }

  RepairReport run() {
    if (normal(target).startsWith(normal(damaged))) {
      throw new IllegalArgumentException(
          "the target " + target + " lies in the damaged store " + damaged);
    }
    try {
      checkDirectories();
      try (FileLock lock = lock()) {
        Directories.make(fileSystem, target);
        StoreRepair.Result result = repair();
        return report(result, lock == null ? unlocked : null);
      }
    } catch (IOException e) {
      throw Failure.ofIo(e, "repairing " + damaged + " into " + target);
    }
  }

  private static Path normal(Path path) {
    return path.toAbsolutePath().normalize();
  }

  private void checkDirectories() throws IOException {
    if (!fileSystem.exists(damaged) || !holdsFilesOfAStore()) {
      throw Directories.noStore(fileSystem, damaged);
    }
    if (fileSystem.exists(target) && !fileSystem.list(target).isEmpty()) {
      throw new DbException.Unavailable(
          target + " is not empty; a repair makes a store in a new directory", null);
    }
  }

  private boolean holdsFilesOfAStore() throws IOException {
    for (String name : fileSystem.list(damaged)) {
      if (FileNames.parse(name) != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Keeps writers away; {@code null} if nobody can: without a lock file nobody has the store open,
   * and none is made, since the damaged store stays as it is.
   *
   * @throws DbException.Busy if somebody is writing the store
   */
  private @Nullable FileLock lock() throws IOException {
    if (!fileSystem.exists(damaged.resolve(FileNames.LOCK))) {
      return null;
    }
    try {
      return Opening.lock(fileSystem, damaged);
    } catch (IOException e) {
      // A read-only medium, or files that we may only read; or damage of the lock file itself.
      unlocked =
          "the lock of the damaged store could not be taken ("
              + e
              + "): if a process was writing the store meanwhile, its writes may be missing";
      return null;
    }
  }

  private StoreRepair.Result repair() throws IOException {
    boolean done = false;
    try {
      StoreRepair.Result result =
          StoreRepair.run(
              new StoreRepair.Setting(
                  fileSystem,
                  damaged,
                  target,
                  compressors,
                  Trees.DEFAULT_NAME,
                  components.random(),
                  options.memtableBytes(),
                  options.tableBytes(),
                  this::sink));
      done = true;
      return result;
    } finally {
      if (!done) {
        removeOutputs();
      }
    }
  }

  /** Removes what a repair that failed has made; without a manifest it is no store anyway. */
  private void removeOutputs() {
    try {
      for (String name : fileSystem.list(target)) {
        if (FileNames.parse(name) != null) {
          fileSystem.remove(target.resolve(name));
        }
      }
    } catch (IOException e) {
      // The failure that led here is the one to report.
    }
  }

  private TableSink sink(StoreRepair.OutputTree tree, Path path, long number, long storeId)
      throws IOException {
    TreeOptions treeOptions = StoredTreeOptions.decode(tree.options()).options();
    int level = Version.LEVELS - 1;
    TableWriterOptions writerOptions =
        TableWriterOptions.of(
                treeOptions.blockBytes(),
                treeOptions.filterBitsPerKey(),
                compressors.find(treeOptions.compression()))
            .withFilters(treeOptions.filterBitsPerKey(), true)
            .withOrigin(level, new HybridClock(components.clock(), 0).now())
            .withTree(new TableTree(tree.id(), tree.name(), tree.options()));
    return new TableFileSink(fileSystem, path, number, storeId, writerOptions);
  }

  private static RepairReport report(StoreRepair.Result result, @Nullable String note) {
    List<String> notes = new ArrayList<>(result.losses().notes());
    if (note != null) {
      notes.add(note);
    }
    List<RepairReport.RepairedTree> trees = new ArrayList<>();
    for (StoreRepair.TreeResult tree : result.trees()) {
      trees.add(
          new RepairReport.RepairedTree(
              tree.name(), tree.entries(), tree.rangeDeletes(), tree.bytes()));
    }
    List<RepairReport.Loss> losses = new ArrayList<>();
    for (Losses.Loss loss : result.losses().all()) {
      losses.add(loss(loss));
    }
    return new RepairReport(
        result.exact(),
        trees,
        result.tablesRead(),
        result.tablesDamaged(),
        result.logRecords(),
        result.blobs(),
        losses,
        result.losses().count(),
        notes);
  }

  private static RepairReport.Loss loss(Losses.Loss loss) {
    return new RepairReport.Loss(
        loss.fault().file(),
        loss.fault().offset(),
        loss.tree(),
        loss.after(),
        loss.before(),
        loss.isHarmless(),
        String.valueOf(loss.fault().getMessage()));
  }
}
