package dev.siltstone.engine.version;

import dev.siltstone.base.bytes.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Applies edits to a state. A tree costs time only if an edit touches its files, and then time
 * linear in their number, once for any number of edits.
 *
 * <p>An edit that does not fit the state is an {@link IllegalArgumentException}; the builder is of
 * no use after it.
 */
final class StateBuilder {
  private final Map<Integer, TreeBuilder> trees = new HashMap<>();
  private long lastTime;
  private long oldestLog;
  private long newestLog;
  private int nextTreeId;

  /** A tree that is being changed. */
  private static final class TreeBuilder {
    final TreeState base;
    byte[] options;
    long flushedTime;
    long historyFloor;

    /** Files of each level by number; null while they are those of {@link #base}. */
    @Nullable List<Map<Long, FileMeta>> levels;

    TreeBuilder(TreeState base) {
      this.base = base;
      this.options = base.options();
      this.flushedTime = base.flushedTime();
      this.historyFloor = base.historyFloor();
    }

    Map<Long, FileMeta> level(int level) {
      List<Map<Long, FileMeta>> open = levels;
      if (open == null) {
        open = new ArrayList<>(Version.LEVELS);
        for (int i = 0; i < Version.LEVELS; i++) {
          Map<Long, FileMeta> files = new HashMap<>();
          for (FileMeta file : base.version().level(i)) {
            files.put(file.number(), file);
          }
          open.add(files);
        }
        levels = open;
      }
      return open.get(level);
    }

    /** In how many levels a file is. */
    int levelsOf(long number) {
      int count = 0;
      for (int i = 0; i < Version.LEVELS; i++) {
        count += level(i).containsKey(number) ? 1 : 0;
      }
      return count;
    }

    TreeState build() {
      List<Map<Long, FileMeta>> open = levels;
      if (open == null) {
        return flushedTime == base.flushedTime()
                && historyFloor == base.historyFloor()
                && Arrays.equals(options, base.options())
            ? base
            : state(base.version());
      }
      List<List<FileMeta>> sorted = new ArrayList<>(Version.LEVELS);
      for (int level = 0; level < Version.LEVELS; level++) {
        List<FileMeta> files = new ArrayList<>(open.get(level).values());
        files.sort(level == 0 ? FileMeta.NEWEST_FIRST : BY_KEY);
        sorted.add(files);
      }
      return state(new Version(sorted));
    }

    private TreeState state(Version version) {
      return new TreeState(base.id(), base.name(), options, version, flushedTime, historyFloor);
    }
  }

  private static final Comparator<FileMeta> BY_KEY = (a, b) -> Bytes.compare(a.lower(), b.lower());

  StateBuilder(StoreState base) {
    for (TreeState tree : base.all()) {
      trees.put(tree.id(), new TreeBuilder(tree));
    }
    this.lastTime = base.lastTime();
    this.oldestLog = base.oldestLog();
    this.newestLog = base.newestLog();
    this.nextTreeId = base.nextTreeId();
  }

  /** Applies one edit. */
  void apply(VersionEdit edit) {
    for (VersionEdit.TreeCreated tree : edit.created) {
      create(tree, edit.snapshot);
    }
    for (VersionEdit.FileRemoved file : edit.removed) {
      if (require(file.tree()).level(checked(file.level())).remove(file.number()) == null) {
        throw new IllegalArgumentException("not there: " + file);
      }
    }
    for (VersionEdit.FileAdded file : edit.added) {
      FileMeta before =
          require(file.tree()).level(checked(file.level())).put(file.file().number(), file.file());
      if (before != null || require(file.tree()).levelsOf(file.file().number()) > 1) {
        throw new IllegalArgumentException("already there: " + file);
      }
    }
    for (VersionEdit.Flushed flush : edit.flushed) {
      TreeBuilder tree = require(flush.tree());
      tree.flushedTime = Math.max(tree.flushedTime, flush.time());
    }
    for (int id : edit.dropped) {
      require(id);
      trees.remove(id);
    }
    for (VersionEdit.HistoryFloor floor : edit.floors) {
      TreeBuilder tree = require(floor.tree());
      tree.historyFloor = Math.max(tree.historyFloor, floor.time());
    }
    for (VersionEdit.TreeOptioned tree : edit.optioned) {
      checkOptions(tree.options());
      require(tree.id()).options = tree.options();
    }
    if (edit.lastTime != null) {
      lastTime = Math.max(lastTime, edit.lastTime);
    }
    if (edit.logs != null) {
      oldestLog = Math.max(oldestLog, edit.logs.oldest());
      newestLog = Math.max(newestLog, edit.logs.newest());
    }
    if (edit.nextTreeId != null) {
      nextTreeId = Math.max(nextTreeId, edit.nextTreeId);
    }
  }

