package dev.siltstone.engine;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileLock;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.read.ReadView;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.StoreState;
import dev.siltstone.engine.version.TreeState;
import dev.siltstone.engine.version.Version;
import dev.siltstone.engine.version.VersionSet;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One copy of a store at one moment.
 *
 * <ol>
 *   <li>{@link #prepare}: a directory beside the target is made, locked, and cleared of what a
 *       crash has left in it.
 *   <li>{@link #take}, with no writer beside it: the views of all trees are pinned. Their memtables
 *       are sealed, so nothing that comes later can get into them.
 *   <li>{@link #build}: the tables and blobs of those views are linked or copied, the memtables
 *       written to tables of level 0, and a manifest to name them all. The directory is synced and
 *       gets its true name.
 * </ol>
 *
 * <p>Only files that nobody writes to any more are linked: tables and blobs. The log is not needed,
 * and its segments, which are written again and again, are not shared. Store id and file numbers
 * stay, because the checksums of tables and blobs are bound to them.
 *
 * <p>One thread, but for {@link #take}, which the leader of the writers runs for it.
 */
final class Checkpoint implements Closeable {
  /** Added to the name of a target while it is built. */
  static final String SUFFIX = ".incomplete-checkpoint";

  private static final int COPY_BYTES = 1 << 20;

  private final Store.Core core;
  private final VersionSet versions;
  private final StoreJobs jobs;
  private final FileSystem fileSystem;
  private final Path target;
  private final Path building;
  private final List<Taken> taken = new ArrayList<>();
  private final Set<Long> blobs = new HashSet<>();
  private StoreState state;
  private long time;
  private @Nullable FileLock lock;

  /** Whether what is in the directory is ours to remove. */
  private boolean begun;

  /** A tree at the moment of the checkpoint. */
  private record Taken(OpenTree tree, ReadView view, long floor) {}

  Checkpoint(Store.Core core, VersionSet versions, StoreJobs jobs, Path target) {
    this.core = core;
    this.versions = versions;
    this.jobs = jobs;
    this.fileSystem = jobs.fileSystem();
    this.target = target.toAbsolutePath().normalize();
    this.building = this.target.resolveSibling(this.target.getFileName() + SUFFIX);
    this.state = versions.state();
  }

  /**
   * Makes an empty directory to build in.
   *
   * @throws IllegalArgumentException if the target lies below the store
   * @throws DbException.Unavailable if the target exists, or somebody has put files of their own
   *     where it is to be built
   */
  void prepare() throws IOException {
    if (fileSystem.exists(target) || fileSystem.isSymbolicLink(target)) {
      throw new DbException.Unavailable(
          target + " exists already; a checkpoint needs a directory that does not", null);
    }
    if (target.startsWith(core.directory().toAbsolutePath().normalize())) {
      throw new IllegalArgumentException(
          target + " lies within " + core.directory() + "; a checkpoint needs a place of its own");
    }
    Directories.make(fileSystem, building);
    lock = fileSystem.lock(building.resolve(FileNames.LOCK), Opening.owner());
    List<String> left = fileSystem.list(building);
    for (String name : left) {
      if (FileNames.parse(name) == null) {
        throw new DbException.Unavailable(
            building + " holds " + name + ", which no checkpoint makes; remove the directory",
            null);
      }
    }
    begun = true;
    remove(left);
  }

  /** Takes the store as it is now. The active memtables are empty; requires leadership. */
  void take() {
    for (OpenTree tree : core.trees().all()) {
      if (!tree.isDropped()) {
        ReadView view = tree.pin();
        assert view.active().isEmpty() : "what comes later would get into the checkpoint";
        // After the view: what compactions have dropped from it is below this floor.
        taken.add(new Taken(tree, view, tree.historyFloor()));
      }
    }
    state = versions.state();
    time = core.published().getAsLong();
  }

  /** Gives the views back; true if files may be removable now. */
  boolean release() {
    boolean last = false;
    for (Taken tree : taken) {
      last |= tree.view.unpin();
    }
    taken.clear();
    return last;
  }

  /** Builds the copy and gives it its name. */
  void build() throws IOException {
    Map<Integer, TreeState> trees = new HashMap<>();
    for (Taken tree : taken) {
      TreeState before = state.tree(tree.tree.id());
      if (before == null) {
        throw new IllegalStateException(tree.tree.name() + " is in use and not in the manifest");
      }
      Version version = build(tree);
      trees.put(
          before.id(),
          new TreeState(before.id(), before.name(), before.options(), version, time, tree.floor));
    }
    versions.writeCopy(building, new StoreState(trees, time, 0, 0, state.nextTreeId()));
    unlock();
    fileSystem.rename(building, target);
    begun = false;
    Path parent = target.getParent();
    if (parent != null) {
      fileSystem.syncDirectory(parent);
    }
  }

  private Version build(Taken tree) throws IOException {
    List<List<FileMeta>> levels = new ArrayList<>();
    for (int level = 0; level < Version.LEVELS; level++) {
      List<FileMeta> files = new ArrayList<>(tree.view.version().level(level));
      for (FileMeta file : files) {
        bring(FileNames.table(file.number()), file.bytes());
      }
      levels.add(files);
    }
    levels.getFirst().addAll(jobs.copyMemtables(tree.tree, tree.view, tree.floor, building));
    // A file that was ingested since may be newer than the memtables.
    levels.getFirst().sort(FileMeta.NEWEST_FIRST);
    for (List<FileMeta> files : levels) {
      for (FileMeta file : files) {
        for (long blob : file.blobs()) {
          if (blobs.add(blob)) {
            String name = FileNames.blob(blob);
            bring(name, fileSystem.size(core.directory().resolve(name)));
          }
        }
      }
    }
    return new Version(levels);
  }

  private void bring(String name, long bytes) throws IOException {
    Path source = core.directory().resolve(name);
    Path copy = building.resolve(name);
    try {
      fileSystem.link(source, copy);
    } catch (IOException e) {
      // Another file system, or one without links, or no more links to this file.
      try {
        copy(source, copy, bytes);
      } catch (IOException failure) {
        failure.addSuppressed(e);
        throw failure;
      }
    }
  }

  private void copy(Path source, Path copy, long bytes) throws IOException {
    byte[] buffer = new byte[(int) Math.min(COPY_BYTES, bytes)];
    try (ReadableFile in = fileSystem.open(source);
        WritableFile out = fileSystem.create(copy)) {
      for (long at = 0; at < bytes; ) {
        int count = in.read(at, buffer, 0, (int) Math.min(buffer.length, bytes - at));
        if (count <= 0) {
          throw new CorruptFileException(source, at, "ends before its " + bytes + " bytes");
        }
        out.write(buffer, 0, count);
        at += count;
      }
      out.sync();
    }
  }

  private void unlock() throws IOException {
    FileLock held = lock;
    lock = null;
    if (held != null) {
      held.close();
    }
  }

  private void remove(List<String> names) throws IOException {
    for (String name : names) {
      if (!name.equals(FileNames.LOCK) && !name.equals(FileNames.LOCK_OWNER)) {
        fileSystem.remove(building.resolve(name));
      }
    }
  }

  /** Removes what was not completed. */
  @Override
  public void close() throws IOException {
    try {
      if (begun) {
        remove(fileSystem.list(building));
      }
    } finally {
      unlock();
    }
    if (begun) {
      fileSystem.remove(building.resolve(FileNames.LOCK));
      fileSystem.remove(building);
    }
  }
}
