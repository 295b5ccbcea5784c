package dev.siltstone.engine;

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.compaction.Compaction;
import dev.siltstone.engine.compaction.CompactionInputs;
import dev.siltstone.engine.compaction.CompactionJob;
import dev.siltstone.engine.compaction.CompactionPicker;
import dev.siltstone.engine.compaction.CompactionSettings;
import dev.siltstone.engine.compaction.CompactionSplit;
import dev.siltstone.engine.compaction.FilterFailedException;
import dev.siltstone.engine.compaction.JobCancelledException;
import dev.siltstone.engine.compaction.JobStats;
import dev.siltstone.engine.compaction.KeySpan;
import dev.siltstone.engine.compaction.LeveledPicker;
import dev.siltstone.engine.compaction.ManualCompaction;
import dev.siltstone.engine.compaction.SpanJobs;
import dev.siltstone.engine.compaction.TableSink;
import dev.siltstone.engine.compaction.VersionOlderData;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.MergingIterator;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.read.ReadView;
import dev.siltstone.engine.spi.CompactionFilter;
import dev.siltstone.engine.spi.Compressor;
import dev.siltstone.engine.table.TableCuts;
import dev.siltstone.engine.table.TableReader;
import dev.siltstone.engine.table.TableTree;
import dev.siltstone.engine.table.TableWriterOptions;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.ObsoleteFiles;
import dev.siltstone.engine.version.TreeState;
import dev.siltstone.engine.version.Version;
import dev.siltstone.engine.version.VersionEdit;
import dev.siltstone.engine.version.VersionSet;
import dev.siltstone.engine.wal.Log;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Flush, compaction and the removal of files, each as one job on one thread.
 *
 * <p>A job writes its outputs, syncs them and the directory, applies one edit, installs the new
 * version, and only then lets go of what it has replaced. Whatever fails before the edit leaves the
 * store as it was.
 */
final class StoreJobs implements BackgroundWork.Jobs {
  /** Levels above this one are not compressed: their files live shortly. */
  private static final int COMPRESSED_LEVEL_MIN = 2;

  /** A merge is cut into parts for several threads if each reads this part of a table at least. */
  private static final int SPANS_PER_TABLE = 8;

  /** What a merge reads at once of each input. */
  private static final int READ_AHEAD_BYTES = 256 << 10;

  private final Store.Core core;
  private final FileSystem fileSystem;
  private final VersionSet versions;
  private final Edits edits;
  private final Log log;
  private final Views views;
  private final CompactionPicker picker;
  private volatile boolean cancelled;

  /** Number of the options file of this open; 0 while there is none. */
  private volatile long optionsFile;

  /** Numbers of files that jobs are making. */
  private final Set<Long> pending = ConcurrentHashMap.newKeySet();

  private final Set<Long> foreignLogs;

  private final UnreadRangeDeletes unread;

  StoreJobs(
      Store.Core core,
      FileSystem fileSystem,
      VersionSet versions,
      Log log,
      Views views,
      Set<Long> foreignLogs) {
    this.core = core;
    this.fileSystem = fileSystem;
    this.versions = versions;
    this.edits = new Edits(versions, core.failure());
    this.log = log;
    this.views = views;
    this.foreignLogs = foreignLogs;
    this.unread = new UnreadRangeDeletes(core.tables());
    this.picker = new LeveledPicker(settings(core.options()));
  }

  /** How trees of a store are compacted. */
  static CompactionSettings settings(Options options) {
    long tableBytes = options.tableBytes();
    return new CompactionSettings(
        CompactionSettings.DEFAULT.level0Files(),
        options.levelFanout(),
        options.levelBaseBytes(),
        tableBytes,
        10 * tableBytes,
        25 * tableBytes,
        CompactionSettings.DEFAULT.deadPercent());
  }

  /**
   * Writes the options of this open down; those of earlier ones are obsolete then. A store is no
   * worse for the lack of it, so a failure is told and passed over.
   */
  void writeOptionsFile() {
    long number = versions.newFileNumber();
    pending.add(number);
    try {
      OptionsFile.write(fileSystem, number, versions.storeId(), core);
      optionsFile = number;
    } catch (IOException e) {
      core.components().listener().retrying("writing " + FileNames.options(number), e);
    } finally {
      pending.remove(number);
    }
  }

  FileSystem fileSystem() {
    return fileSystem;
  }

