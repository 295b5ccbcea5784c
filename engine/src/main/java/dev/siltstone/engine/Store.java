package dev.siltstone.engine;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridClock;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.blob.BlobFiles;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.read.MultiGet;
import dev.siltstone.engine.read.PointGet;
import dev.siltstone.engine.read.ReadView;
import dev.siltstone.engine.read.ViewSources;
import dev.siltstone.engine.read.VisibleIterator;
import dev.siltstone.engine.spi.CompactionFilter;
import dev.siltstone.engine.table.Compressors;
import dev.siltstone.engine.table.TableCache;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What an open store consists of, and the roads of reading. The roads of writing are in {@link
 * Writes}, which a store that is open for reading only does not have.
 */
final class Store {
  private static final Duration TIME_TO_LIVE_MAX = Duration.ofDays(36_500);

  private final Core core;
  private final Tree defaultTree;
  private final IdleLookups lookups;
  private final IdleBatches batches;
  private @Nullable Writes writes;

  /**
   * What every part of a store shares.
   *
   * @param directory where the files are
   * @param published the time up to which all writes can be read
   */
  record Core(
      Path directory,
      Options options,
      Components components,
      HybridClock clock,
      Failure failure,
      Counters counters,
      Trees trees,
      Compressors compressors,
      TableCache tables,
      BlockCache cache,
      BlobFiles blobs,
      SnapshotRegistry snapshots,
      LongSupplier published) {

    /** Refuses options that name what this process does not have. */
    void check(String tree, TreeOptions given) {
      if (!compressors.knows(given.compression())) {
        throw new IllegalArgumentException(unknownCompression(tree, given));
      }
      String filter = given.compactionFilter();
      if (!filter.isEmpty() && !components.compactionFilters().containsKey(filter)) {
        throw new IllegalArgumentException(
            "tree '"
                + tree
                + "': compactionFilter '"
                + filter
                + "' is not among those of Components.withCompactionFilters: "
                + new TreeSet<>(components.compactionFilters().keySet()));
      }
    }

    /** Refuses a tree whose files could not be written as it says. */
    void checkStored(String tree, TreeOptions stored) {
      if (!compressors.knows(stored.compression())) {
        throw new DbException.Unsupported(
            unknownCompression(tree, stored) + "; open the store for reading to go without");
      }
    }

    private String unknownCompression(String tree, TreeOptions options) {
      return "tree '"
          + tree
          + "': compression '"
          + options.compression()
          + "' is not among those of this process, "
          + compressors.names()
          + "; "
          + Compressors.howToAdd(options.compression());
    }

    /** Who makes the compaction filters of a tree; {@code null} if it has none. */
    CompactionFilter.@Nullable Factory filterOf(OpenTree tree) {
      return components.compactionFilters().get(tree.options().compactionFilter());
    }
  }

  Store(Core core, OpenTree defaultTree) {
    this.core = core;
    this.lookups = new IdleLookups(core.clock());
    this.batches = new IdleBatches(this);
    this.defaultTree = new Tree(this, defaultTree);
  }

  void enableWrites(Writes writes) {
    this.writes = writes;
  }

  Options options() {
    return core.options();
  }

  Failure failure() {
    return core.failure();
  }

  Core core() {
    return core;
  }

  Tree defaultTree() {
    return defaultTree;
  }

  WriteBatch newBatch() {
    return new WriteBatch(this);
  }

  /** Puts one value, with no batch left behind. */
  void put(Tree tree, byte[] key, byte[] value, WriteOptions options) {
    WriteBatch batch = batches.take();
    write(batch.put(tree, key, value), options);
    batches.giveBack(batch);
  }

  /** Deletes one key, with no batch left behind. */
  void delete(Tree tree, byte[] key, WriteOptions options) {
    WriteBatch batch = batches.take();
    write(batch.delete(tree, key), options);
    batches.giveBack(batch);
  }

  Writes writes() {
    core.failure().checkOpen();
    if (writes == null) {
      throw new DbException.Unsupported("the store is open for reading only");
    }
    return writes;
  }

  /** Whether the store can be written at all. */
  boolean isWritable() {
    return writes != null;
  }

  Path directory() {
    return core.directory();
  }

  Counters counters() {
    return core.counters();
  }

