package dev.siltstone.engine;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileLock;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.LockedException;
import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.base.run.Scheduler;
import dev.siltstone.base.run.ThreadScheduler;
import dev.siltstone.base.time.HybridClock;
import dev.siltstone.engine.blob.BlobFiles;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.table.Compressors;
import dev.siltstone.engine.table.TableCache;
import dev.siltstone.engine.version.StoreState;
import dev.siltstone.engine.version.TreeState;
import dev.siltstone.engine.version.Version;
import dev.siltstone.engine.version.VersionEdit;
import dev.siltstone.engine.version.VersionSet;
import dev.siltstone.engine.wal.Log;
import dev.siltstone.engine.wal.LogConfig;
import dev.siltstone.engine.wal.LogRecovery;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Opens a store, and closes it again: takes the lock, reads the manifest and the log, puts the
 * parts together.
 *
 * <ol>
 *   <li>Lock the directory (not when only reading).
 *   <li>Read the manifest; check that all files are there.
 *   <li>Read the log into memtables: the records of each tree that are not in its files yet.
 *   <li>Begin a new log segment and a new manifest. Until here nothing of the store was changed,
 *       and a crash at any point leaves what a next open reads in the same way.
 *   <li>If the log holds more than memtables may take: flush what was read, and read on.
 *   <li>Start the background.
 * </ol>
 */
final class Opening implements Closeable {
  /** How often reading beside a writer begins anew when files change under it. */
  private static final int READ_ATTEMPTS = 100;

  /** Threads besides those that compact: flushes, log preparation, timers. */
  private static final int OTHER_THREADS = 2;

  private final Path directory;
  private final Options options;
  private final Components components;
  private final FileSystem fileSystem;
  private final OwnThreads own = new OwnThreads();
  private final Failure failure;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** What is to be closed, last opened first. */
  private final Deque<Closeable> opened = new ArrayDeque<>();

  private @Nullable Store store;
  private @Nullable Writes writes;
  private Verifier.@Nullable Writing writing;

  /** What an opening for reading has found in the manifest. */
  private @Nullable StoreState seen;

  private Opening(Path directory, Options options, Components components, FileSystem fileSystem) {
    this.directory = directory;
    this.options = options;
    this.components = components.withListener(new SafeListener(components.listener(), own));
    this.fileSystem = fileSystem;
    this.failure = new Failure(this.components.listener(), own);
  }

  static Opening forWriting(Path directory, Options options, Components components) {
    FileSystem fileSystem = components.fileSystem();
    Opening opening =
        new Opening(
            directory,
            options,
            components,
            fileSystem == null ? new OsFileSystem(options.maxOpenFiles()) : fileSystem);
    try {
      opening.openForWriting();
      return opening;
    } catch (IOException e) {
      opening.giveUp();
      throw Failure.ofOpen(e, "opening " + directory);
    } catch (RuntimeException | Error e) {
      opening.giveUp();
      throw e;
    }
  }

  /** Ends what was begun; jobs above all, since another open would not know of their files. */
  private void giveUp() {
    Writes begun = writes;
    if (begun != null) {
      begun.close();
    }
    closeAll();
  }

  static Opening forReading(Path directory, Options options, Components components) {
    IOException last = null;
    for (int attempt = 1; ; attempt++) {
      FileSystem fileSystem = components.fileSystem();
      // Handles are never given back: a file that the writer removes stays readable through them.
      Opening opening =
          new Opening(
              directory,
              options,
              components,
              fileSystem == null ? new OsFileSystem(Integer.MAX_VALUE) : fileSystem);
      try {
        if (opening.openForReading()) {
          return opening;
        }
        opening.closeAll();
      } catch (IOException e) {
        opening.closeAll();
        if (!opening.isOvertaken(e, last)) {
          throw Failure.ofOpen(missing(directory, e), "opening " + directory + " for reading");
        }
        last = e;
      } catch (RuntimeException | Error e) {
        opening.closeAll();
        throw e;
      }
      if (attempt >= READ_ATTEMPTS) {
        throw new DbException.Unavailable(
            directory
                + " was changed by its writer during each of "
                + attempt
                + " attempts to read it; try again when it is written to less",
            last);
      }
    }
  }