  /** Whether work that takes long is still wanted. */
  boolean mayGoOn() {
    return !cancelled;
  }

  /** Files as they are made for the last level. */
  Outputs deepest(OpenTree tree) {
    return new Outputs(tree, Version.LEVELS - 1, core.directory());
  }

  @Override
  public boolean mustWritersStop() {
    views.recount();
    long now = core.components().clock().nanoTime();
    return StallPolicy.judge(views.backlog().pressure(now)) instanceof StallPolicy.Verdict.Stop;
  }

  @Override
  public void cancel() {
    cancelled = true;
  }

  @Override
  public @Nullable Compaction pick(OpenTree tree, List<Compaction> running) {
    return picker.pick(situation(tree, running));
  }

  @Override
  public @Nullable Compaction pick(
      OpenTree tree, ManualCompaction manual, List<Compaction> running) {
    return picker.pick(manual, situation(tree, running));
  }

  private CompactionPicker.Situation situation(OpenTree tree, List<Compaction> running) {
    Version version = tree.view().version();
    return new CompactionPicker.Situation(
        version,
        running,
        cutoff(tree),
        new RangeDeleteCoverage(version, core.tables(), unread),
        compressor(tree) == null ? 0 : COMPRESSED_LEVEL_MIN);
  }

  /** The time before which no reader of the tree stands or will ever stand. */
  private long cutoff(OpenTree tree) {
    long published = core.published().getAsLong();
    long keepMicros = tree.options().retention().toNanos() / 1_000;
    long wanted = published;
    if (keepMicros > 0) {
      long nowMicros = HybridTime.toUnixMicros(core.clock().now());
      wanted = Math.min(published, HybridTime.ofUnixMicros(nowMicros - keepMicros));
    }
    return core.snapshots().cutoff(tree, wanted);
  }

  @Override
  public void flush(OpenTree tree) throws IOException {
    List<MemTable> sealed = next(tree.view().sealed());
    if (sealed.isEmpty() || tree.isDropped()) {
      return;
    }
    long bytes = 0;
    long entries = 0;
    for (MemTable memtable : sealed) {
      bytes += memtable.bytes();
      entries += memtable.entries();
    }
    Backlog.Flush progress =
        views.backlog().flush(bytes, entries, core.components().clock().nanoTime());
    try {
      flush(tree, sealed, progress);
    } finally {
      progress.close(core.components().clock().nanoTime());
    }
  }

  /**
   * The oldest of sealed memtables that go into one file. A flush gives its memory back when it
   * ends: with all that wait there would be little of it until then, and much at once.
   */
  private List<MemTable> next(List<MemTable> sealed) {
    int from = sealed.size();
    for (long bytes = 0; from > 0; from--) {
      bytes += sealed.get(from - 1).bytes();
      if (from < sealed.size() && bytes > views.backlog().flushBytes()) {
        break;
      }
    }
    return sealed.subList(from, sealed.size());
  }

  private void flush(OpenTree tree, List<MemTable> sealed, Backlog.Flush progress)
      throws IOException {
    Events.Flush event = new Events.Flush();
    event.begin();
    long start = core.components().clock().nanoTime();
    // A batch may touch several trees: none of its records may be in a file before all of them are
    // durable in the log, or a power loss could keep a part of it.
    long activeLog = log.activeNumber();
    syncLog();
    long maxTime = 0;
    for (MemTable memtable : sealed) {
      maxTime = Math.max(maxTime, memtable.maxTime());
    }
    Version version = tree.view().version();
    try (Outputs outputs = new Outputs(tree, 0, core.directory())) {
      CompactionJob.Result result = merge(sealed, version, cutoff(tree), outputs, progress::at);
      long oldestLog = log.oldestNeeded(flushedThrough(sealed));
      VersionEdit edit = edit(tree).flushedTime(tree.id(), maxTime);
      edit.logs(Math.min(oldestLog, activeLog), activeLog);
      for (FileMeta file : result.outputs()) {
        edit.addFile(tree.id(), 0, file);
        event.bytes += file.bytes();
        event.entries += file.entries();
      }
      outputs.commit(tree, edit);
      progress.written(event.bytes);
      // Counted first: whoever waits for the flush goes on as soon as the view is there.
      core.counters().flushes.increment();
      core.counters().flushBytes.add(event.bytes);
      core.counters().entriesDropped.add(result.stats().dropped());
      views.install(tree, sealed);
      log.release(Math.min(oldestLog, activeLog));
    }
    core.components()
        .listener()
        .flushed(tree.name(), event.bytes, core.components().clock().nanoTime() - start);
    event.tree = tree.name();
    event.commit();
  }

