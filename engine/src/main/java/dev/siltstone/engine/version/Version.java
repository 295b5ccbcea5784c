package dev.siltstone.engine.version;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import java.util.ArrayList;
import java.util.List;

/**
 * The table files of one tree at one moment. Immutable.
 *
 * <ol>
 *   <li>Level 0: files may overlap; newest first, that is by falling greatest time.
 *   <li>Levels 1 and up: files are disjoint and sorted by key.
 *   <li>For any one key, what a level holds (range deletes included) is newer than what any deeper
 *       level holds, and in level 0 what a file holds is newer than what any later file holds.
 * </ol>
 */
public final class Version {
  /** Number of levels. */
  public static final int LEVELS = 7;

  /** No files. */
  public static final Version EMPTY = new Version(emptyLevels());

  private final List<List<FileMeta>> levels;

  /** A version of the given levels, which are copied and checked. */
  public Version(List<List<FileMeta>> levels) {
    if (levels.size() != LEVELS) {
      throw new IllegalArgumentException("levels: " + levels.size());
    }
    List<List<FileMeta>> copy = new ArrayList<>(LEVELS);
    for (List<FileMeta> level : levels) {
      copy.add(List.copyOf(level));
    }
    this.levels = List.copyOf(copy);
    checkOrder();
  }

  /** The files of a level, in the order of the class description. */
  public List<FileMeta> level(int level) {
    return levels.get(level);
  }

  /** Bytes of a level. */
  public long bytes(int level) {
    long bytes = 0;
    for (FileMeta file : levels.get(level)) {
      bytes += file.bytes();
    }
    return bytes;
  }

  /** Greatest time of anything in the files; {@link HybridTime#MIN} if there are none. */
  public long maxTime() {
    long time = HybridTime.MIN;
    for (List<FileMeta> level : levels) {
      for (FileMeta file : level) {
        time = Math.max(time, file.maxTime());
      }
    }
    return time;
  }

  /** Files of all levels. */
  public int files() {
    int files = 0;
    for (List<FileMeta> level : levels) {
      files += level.size();
    }
    return files;
  }

  /**
   * Index of the first file of a level >= 1 whose upper bound lies after the key: the only file
   * that may hold the key, and the first that may hold a greater one. The size of the level if
   * none.
   */
  public int find(int level, byte[] key, int offset, int length) {
    List<FileMeta> files = levels.get(level);
    int low = 0;
    int high = files.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      byte[] upper = files.get(middle).upper();
      if (Bytes.compare(upper, 0, upper.length, key, offset, length) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The files of a level that overlap [lower, upper), in the level's order. */
  public List<FileMeta> overlapping(int level, byte[] lower, byte[] upper) {
    List<FileMeta> result = new ArrayList<>();
    for (FileMeta file : levels.get(level)) {
      if (file.overlaps(lower, upper)) {
        result.add(file);
      }
    }
    return result;
  }

  private void checkOrder() {
    for (int level = 0; level < LEVELS; level++) {
      List<FileMeta> files = levels.get(level);
      for (int i = 1; i < files.size(); i++) {
        FileMeta before = files.get(i - 1);
        FileMeta file = files.get(i);
        boolean ordered =
            level == 0
                ? before.isNewerThan(file)
                : Bytes.compare(before.upper(), file.lower()) <= 0;
        if (!ordered) {
          throw new IllegalArgumentException("level " + level + ": " + before + " before " + file);
        }
      }
    }
  }

  private static List<List<FileMeta>> emptyLevels() {
    List<List<FileMeta>> levels = new ArrayList<>(LEVELS);
    for (int level = 0; level < LEVELS; level++) {
      levels.add(List.of());
    }
    return levels;
  }
}