  /**
   * Whether a failure may come of a writer at work, which removes what its manifest no longer
   * names, and not of damage.
   *
   * @param before the failure of the attempt before, if it failed
   */
  private boolean isOvertaken(IOException failure, @Nullable IOException before) {
    StoreState read = seen;
    if (read == null) {
      // A manifest is replaced once in a while, so what fails twice in the same way is no race.
      return before == null || !before.toString().equals(failure.toString());
    }
    try {
      return !sameFiles(read, VersionSet.open(fileSystem, directory, components.random()).state());
    } catch (IOException e) {
      // The next attempt comes upon it first.
      return true;
    }
  }

  /** A file that the manifest or the log names and that is not there is damage. */
  private static IOException missing(Path directory, IOException e) {
    return e instanceof NoSuchFileException gone && gone.getFile() != null
        ? new CorruptFileException(
            directory.getFileSystem().getPath(gone.getFile()), -1, "missing, though it is needed")
        : e;
  }

  static void destroy(Path directory, Components components) {
    FileSystem given = components.fileSystem();
    FileSystem fileSystem = given == null ? new OsFileSystem() : given;
    try {
      if (!fileSystem.exists(directory)) {
        return;
      }
      List<String> names = new ArrayList<>(fileSystem.list(directory));
      names.removeIf(name -> FileNames.parse(name) == null);
      if (names.isEmpty()) {
        return;
      }
      try (FileLock lock = lock(fileSystem, directory)) {
        Objects.requireNonNull(lock);
        for (String name : names) {
          if (!name.equals(FileNames.LOCK) && !name.equals(FileNames.LOCK_OWNER)) {
            removeIfThere(fileSystem, directory.resolve(name));
          }
        }
        fileSystem.syncDirectory(directory);
      }
      removeIfThere(fileSystem, directory.resolve(FileNames.LOCK_OWNER));
      removeIfThere(fileSystem, directory.resolve(FileNames.LOCK));
      if (fileSystem.list(directory).isEmpty() && !fileSystem.isSymbolicLink(directory)) {
        fileSystem.remove(directory);
      }
    } catch (IOException e) {
      throw Failure.ofIo(e, "destroying " + directory);
    }
  }

  Store store() {
    return Objects.requireNonNull(store);
  }

  Verification verify(VerifyOptions verifyOptions) {
    return Verifier.verify(store().core(), fileSystem, writing, verifyOptions);
  }

  private void openForWriting() throws IOException {
    boolean there = fileSystem.exists(directory);
    boolean exists = there && VersionSet.exists(fileSystem, directory);
    checkExists(exists);
    if (!exists) {
      if (there) {
        Directories.requireNoForeign(fileSystem, directory);
      }
      Directories.make(fileSystem, directory);
    }
    opened.push(lock(fileSystem, directory));
    exists = VersionSet.exists(fileSystem, directory);
    VersionSet versions =
        exists
            ? VersionSet.open(fileSystem, directory, components.random())
            : VersionSet.create(
                fileSystem, directory, components.random().getAsLong(), components.random());
    opened.push(versions);
    versions.checkFiles();
    Parts parts = parts(versions);
    checkStored(parts);
    LogReplay replay =
        new LogReplay(
            parts.core,
            parts.views,
            parts.memory,
            versions.state(),
            parts.memory.memtableBytesMax());
    LogRecovery recovered = replay.run(fileSystem, directory, versions.storeId());
    checkBlobs(replay.blobs());
    Scheduler scheduler = scheduler();
    Log log = Log.open(logConfig(versions), recovered);
    opened.push(log);
    VersionEdit edit =
        new VersionEdit()
            .lastTime(parts.published.getAsLong())
            .logs(versions.state().oldestLog(), log.activeNumber());
    if (exists) {
      versions.begin(edit);
    } else {
      versions.apply(edit);
    }
    StoreJobs jobs =
        new StoreJobs(parts.core, fileSystem, versions, log, parts.views, recovered.foreign());
    if (!replay.isComplete()) {
      replay.finish(recovered, jobs::flush);
    }
    startWriting(parts, versions, log, jobs, scheduler);
  }

  /** Refuses trees that this process cannot write as they say; given options come first. */
  private void checkStored(Parts parts) {
    for (OpenTree tree : parts.core.trees().all()) {
      if (options.defaultTree() == null || !tree.name().equals(Trees.DEFAULT_NAME)) {
        parts.core.checkStored(tree.name(), tree.options());
      }
    }
  }

  private void checkBlobs(Set<Long> blobs) throws IOException {
    Set<String> names = new HashSet<>(fileSystem.list(directory));
    for (long blob : blobs) {
      String name = FileNames.blob(blob);
      if (!names.contains(name)) {
        throw new CorruptFileException(
            directory.resolve(name), -1, "missing, though a record of the log refers to it");
      }
    }
  }