  /**
   * Writes memtables to a file of level 0, or to none if nothing is left of them.
   *
   * @param below the files that are older than the memtables
   * @param cutoff no reader of the result will stand before it
   * @param progress is told now and then how many records were read
   */
  private CompactionJob.Result merge(
      List<MemTable> memtables, Version below, long cutoff, Outputs outputs, LongConsumer progress)
      throws IOException {
    InternalIterator[] sources = new InternalIterator[memtables.size()];
    List<RangeTombstones> tombstones = new ArrayList<>();
    for (int i = 0; i < sources.length; i++) {
      sources[i] = memtables.get(i).iterator();
      tombstones.add(memtables.get(i).rangeTombstones());
    }
    return new CompactionJob(
            MergingIterator.of(sources),
            FragmentedRangeTombstones.union(tombstones, cutoff),
            new VersionOlderData(below, List.of(), 0),
            new CompactionJob.Limits(cutoff, Long.MAX_VALUE, Long.MAX_VALUE, List.of()),
            outputs,
            stats -> {
              progress.accept(stats.entriesIn());
              return !cancelled;
            },
            null)
        .run();
  }

  /**
   * Writes the sealed memtables of a view to files in another directory, with numbers of this
   * store; on the calling thread, and without any change of this store.
   *
   * @param cutoff no reader of the result will stand before it
   */
  List<FileMeta> copyMemtables(OpenTree tree, ReadView view, long cutoff, Path directory)
      throws IOException {
    if (view.sealed().isEmpty()) {
      return List.of();
    }
    try (Outputs outputs = new Outputs(tree, 0, directory)) {
      return merge(view.sealed(), view.version(), cutoff, outputs, _ -> {}).outputs();
    }
  }

  /** The time up to which all records of all trees are in files, once {@code flushed} are. */
  private long flushedThrough(List<MemTable> flushed) {
    long through = core.published().getAsLong();
    for (OpenTree tree : core.trees().all()) {
      through = Math.min(through, tree.oldestUnflushed(flushed) - 1);
    }
    return through;
  }

  private void syncLog() throws IOException {
    try {
      log.sync();
    } catch (IOException e) {
      core.failure().failLog(e, "syncing the log");
      throw e;
    }
  }

  @Override
  public void compact(OpenTree tree, Compaction compaction, BackgroundWork.Helpers helpers)
      throws IOException {
    if (tree.isDropped()) {
      return;
    }
    Events.Compaction event = new Events.Compaction();
    event.begin();
    event.tree = tree.name();
    event.reason = compaction.reason().name();
    event.fromLevel = compaction.level();
    event.toLevel = compaction.outputLevel();
    switch (compaction.action()) {
      case MERGE -> {
        long start = core.components().clock().nanoTime();
        merge(tree, compaction, event, helpers);
        if (compaction.level() == 0) {
          long bytes = compaction.inputs().stream().mapToLong(FileMeta::bytes).sum();
          long nanos = core.components().clock().nanoTime() - start;
          views.backlog().tookFromLevel0(bytes, nanos);
        }
      }
      case MOVE -> {
        VersionEdit edit = edit(tree);
        for (FileMeta file : compaction.inputs()) {
          edit.removeFile(tree.id(), compaction.level(), file.number());
          edit.addFile(tree.id(), compaction.outputLevel(), file);
        }
        apply(tree, edit);
        views.install(tree, List.of());
        core.counters().filesMoved.add(compaction.inputs().size());
      }
      case DROP -> {
        VersionEdit edit = edit(tree);
        for (FileMeta file : compaction.inputs()) {
          edit.removeFile(tree.id(), compaction.level(), file.number());
          core.counters().entriesDropped.add(file.entries());
        }
        apply(tree, edit);
        views.install(tree, List.of());
        core.counters().filesDropped.add(compaction.inputs().size());
      }
    }
    core.components()
        .listener()
        .compacted(tree.name(), event.fromLevel, event.toLevel, event.bytesIn, event.bytesOut);
    event.commit();
  }

