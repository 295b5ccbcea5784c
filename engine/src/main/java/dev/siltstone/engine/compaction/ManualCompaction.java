package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A compaction of a key range that somebody asked for, and how far it has come.
 *
 * <p>Level by level, all that overlaps the range is merged into the next level, down to the deepest
 * level that holds something of it; there, files that may still hold something dead are rewritten
 * in place, once. Afterwards nothing of the range is left that was hidden or expired at the cutoff
 * when the work began. What is written meanwhile is left alone, so the end is certain.
 *
 * <p>Not safe for concurrent use; {@link CompactionPicker} moves it on.
 */
public final class ManualCompaction {
  private final byte[] lower;
  private final byte @Nullable [] upper;
  private final boolean rewriteAll;

  private int level = -1;
  private boolean bottom;
  private boolean done;

  /** Greatest file number when the work began; 0 before. */
  private long firstMark;

  /** Greatest file number when the present level was begun; later files are not our business. */
  private long mark;

  /**
   * A compaction of [lower, upper).
   *
   * @param upper {@code null} for no bound
   * @param rewriteAll whether files that hold nothing dead are rewritten too, for the sake of a
   *     compaction filter or of the compression
   */
  public ManualCompaction(byte[] lower, byte @Nullable [] upper, boolean rewriteAll) {
    this.lower = lower.clone();
    this.upper = upper == null ? null : upper.clone();
    this.rewriteAll = rewriteAll;
  }

  /** Whether there is nothing left to do. */
  public boolean isDone() {
    return done;
  }

  /** The level whose files are to sink, or are to be rewritten if it is the bottom one. */
  int level() {
    return level;
  }

  /** Whether the bottom level was reached. */
  boolean isBottom() {
    return bottom;
  }

  /** Notes that nothing is left to do. */
  void finish() {
    done = true;
  }

  /** Goes on to a level. */
  void enter(int newLevel, Version version) {
    level = newLevel;
    mark = 0;
    for (int i = 0; i < Version.LEVELS; i++) {
      for (FileMeta file : version.level(i)) {
        mark = Math.max(mark, file.number());
      }
    }
    firstMark = firstMark == 0 ? mark : firstMark;
  }

  /** Goes on to rewriting the level, which is the bottom one. */
  void enterBottom(Version version) {
    enter(level, version);
    bottom = true;
    if (!holdsSubtrees(version)) {
      // What was written since the beginning holds nothing dead. With subtree records it may: they
      // hide records that were not in the same compaction.
      mark = firstMark;
    }
  }

  /** Whether subtree records at the level may hide records of other files. */
  boolean holdsSubtrees(Version version) {
    return overlapping(version, level).stream().anyMatch(file -> file.subtrees() > 0);
  }

  /** The files of a level that overlap the range, in the level's order. */
  List<FileMeta> overlapping(Version version, int ofLevel) {
    List<FileMeta> files = new ArrayList<>();
    for (FileMeta file : version.level(ofLevel)) {
      if (Bytes.compare(lower, file.upper()) < 0
          && (upper == null || Bytes.compare(file.lower(), upper) < 0)) {
        files.add(file);
      }
    }
    return files;
  }

  /** The files of the present level that are still to be compacted, in the level's order. */
  List<FileMeta> pending(Version version) {
    List<FileMeta> files = overlapping(version, level);
    boolean all = !bottom || rewriteAll || holdsSubtrees(version);
    files.removeIf(file -> file.number() > mark || !(all || mayHoldDead(file)));
    return files;
  }

  private static boolean mayHoldDead(FileMeta file) {
    return file.deletes() + file.rangeDeletes() + file.obsolete() + file.expiring() > 0;
  }
}