  /** The state after all edits; levels that overlap are found here. */
  StoreState build() {
    Map<Integer, TreeState> built = new HashMap<>();
    for (TreeBuilder tree : trees.values()) {
      built.put(tree.base.id(), tree.build());
    }
    return new StoreState(built, lastTime, oldestLog, newestLog, nextTreeId);
  }

  /** Checks that no file is in two places, and that all numbers are below a bound. */
  static void checkNumbers(StoreState state, long nextFileNumber) {
    Set<Long> seen = new HashSet<>();
    for (TreeState tree : state.all()) {
      for (int level = 0; level < Version.LEVELS; level++) {
        for (FileMeta file : tree.version().level(level)) {
          if (!seen.add(file.number())) {
            throw new IllegalArgumentException("table " + file.number() + " is in two places");
          }
          long[] blobs = file.blobs();
          long greatest = blobs.length == 0 ? 0 : blobs[blobs.length - 1];
          if (Math.max(file.number(), greatest) >= nextFileNumber) {
            throw new IllegalArgumentException(
                "table " + file.number() + " though the next number is " + nextFileNumber);
          }
        }
      }
    }
  }

  /** {@link #checkNumbers} for an assertion; it costs time linear in all files. */
  static boolean isConsistent(StoreState state, long nextFileNumber) {
    checkNumbers(state, nextFileNumber);
    return true;
  }

  private void create(VersionEdit.TreeCreated tree, boolean snapshot) {
    // A snapshot creates trees anew; an edit may not take an id that was in use before.
    if (tree.id() < 1 || trees.containsKey(tree.id()) || (!snapshot && tree.id() < nextTreeId)) {
      throw new IllegalArgumentException("tree id " + tree.id() + " was used before");
    }
    byte[] name = tree.name().getBytes(StandardCharsets.UTF_8);
    if (name.length > ManifestFormat.NAME_BYTES_MAX
        || !tree.name().equals(new String(name, StandardCharsets.UTF_8))) {
      throw new IllegalArgumentException(
          "tree name of " + name.length + " bytes, or with half a surrogate pair");
    }
    checkOptions(tree.options());
    for (TreeBuilder other : trees.values()) {
      if (other.base.name().equals(tree.name())) {
        throw new IllegalArgumentException("a tree is named '" + tree.name() + "' already");
      }
    }
    TreeState state = new TreeState(tree.id(), tree.name(), tree.options(), Version.EMPTY, 0, 0);
    trees.put(tree.id(), new TreeBuilder(state));
    nextTreeId = Math.max(nextTreeId, Math.addExact(tree.id(), 1));
  }

  private static void checkOptions(byte[] options) {
    if (options.length > ManifestFormat.OPTIONS_BYTES_MAX) {
      throw new IllegalArgumentException("tree options of " + options.length + " bytes");
    }
  }

  private TreeBuilder require(int id) {
    TreeBuilder tree = trees.get(id);
    if (tree == null) {
      throw new IllegalArgumentException("no tree with id " + id);
    }
    return tree;
  }

  private static int checked(int level) {
    if (level < 0 || level >= Version.LEVELS) {
      throw new IllegalArgumentException("level " + level);
    }
    return level;
  }
}