  Tree requireTree(String name) {
    failure().checkOpen();
    OpenTree tree = core.trees().find(name);
    if (tree == null) {
      throw new IllegalArgumentException(
          "no tree '" + name + "'; there are " + core.trees().names());
    }
    tree.checkSubtreesKnown();
    return treeOf(tree);
  }

  Tree openTree(String name, TreeOptions options) {
    failure().checkOpen();
    core.check(name, options);
    OpenTree tree = core.trees().find(name);
    if (tree == null || tree.isDropped()) {
      tree = writes().createTree(name, options);
    } else if (writes == null) {
      tree.reopen(options);
    } else {
      writes.reopen(tree, options);
    }
    return treeOf(tree);
  }

  void dropTree(String name) {
    failure().checkMayWait("Db.dropTree");
    OpenTree tree = requireTree(name).state();
    if (tree == defaultTree.state()) {
      throw new IllegalArgumentException("the default tree cannot be dropped");
    }
    writes().dropTree(tree);
  }

  List<String> treeNames() {
    failure().checkOpen();
    return core.trees().names();
  }

  void flush(OpenTree tree) {
    failure().checkMayWait("Tree.flush");
    writes().flush(tree);
  }

  void flushAll() {
    failure().checkMayWait("Db.flush");
    Writes writes = writes();
    for (OpenTree tree : core.trees().all()) {
      try {
        writes.flush(tree);
      } catch (DbException.Closed e) {
        if (failure().isClosed() || !tree.isDropped()) {
          throw e;
        }
        // It was dropped meanwhile, which leaves nothing to flush.
      }
    }
  }

  void compact(OpenTree tree, KeyRange range) {
    failure().checkMayWait("Tree.compact");
    writes().compact(tree, range);
  }

  void ingest(OpenTree tree, List<Path> files) {
    failure().checkMayWait("Tree.ingest");
    writes().ingest(tree, files);
  }

  void checkpoint(Path target) {
    failure().checkMayWait("Db.checkpoint");
    writes().checkpoint(target);
  }

  /** Returns when nothing runs and nothing is due. */
  void awaitQuiet() {
    failure().checkMayWait("Db.awaitQuiet");
    writes().background().awaitQuiet();
  }

  DbStats stats() {
    failure().checkOpen();
    return StoreStats.of(core, writes);
  }

  TreeStats treeStats(OpenTree tree) {
    checkReadable(tree, null);
    return StoreStats.of(tree);
  }

  private Tree treeOf(OpenTree tree) {
    return tree == defaultTree.state() ? defaultTree : new Tree(this, tree);
  }

  void write(WriteBatch batch, WriteOptions options) {
    if (batch.store() != this) {
      throw new IllegalArgumentException("the batch was made by another store");
    }
    batch.checkNotWritten();
    writes().write(batch, options);
    batch.setWritten();
  }

  /** The hybrid time at which a value put now with a time to live is gone. */
  long expiryAfter(Duration timeToLive) {
    Limits.check("timeToLive", timeToLive, Duration.ofNanos(1), TIME_TO_LIVE_MAX);
    long nowMicros = HybridTime.toUnixMicros(core.clock().now());
    return HybridTime.ofUnixMicros(nowMicros + timeToLive.toNanos() / 1_000);
  }

  Snapshot snapshot() {
    core.failure().checkOpen();
    while (true) {
      Snapshot snapshot =
          core.snapshots().tryRegister(core.published().getAsLong(), core.clock().now());
      if (snapshot != null) {
        return snapshot;
      }
    }
  }

  /** A moment of the past, which was asked for in these words. */
  Snapshot asOf(long time, Instant asked) {
    core.failure().checkOpen();
    long visible = Math.min(time, core.published().getAsLong());
    return core.snapshots().register(visible, time, asked);
  }

  /**
   * Looks a key up; {@code null} if it has no live value. A value that is stored apart is read into
   * an array of its own, without an expiry before it; the kind still says SEPARATED.
   */
  @Nullable PointResult get(OpenTree tree, byte[] key, @Nullable Snapshot snapshot) {
    return get(tree, key, snapshot, new PointGet(core.clock()));
  }

