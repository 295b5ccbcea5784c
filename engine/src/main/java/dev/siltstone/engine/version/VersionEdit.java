package dev.siltstone.engine.version;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change of a store that happens as a whole: one record of the manifest. Built by chained calls,
 * then given to {@link VersionSet#apply}. What an edit does not mention stays as it is.
 *
 * <p>Within an edit trees are created first, then files removed, then files added, then trees
 * dropped, then options replaced; so a file may be removed from one level and added to another.
 *
 * <p>Not safe for concurrent use. Arrays given are owned by the edit.
 */
public final class VersionEdit {
  final List<TreeCreated> created = new ArrayList<>();
  final List<FileRemoved> removed = new ArrayList<>();
  final List<FileAdded> added = new ArrayList<>();
  final List<Flushed> flushed = new ArrayList<>();
  final List<Integer> dropped = new ArrayList<>();
  final List<TreeOptioned> optioned = new ArrayList<>();
  final List<HistoryFloor> floors = new ArrayList<>();

  @Nullable Long lastTime;
  @Nullable Logs logs;

  // Set by the version set only.
  boolean snapshot;
  @Nullable Long nextFileNumber;
  @Nullable Integer nextTreeId;

  record TreeCreated(int id, String name, byte[] options) {}

  record TreeOptioned(int id, byte[] options) {}

  record FileAdded(int tree, int level, FileMeta file) {}

  record FileRemoved(int tree, int level, long number) {}

  record Flushed(int tree, long time) {}

  record HistoryFloor(int tree, long time) {}

  record Logs(long oldest, long newest) {}

  /**
   * Creates a tree without files.
   *
   * @param id from {@link VersionSet#newTreeId}
   * @param name not in use by another tree; at most {@link ManifestFormat#NAME_BYTES_MAX} bytes
   * @param options how the tree is kept, in a form of the caller's
   */
  public VersionEdit createTree(int id, String name, byte[] options) {
    created.add(new TreeCreated(id, name, options));
    return this;
  }

  /** Replaces the options of a tree. */
  public VersionEdit treeOptions(int tree, byte[] options) {
    optioned.add(new TreeOptioned(tree, options));
    return this;
  }

  /** Drops a tree with all its files. Its id is never used again. */
  public VersionEdit dropTree(int tree) {
    dropped.add(tree);
    return this;
  }

  /** Adds a table file, which has to be durable under its name. */
  public VersionEdit addFile(int tree, int level, FileMeta file) {
    added.add(new FileAdded(tree, level, file));
    return this;
  }

  /** Removes a table file from a level. */
  public VersionEdit removeFile(int tree, int level, long number) {
    removed.add(new FileRemoved(tree, level, number));
    return this;
  }

  /**
   * Says that all records of the tree with a time of at most {@code time} are in its tables, and
   * need not be read from the log any more.
   *
   * <p>If the store has other trees, the log has to be durable up to that time first: otherwise a
   * power loss could keep this tree's part of a batch and lose another tree's.
   */
  public VersionEdit flushedTime(int tree, long time) {
    flushed.add(new Flushed(tree, time));
    return this;
  }

  /** The greatest hybrid time known to be in use; a smaller one than before is ignored. */
  public VersionEdit lastTime(long time) {
    lastTime = time;
    return this;
  }

  /**
   * The greatest cutoff that a flush or compaction of a tree has dropped history at: no reader of
   * it may look at an earlier time. A smaller one than before is ignored.
   */
  public VersionEdit historyFloor(int tree, long time) {
    floors.add(new HistoryFloor(tree, time));
    return this;
  }

  /**
   * Which log segments recovery has to read.
   *
   * @param oldest segments with smaller numbers are not needed
   * @param newest a segment that exists, durable by name; recovery insists on it
   */
  public VersionEdit logs(long oldest, long newest) {
    logs = new Logs(oldest, newest);
    return this;
  }

  /** An edit that makes {@code state} from nothing. */
  static VersionEdit snapshotOf(StoreState state) {
    VersionEdit edit = new VersionEdit();
    edit.snapshot = true;
    edit.nextTreeId = state.nextTreeId();
    edit.lastTime(state.lastTime()).logs(state.oldestLog(), state.newestLog());
    List<TreeState> trees = new ArrayList<>(state.all());
    trees.sort(Comparator.comparingInt(TreeState::id));
    for (TreeState tree : trees) {
      edit.createTree(tree.id(), tree.name(), tree.options());
      for (int level = 0; level < Version.LEVELS; level++) {
        for (FileMeta file : tree.version().level(level)) {
          edit.addFile(tree.id(), level, file);
        }
      }
      if (tree.flushedTime() > 0) {
        edit.flushedTime(tree.id(), tree.flushedTime());
      }
      if (tree.historyFloor() > 0) {
        edit.historyFloor(tree.id(), tree.historyFloor());
      }
    }
    return edit;
  }

  /** Whether the edit changes nothing. */
  public boolean isEmpty() {
    return created.isEmpty()
        && removed.isEmpty()
        && added.isEmpty()
        && flushed.isEmpty()
        && dropped.isEmpty()
        && optioned.isEmpty()
        && floors.isEmpty()
        && lastTime == null
        && logs == null;
  }
}