  private void checkExists(boolean exists) {
    if (!exists && !options.createIfMissing()) {
      throw new DbException.Unavailable(
          directory + " holds no store, and createIfMissing is false", null);
    }
    if (exists && options.errorIfExists()) {
      throw new DbException.Unavailable(
          directory + " holds a store already, and errorIfExists is true", null);
    }
  }

  private Scheduler scheduler() {
    Scheduler given = components.scheduler();
    if (given != null) {
      return own.over(given);
    }
    ThreadScheduler threads =
        new ThreadScheduler(
            "store", options.compactionThreads() + OTHER_THREADS, components.clock());
    opened.push(threads::close);
    return own.over(threads);
  }

  private void startWriting(
      Parts parts, VersionSet versions, Log log, StoreJobs jobs, Scheduler scheduler) {
    BackgroundWork background = new BackgroundWork(parts.core, scheduler, jobs);
    Committer committer =
        new Committer(parts.core, log, parts.published, parts.views, parts.memory, background);
    WriteQueue queue = new WriteQueue(scheduler, committer);
    Writes made =
        new Writes(parts.core, versions, log, queue, committer, background, parts.views, jobs);
    writes = made;
    writing = new Verifier.Writing(versions, log, jobs, made);
    OpenTree defaultTree = parts.core.trees().find(Trees.DEFAULT_NAME);
    TreeOptions given = options.defaultTree();
    if (defaultTree == null) {
      defaultTree =
          made.createTree(Trees.DEFAULT_NAME, given == null ? TreeOptions.DEFAULT : given);
    } else if (given != null) {
      made.reopen(defaultTree, given);
    }
    store = new Store(parts.core, defaultTree);
    store.enableWrites(made);
    jobs.writeOptionsFile();
    sweep(jobs, background);
    made.start();
  }

  private static void sweep(StoreJobs jobs, BackgroundWork background) {
    try {
      jobs.sweep();
    } catch (IOException e) {
      // What nobody needs is no reason not to open; it goes with the next sweep.
      background.sweepSoon();
    }
  }

  private boolean openForReading() throws IOException {
    if (!fileSystem.exists(directory) || !VersionSet.exists(fileSystem, directory)) {
      throw Directories.noStore(fileSystem, directory);
    }
    VersionSet versions = VersionSet.open(fileSystem, directory, components.random());
    StoreState state = versions.state();
    seen = state;
    Parts parts = parts(versions);
    for (TreeState tree : state.all()) {
      holdFiles(parts, tree.version());
    }
    // Nothing can be flushed, so all of the log has to be in memory, whatever it takes.
    LogReplay replay = new LogReplay(parts.core, parts.views, parts.memory, state, Long.MAX_VALUE);
    replay.run(fileSystem, directory, versions.storeId());
    for (long blob : replay.blobs()) {
      parts.core.blobs().hold(blob);
    }
    VersionSet again = VersionSet.open(fileSystem, directory, components.random());
    if (!sameLog(state, again.state())) {
      return false;
    }
    OpenTree defaultTree = parts.core.trees().find(Trees.DEFAULT_NAME);
    if (defaultTree == null) {
      return false;
    }
    TreeOptions given = options.defaultTree();
    if (given != null) {
      defaultTree.reopen(given);
    }
    store = new Store(parts.core, defaultTree);
    return true;
  }

  /** Opens all files of a version, so that they can be read after the writer has removed them. */
  private static void holdFiles(Parts parts, Version version) throws IOException {
    for (int level = 0; level < Version.LEVELS; level++) {
      for (var file : version.level(level)) {
        parts.core.tables().reader(file.number(), file.bytes());
        for (long blob : file.blobs()) {
          parts.core.blobs().hold(blob);
        }
      }
    }
  }

  /**
   * Whether between two looks no flush has moved records from the log to tables, and nothing was
   * ingested that is older than what the log has now.
   */
  private static boolean sameLog(StoreState before, StoreState after) {
    if (before.oldestLog() != after.oldestLog()
        || !before.trees().keySet().equals(after.trees().keySet())) {
      return false;
    }
    for (TreeState tree : before.all()) {
      TreeState then = after.tree(tree.id());
      if (then == null
          || then.flushedTime() != tree.flushedTime()
          || then.version().maxTime() > tree.version().maxTime()) {
        return false;
      }
    }
    return true;
  }