  /** As the other one, by a lookup that holds the result until its next use. */
  private @Nullable PointResult get(
      OpenTree tree, byte[] key, @Nullable Snapshot snapshot, PointGet lookup) {
    while (true) {
      ReadView view = tree.view();
      PointResult found = find(tree, key, snapshot, lookup);
      if (found == null || !KeyKind.isSeparated(Trailer.kind(found.trailer()))) {
        return found;
      }
      int skip = KeyKind.expires(Trailer.kind(found.trailer())) ? KeyKind.EXPIRY_BYTES : 0;
      try {
        byte[] value = core.blobs().read(found.valueArray(), found.valueOffset() + skip);
        found.set(
            Trailer.of(Trailer.time(found.trailer()), KeyKind.PUT | KeyKind.SEPARATED),
            value,
            0,
            value.length);
        return found;
      } catch (IOException e) {
        // As in find: the key may have been overwritten and its blob swept, but not while the view
        // stays that it was found in.
        if (tree.view() == view) {
          throw failure().translate(e, "reading a value of tree '" + tree.name() + "'");
        }
      }
    }
  }

  /** Copies the value of a key to memory of the caller's; its length, or -1 if there is none. */
  int getInto(OpenTree tree, byte[] key, @Nullable Snapshot snapshot, MemorySegment target) {
    PointGet lookup = lookups.take();
    try {
      PointResult found = get(tree, key, snapshot, lookup);
      if (found == null) {
        return -1;
      }
      int skip = KeyKind.expires(Trailer.kind(found.trailer())) ? KeyKind.EXPIRY_BYTES : 0;
      int length = found.valueLength() - skip;
      if (length <= target.byteSize()) {
        int from = found.valueOffset() + skip;
        MemorySegment.copy(found.valueArray(), from, target, ValueLayout.JAVA_BYTE, 0, length);
      }
      return length;
    } finally {
      lookups.giveBack(lookup);
    }
  }

  /** Looks a key up; {@code null} if it has no live value. */
  @Nullable PointResult find(OpenTree tree, byte[] key, @Nullable Snapshot snapshot) {
    return find(tree, key, snapshot, new PointGet(core.clock()));
  }

  private @Nullable PointResult find(
      OpenTree tree, byte[] key, @Nullable Snapshot snapshot, PointGet get) {
    checkReadable(tree, snapshot);
    core.counters().gets.increment();
    while (true) {
      ReadView view = tree.view();
      long time = snapshot == null ? core.published().getAsLong() : snapshot.hybridTime();
      if (tree.view() != view) {
        continue;
      }
      long expiryTime = snapshot == null ? HybridTime.MAX : snapshot.expiryTime();
      try {
        if (!get.find(view, key, time, expiryTime, tree.options().subtrees())) {
          return null;
        }
        core.counters().getHits.increment();
        return get.result();
      } catch (IOException e) {
        // The view is not pinned: if it was replaced meanwhile, its files may be gone.
        if (tree.view() == view) {
          throw failure().translate(e, "reading tree '" + tree.name() + "'");
        }
      }
    }
  }

  /**
   * Looks keys up at one moment.
   *
   * @return by place in the list: the value, or {@code null} if there is none
   */
  byte[] @Nullable [] getAll(OpenTree tree, List<byte[]> keys, @Nullable Snapshot snapshot) {
    Moment moment = pin(tree, snapshot);
    ReadView view = moment.view();
    int count = keys.size();
    byte[] @Nullable [] values = new byte[count][];
    try {
      MultiGet.find(
          view,
          keys,
          moment.time(),
          moment.expiryTime(),
          tree.options().subtrees(),
          core.clock(),
          (place, found) -> {
            values[place] = valueOf(found);
            core.counters().getHits.increment();
          });
      core.counters().gets.add(count);
      return values;
    } catch (IOException e) {
      throw failure().translate(e, "reading tree '" + tree.name() + "'");
    } finally {
      unpin(view);
    }
  }

  /** A copy of the value of a record in a pinned view. */
  private byte[] valueOf(PointResult found) throws IOException {
    int kind = Trailer.kind(found.trailer());
    int skip = KeyKind.expires(kind) ? KeyKind.EXPIRY_BYTES : 0;
    int offset = found.valueOffset() + skip;
    return KeyKind.isSeparated(kind)
        ? core.blobs().read(found.valueArray(), offset)
        : Bytes.copy(found.valueArray(), offset, found.valueLength() - skip);
  }

