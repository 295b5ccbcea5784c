package dev.siltstone.engine.compaction;

import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.util.List;
import java.util.Set;

/**
 * How large each level should be. The last level holds what it holds and fixes the others: each is
 * smaller than the one below by the fan-out, up to the first that fits the base size. That is the
 * base level, into which level 0 is compacted; between the two there is nothing.
 *
 * <p>So all levels above the last make up at most 1 / (fan-out - 1) of it, whatever the size of the
 * tree, and that bounds the space that obsolete versions take.
 *
 * <p>When the tree shrinks, levels above the new base level are left over. Level 0 must not pass by
 * them, as its records are newer; so the base level stays at the first of them until they are
 * empty.
 */
final class LevelTargets {
  private static final int LAST = Version.LEVELS - 1;

  private final long[] targets = new long[Version.LEVELS];
  private final int level0Files;
  private final long baseBytes;
  private final int base;

  /**
   * Targets for a version.
   *
   * @param firstOutputLevel least level that a running compaction writes to; the number of levels
   *     if there is none
   */
  LevelTargets(Version version, CompactionSettings settings, int firstOutputLevel) {
    level0Files = settings.level0Files();
    baseBytes = settings.baseBytes();
    int ideal = LAST;
    long target = version.bytes(LAST);
    targets[LAST] = Math.max(target, baseBytes);
    while (ideal > 1 && target > baseBytes) {
      target /= settings.fanOut();
      ideal--;
      targets[ideal] = target;
    }
    int level = 1;
    while (level < ideal && level < firstOutputLevel && version.level(level).isEmpty()) {
      level++;
    }
    base = level;
  }

  /** The level that level 0 is compacted into. */
  int base() {
    return base;
  }

  /** Size in bytes above which a level is compacted; 0 for one that is to be emptied. */
  long target(int level) {
    return targets[level];
  }

  /**
   * How urgent a level is, 1 and above meaning that it should be compacted. Files that are busy do
   * not count.
   */
  double score(Version version, int level, Set<FileMeta> busy) {
    long bytes = 0;
    int files = 0;
    List<FileMeta> all = version.level(level);
    for (FileMeta file : all) {
      if (!busy.contains(file)) {
        bytes += file.bytes();
        files++;
      }
    }
    if (level == 0) {
      return Math.max((double) files / level0Files, (double) bytes / baseBytes);
    }
    if (level == LAST || files == 0) {
      return 0;
    }
    if (targets[level] == 0) {
      return Math.max(1, (double) bytes / baseBytes);
    }
    return (double) bytes / targets[level];
  }
}