  /** Whether two looks have found the same files. */
  private static boolean sameFiles(StoreState before, StoreState after) {
    if (before.oldestLog() != after.oldestLog()
        || before.newestLog() != after.newestLog()
        || !before.trees().keySet().equals(after.trees().keySet())) {
      return false;
    }
    for (TreeState tree : before.all()) {
      TreeState then = after.tree(tree.id());
      for (int level = 0; level < Version.LEVELS; level++) {
        if (then == null || !then.version().level(level).equals(tree.version().level(level))) {
          return false;
        }
      }
    }
    return true;
  }

  /** What is made from the manifest alone. */
  private record Parts(
      Store.Core core, PublishedTime published, Views views, MemoryBudget memory) {}

  private Parts parts(VersionSet versions) {
    StoreState state = versions.state();
    Compressors compressors = new Compressors(components.compressors());
    BlockCache cache = new BlockCache(options.memoryBytes());
    MemoryBudget memory = new MemoryBudget(options.memoryBytes(), cache);
    Trees trees = new Trees();
    TableCache tables =
        new TableCache(fileSystem, directory, versions.storeId(), cache, compressors);
    opened.push(tables);
    BlobFiles blobs =
        new BlobFiles(fileSystem, directory, versions.storeId(), versions::newFileNumber);
    opened.push(blobs);
    PublishedTime published = new PublishedTime(state.lastTime());
    Views views = new Views(tables, trees, memory, options, id -> versionOf(versions, id));
    Store.Core core =
        new Store.Core(
            directory,
            options,
            components,
            new HybridClock(components.clock(), state.lastTime()),
            failure,
            new Counters(),
            trees,
            compressors,
            tables,
            cache,
            blobs,
            new SnapshotRegistry(trees),
            published);
    TreeOptions given = options.defaultTree();
    if (given != null) {
      core.check(Trees.DEFAULT_NAME, given);
    }
    for (TreeState tree : state.all()) {
      StoredTreeOptions stored = StoredTreeOptions.decode(tree.options());
      OpenTree open =
          new OpenTree(
              tree.id(),
              tree.name(),
              stored.subtreesName(),
              stored.options(),
              views.first(tree.version()),
              options.newGapMemo());
      open.raiseHistoryFloor(tree.historyFloor());
      trees.add(open);
    }
    return new Parts(core, published, views, memory);
  }

  private static Version versionOf(VersionSet versions, int tree) {
    TreeState state = versions.state().tree(tree);
    return state == null ? Version.EMPTY : state.version();
  }

  private LogConfig logConfig(VersionSet versions) {
    long page = 4096;
    return new LogConfig(
        fileSystem,
        directory,
        versions.storeId(),
        true,
        (int) ((options.logSegmentBytes() + page - 1) / page * page),
        versions::newFileNumber,
        components.random());
  }

  @Override
  public void close() {
    if (closed.get()) {
      return;
    }
    failure.checkMayWait("Db.close");
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    Writes open = writes;
    if (open != null) {
      open.close();
    }
    failure.close();
    IOException lost = closeAll();
    if (lost != null && open != null) {
      throw new DbException.DurabilityLost("failed while closing the store: " + lost, lost);
    }
  }

  /** Closes everything that was opened, whatever fails; the first failure is returned. */
  @SuppressWarnings("CatchingUnchecked") // The lock, closed last, must not outlive the store.
  private @Nullable IOException closeAll() {
    IOException first = null;
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (IOException e) {
        first = first == null ? e : first;
      } catch (RuntimeException | Error e) {
        first = first == null ? new IOException(e) : first;
      }
    }
    return first;
  }

  /**
   * Takes the lock of a store.
   *
   * @throws DbException.Busy if somebody else has it
   */
  static FileLock lock(FileSystem fileSystem, Path directory) throws IOException {
    try {
      return fileSystem.lock(directory.resolve(FileNames.LOCK), owner());
    } catch (LockedException e) {
      throw new DbException.Busy(
          directory
              + (e.isInThisProcess()
                  ? " is already open in this process; use the Db that has it, or close that first:"
                      + " "
                  : " is open for writing in another process: ")
              + e.getMessage(),
          e);
    }
  }

  /** Who holds the locks of this process, for the message of one who is refused. */
  static String owner() {
    return "process " + ProcessHandle.current().pid();
  }

  private static void removeIfThere(FileSystem fileSystem, Path file) throws IOException {
    try {
      fileSystem.remove(file);
    } catch (NoSuchFileException ignored) {
      // Gone already.
    }
  }
}