  /**
   * What a reader of more than one key reads.
   *
   * @param view pinned
   * @param time the reader's
   * @param expiryTime when it judges expiry
   */
  private record Moment(ReadView view, long time, long expiryTime) {}

  /** Pins a view that holds everything up to the present, or up to the snapshot. */
  private Moment pin(OpenTree tree, @Nullable Snapshot snapshot) {
    checkReadable(tree, snapshot);
    while (true) {
      ReadView view = tree.pin();
      long time = snapshot == null ? core.published().getAsLong() : snapshot.hybridTime();
      if (tree.view() == view) {
        return new Moment(
            view, time, snapshot == null ? core.clock().now() : snapshot.expiryTime());
      }
      unpin(view);
    }
  }

  Cursor cursor(OpenTree tree, ReadOptions options) {
    Moment moment = pin(tree, options.snapshot());
    ReadView view = moment.view();
    MemTable active = view.active();
    KeyRange range = options.range();
    try {
      ViewSources sources =
          ViewSources.open(view, range.lower(), range.upper(), options.fillCache());
      VisibleIterator entries =
          new VisibleIterator(
              sources,
              tree.options().subtrees(),
              moment.time(),
              moment.expiryTime(),
              new PointGet(core.clock()),
              core.options().gapMemo() ? tree.gaps() : null,
              () -> tree.view().active() == active && sources.showActive());
      core.counters().cursorsOpened.increment();
      return new Cursor(this, tree, view, entries);
    } catch (IOException e) {
      unpin(view);
      throw failure().translate(e, "opening a cursor on tree '" + tree.name() + "'");
    }
  }

  void cursorClosed(ReadView view) {
    core.counters().cursorsClosed.increment();
    unpin(view);
  }

  void noteSteppedOver(OpenTree tree, String operation, long steppedOver) {
    core.counters().steppedOver.add(steppedOver);
    if (steppedOver >= Cursor.SLOW_READ_RECORDS) {
      Events.SlowRead event = new Events.SlowRead();
      event.tree = tree.name();
      event.operation = operation;
      event.steppedOver = steppedOver;
      event.commit();
    }
  }

  /** Reads a value that is stored apart and that a pinned view needs. */
  byte[] readBlob(OpenTree tree, byte[] reference, int offset) {
    try {
      return core.blobs().read(reference, offset);
    } catch (IOException e) {
      throw failure().translate(e, "reading a value of tree '" + tree.name() + "'");
    }
  }

  long approximateBytes(OpenTree tree, KeyRange range) {
    checkReadable(tree, null);
    byte[] lower = range.lower();
    byte[] upper = range.upper();
    ReadView view = tree.pin();
    long bytes = 0;
    try {
      for (int level = 0; level < Version.LEVELS; level++) {
        for (FileMeta file : view.version().level(level)) {
          bytes += view.reader(file).approximateBytes(lower, upper);
        }
      }
      return bytes;
    } catch (IOException e) {
      throw failure().translate(e, "sizing a range of tree '" + tree.name() + "'");
    } finally {
      unpin(view);
    }
  }

  List<TableFile> files(OpenTree tree) {
    checkReadable(tree, null);
    ReadView view = tree.pin();
    try {
      List<TableFile> files = new ArrayList<>();
      for (int level = 0; level < Version.LEVELS; level++) {
        for (FileMeta file : view.version().level(level)) {
          files.add(StoreStats.of(level, file, view.reader(file).properties()));
        }
      }
      return List.copyOf(files);
    } catch (IOException e) {
      throw failure().translate(e, "listing the files of tree '" + tree.name() + "'");
    } finally {
      unpin(view);
    }
  }

  private void unpin(ReadView view) {
    if (view.unpin() && writes != null) {
      writes.viewReleased();
    }
  }

  private void checkReadable(OpenTree tree, @Nullable Snapshot snapshot) {
    failure().checkOpen();
    tree.checkUsable();
    if (snapshot != null) {
      snapshot.checkUsable(core.snapshots());
      SnapshotRegistry.checkReadable(tree, snapshot.hybridTime());
    }
  }
}