  private void merge(
      OpenTree tree, Compaction compaction, Events.Compaction event, BackgroundWork.Helpers helpers)
      throws IOException {
    long cutoff = cutoff(tree);
    try {
      CompactionFilter filter = filter(tree, compaction.outputLevel(), cutoff);
      merge(tree, compaction, cutoff, filter, event, helpers);
    } catch (JobCancelledException e) {
      if (!tree.isDropped()) {
        throw e;
      }
    } catch (FilterFailedException e) {
      throw filterFailed(tree, e);
    }
  }

  private void merge(
      OpenTree tree,
      Compaction compaction,
      long cutoff,
      @Nullable CompactionFilter filter,
      Events.Compaction event,
      BackgroundWork.Helpers helpers)
      throws IOException {
    try (Outputs outputs = new Outputs(tree, compaction.outputLevel(), core.directory())) {
      CompactionJob.Result result =
          new SpanJobs(
                  filter == null ? spans(compaction, helpers) : List.of(KeySpan.ALL),
                  opener(tree, compaction, cutoff, filter, outputs),
                  _ -> !cancelled && !tree.isDropped(),
                  helpers.scheduler())
              .run(helpers::call);
      VersionEdit edit = edit(tree);
      for (FileMeta file : compaction.inputs()) {
        edit.removeFile(tree.id(), compaction.level(), file.number());
      }
      for (FileMeta file : compaction.targets()) {
        edit.removeFile(tree.id(), compaction.outputLevel(), file.number());
      }
      for (FileMeta file : result.outputs()) {
        edit.addFile(tree.id(), compaction.outputLevel(), file);
        event.bytesOut += file.bytes();
      }
      outputs.commit(tree, edit);
      views.install(tree, List.of());
      note(compaction, result.stats(), event);
    }
  }

  /** The parts of a compaction that may run beside each other: as many as there are threads. */
  private List<KeySpan> spans(Compaction compaction, BackgroundWork.Helpers helpers)
      throws IOException {
    return CompactionSplit.of(
        compaction,
        1 + helpers.free(),
        core.options().tableBytes() / SPANS_PER_TABLE,
        (file, pieces) -> TableCuts.of(reader(file), pieces));
  }

  /** Makes the jobs of a merge. */
  private SpanJobs.Opener opener(
      OpenTree tree,
      Compaction compaction,
      long cutoff,
      @Nullable CompactionFilter filter,
      Outputs outputs)
      throws IOException {
    Version version = tree.view().version();
    Inputs inputs = new Inputs();
    FragmentedRangeTombstones tombstones =
        CompactionInputs.rangeTombstones(compaction, inputs, cutoff);
    long tableBytes = core.options().tableBytes();
    CompactionJob.Limits limits =
        new CompactionJob.Limits(cutoff, tableBytes, 10 * tableBytes, compaction.grandparents());
    return (span, control) ->
        new CompactionJob(
            CompactionInputs.records(compaction, inputs),
            tombstones,
            new VersionOlderData(version, compaction.files(), compaction.outputLevel()),
            limits.within(span),
            outputs,
            control,
            filter);
  }

  /** The filter that a compaction asks; {@code null} if there is none. */
  @SuppressWarnings("CatchingUnchecked") // A factory may throw anything; only the job fails.
  private @Nullable CompactionFilter filter(OpenTree tree, int level, long cutoff)
      throws FilterFailedException {
    CompactionFilter.Factory factory = core.filterOf(tree);
    if (factory == null) {
      return null;
    }
    try {
      return factory.create(new CompactionFilter.Context(tree.name(), level, cutoff));
    } catch (RuntimeException | Error e) {
      throw new FilterFailedException("failed to be made: " + e, e);
    }
  }

  private static FilterFailedException filterFailed(OpenTree tree, FilterFailedException e) {
    return new FilterFailedException(
        "compaction filter '"
            + tree.options().compactionFilter()
            + "' of tree '"
            + tree.name()
            + "' "
            + e.getMessage()
            + "; the tree is not compacted until the store is opened again",
        e.getCause());
  }

  private void note(Compaction compaction, JobStats stats, Events.Compaction event) {
    event.bytesIn = compaction.bytes();
    event.dropped = stats.dropped();
    event.copied = stats.copied();
    Counters counters = core.counters();
    counters.compactions.increment();
    counters.compactionBytesIn.add(event.bytesIn);
    counters.compactionBytesOut.add(event.bytesOut);
    counters.entriesDropped.add(stats.dropped());
  }

  /** The files that a merge reads. */
  private final class Inputs implements CompactionInputs.Files {
    @Override
    public InternalIterator records(FileMeta file) throws IOException {
      return reader(file).scan(READ_AHEAD_BYTES);
    }

