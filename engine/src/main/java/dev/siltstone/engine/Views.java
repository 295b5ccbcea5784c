package dev.siltstone.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.siltstone.engine.compaction.CompactionPicker;
import dev.siltstone.engine.compaction.LeveledPicker;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.read.ReadView;
import dev.siltstone.engine.table.TableCache;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;

/**
 * Replaces the views of trees, and knows which replaced ones are still pinned.
 *
 * <p>A view changes in three ways: the leader of the writers seals the active memtable; a flush
 * puts a file in the place of sealed memtables; a compaction installs another version. Each makes a
 * new view under one lock; readers take whichever they find.
 */
final class Views {
  private final TableCache tables;
  private final Trees trees;
  private final MemoryBudget memory;
  private final boolean compacts;
  private final long memtableBytes;
  private final IntFunction<Version> versions;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private long memtableId;

  /** Replaced views that somebody still reads. */
  @GuardedBy("lock")
  private final List<ReadView> pinned = new ArrayList<>();

  private final Backlog backlog;
  private final CompactionPicker picker;

  /** What compactions have to write in the trees that have a debt. */
  @GuardedBy("lock")
  private final Map<OpenTree, Long> debts = new HashMap<>();

  /**
   * The views of a store.
   *
   * @param versions gives the version of a tree that was published last
   */
  Views(
      TableCache tables,
      Trees trees,
      MemoryBudget memory,
      Options options,
      IntFunction<Version> versions) {
    this.tables = tables;
    this.trees = trees;
    this.memory = memory;
    this.compacts = options.automaticCompaction();
    this.memtableBytes = options.memtableBytes();
    this.versions = versions;
    this.backlog = new Backlog(memory, options);
    this.picker = new LeveledPicker(StoreJobs.settings(options));
  }

  /** What the changes of views leave to the background. */
  Backlog backlog() {
    return backlog;
  }

  /** The first view of a tree. */
  ReadView first(Version version) {
    lock.lock();
    try {
      return new ReadView(newMemtable(), List.of(), version, tables);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Seals the active memtable of a tree, unless it is empty or the tree is dropped: the last view
   * of a dropped tree has given up its pin and its memory, and must not be replaced. Trees are
   * marked as dropped by the leader, so that none becomes so meanwhile. Requires leadership.
   */
  boolean seal(OpenTree tree) {
    lock.lock();
    try {
      ReadView before = tree.view();
      if (tree.isDropped() || before.active().isEmpty()) {
        return false;
      }
      memory.seal(before.active());
      List<MemTable> sealed = new ArrayList<>(before.sealed().size() + 1);
      sealed.add(before.active());
      sealed.addAll(before.sealed());
      replace(tree, new ReadView(newMemtable(), sealed, before.version(), tables));
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes the version of a tree that was published last, which holds the records of {@code
   * flushed}. It is asked for under the lock, so that of two jobs the later cannot install the
   * earlier one.
   *
   * @param flushed memtables that are not needed any more
   */
  void install(OpenTree tree, List<MemTable> flushed) {
    lock.lock();
    try {
      ReadView before = tree.view();
      List<MemTable> sealed = new ArrayList<>(before.sealed());
      sealed.removeAll(flushed);
      replace(tree, new ReadView(before.active(), sealed, versions.apply(tree.id()), tables));
    } finally {
      lock.unlock();
    }
    flushed.forEach(memory::forget);
  }

  /**
   * Takes the version of a tree that was published last, with files that were ingested, and a new
   * active memtable, whether or not the present one is empty: whoever learns of gaps sees by it
   * that births have come to the tree which its view has not. Requires leadership.
   */
  void ingested(OpenTree tree) {
    lock.lock();
    try {
      ReadView before = tree.view();
      List<MemTable> sealed = new ArrayList<>(before.sealed());
      if (before.active().isEmpty()) {
        memory.forget(before.active());
      } else {
        sealed.addFirst(before.active());
      }
      replace(tree, new ReadView(newMemtable(), sealed, versions.apply(tree.id()), tables));
    } finally {
      lock.unlock();
    }
  }

  /** Forgets a dropped tree and its views; its memtables' memory is given back. */
  void dropped(OpenTree tree) {
    lock.lock();
    try {
      // Under the lock, so that a sweep finds its last view among the present or the pinned ones.
      trees.remove(tree);
      ReadView last = tree.view();
      memory.forget(last.active());
      last.sealed().forEach(memory::forget);
      if (!last.unpin()) {
        pinned.add(last);
      }
      debts.remove(tree);
      count();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Numbers of all files that views need: tables of present views and of replaced ones that are
   * still pinned, blobs that memtables refer to.
   *
   * <p>The version set names the tables of present views too, but it is asked after this, and an
   * edit in between may have taken some out: their view may be pinned and need them on.
   */
  Set<Long> filesInUse() {
    Set<Long> files = new HashSet<>();
    lock.lock();
    try {
      pinned.removeIf(view -> !view.isPinned());
      for (ReadView view : pinned) {
        addTables(view, files);
        addBlobs(view, files);
      }
      for (OpenTree tree : trees.all()) {
        addTables(tree.view(), files);
        addBlobs(tree.view(), files);
      }
    } finally {
      lock.unlock();
    }
    return files;
  }

  private static void addTables(ReadView view, Set<Long> files) {
    for (int level = 0; level < Version.LEVELS; level++) {
      for (FileMeta file : view.version().level(level)) {
        files.add(file.number());
        for (long blob : file.blobs()) {
          files.add(blob);
        }
      }
    }
  }

  private static void addBlobs(ReadView view, Set<Long> files) {
    view.active().forEachBlob(files::add);
    for (MemTable memtable : view.sealed()) {
      memtable.forEachBlob(files::add);
    }
  }

  /** Counts anew what weighs on the background: a tree may have been suspended since. */
  void recount() {
    lock.lock();
    try {
      count();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void replace(OpenTree tree, ReadView next) {
    ReadView before = tree.replaceView(next);
    if (!before.unpin()) {
      pinned.add(before);
    }
    if (compacts && next.version() != before.version()) {
      debts.put(tree, picker.debtBytes(next.version()));
    }
    count();
  }

  @GuardedBy("lock")
  private void count() {
    int sealed = 0;
    int level0 = 0;
    long debt = 0;
    for (OpenTree tree : trees.all()) {
      ReadView view = tree.view();
      sealed = Math.max(sealed, view.sealed().size());
      if (compacts && !tree.isSuspended()) {
        level0 = Math.max(level0, view.version().level(0).size());
        debt += debts.getOrDefault(tree, 0L);
      }
    }
    backlog.set(sealed, level0, debt);
  }

  @GuardedBy("lock")
  private MemTable newMemtable() {
    MemTable memtable = new MemTable(++memtableId, memtableBytes);
    memory.note(memtable);
    return memtable;
  }
}