    @Override
    public RangeTombstones rangeTombstones(FileMeta file) throws IOException {
      return reader(file).rangeTombstones();
    }
  }

  private TableReader reader(FileMeta file) throws IOException {
    return core.tables().reader(file.number(), file.bytes());
  }

  private VersionEdit edit(OpenTree tree) {
    return new VersionEdit()
        .lastTime(core.published().getAsLong())
        .historyFloor(tree.id(), tree.historyFloor());
  }

  private void apply(OpenTree tree, VersionEdit edit) throws IOException {
    try {
      edits.apply(edit);
    } catch (IllegalArgumentException e) {
      if (!tree.isDropped()) {
        throw e;
      }
      // Dropped while the job ran: nothing is left to do, and what it wrote is swept.
      throw new JobCancelledException();
    }
  }

  @Override
  public boolean needsRangeDeletes() {
    return unread.isWanted();
  }

  @Override
  public void readRangeDeletes() {
    unread.read();
  }

  @Override
  public void sweep() throws IOException {
    List<String> obsolete = obsolete();
    // Asked last: a batch that failed with the store may be in the log, and refer to a blob that
    // counted as in use until then.
    if (core.failure().cause() != null) {
      return;
    }
    IOException failure = null;
    for (String name : obsolete) {
      try {
        remove(name);
      } catch (NoSuchFileException ignored) {
        // Two sweeps met.
      } catch (IOException e) {
        // One that cannot be removed does not keep the others.
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void remove(String name) throws IOException {
    fileSystem.remove(core.directory().resolve(name));
    FileNames.Parsed parsed = FileNames.parse(name);
    if (parsed != null && parsed.kind() == FileNames.Kind.TABLE) {
      // In this order, since a get that began long ago may be opening it.
      core.tables().evict(parsed.number());
    }
  }

  /** Names of the files that nothing needs now. */
  List<String> obsolete() throws IOException {
    return ObsoleteFiles.find(versions, this::filesInUse, optionsFile);
  }

  private Collection<Long> filesInUse() {
    Set<Long> numbers = new HashSet<>(pending);
    numbers.addAll(core.blobs().inFlight());
    numbers.addAll(views.filesInUse());
    numbers.addAll(log.fileNumbers());
    numbers.addAll(foreignLogs);
    return numbers;
  }

  private @Nullable Compressor compressor(OpenTree tree) {
    return core.compressors().find(tree.options().compression());
  }

  private TableWriterOptions writerOptions(OpenTree tree, int level) {
    TreeOptions options = tree.options();
    Compressor compressor = level < COMPRESSED_LEVEL_MIN ? null : compressor(tree);
    // The last level holds most keys, so there a denser filter pays for its slower making.
    return TableWriterOptions.of(options.blockBytes(), options.filterBitsPerKey(), compressor)
        .withFilters(options.filterBitsPerKey(), level == Version.LEVELS - 1)
        .withOrigin(level, core.clock().now())
        .withTree(identity(tree));
  }

  /** What a repair would have to know of the tree; {@code null} if it was dropped. */
  private @Nullable TableTree identity(OpenTree tree) {
    TreeState state = versions.state().tree(tree.id());
    return state == null ? null : new TableTree(state.id(), state.name(), state.options());
  }

  /** The files that one job makes; those that were not committed are not in use when it ends. */
  final class Outputs implements TableSink.Factory, AutoCloseable {
    private final TableWriterOptions options;
    private final Path directory;
    private final Queue<Long> numbers = new ConcurrentLinkedQueue<>();

    Outputs(OpenTree tree, int level, Path directory) {
      this.options = writerOptions(tree, level);
      this.directory = directory;
    }

    @Override
    public TableFileSink create() throws IOException {
      long number = versions.newFileNumber();
      pending.add(number);
      numbers.add(number);
      return new TableFileSink(
          fileSystem,
          directory.resolve(FileNames.table(number)),
          number,
          versions.storeId(),
          options);
    }

    /** Makes the names of the files durable, then the edit that names them. */
    void commit(OpenTree tree, VersionEdit edit) throws IOException {
      if (!numbers.isEmpty()) {
        fileSystem.syncDirectory(core.directory());
      }
      apply(tree, edit);
    }

    @Override
    public void close() {
      numbers.forEach(pending::remove);
    }
  }
}
