package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Answers from the bounds and times of the files of a version, less the inputs of the job.
 *
 * <p>For a single key, levels above the output level need no look: by rule 3 of {@link Version}
 * what they hold of it is newer. The same goes for a range delete, key by key. It does <em>not</em>
 * go for a subtree record, whose key differs from those below it: a parent may have sunk deeper
 * than an older child, so there all levels count.
 *
 * <p>Each level has a cursor that only moves forward: a key costs a few comparisons, whatever the
 * number of files.
 */
public final class VersionOlderData implements OlderData {
  private final FileMeta[][] levels = new FileMeta[Version.LEVELS][];
  private final int[] cursors = new int[Version.LEVELS];
  private final int outputLevel;

  /**
   * Looks at the files of {@code version} that are not among the inputs.
   *
   * @param outputLevel where the job writes; 0 for a flush
   */
  public VersionOlderData(Version version, Collection<FileMeta> inputs, int outputLevel) {
    this.outputLevel = outputLevel;
    Set<FileMeta> taken = new HashSet<>(inputs);
    for (int level = 0; level < Version.LEVELS; level++) {
      List<FileMeta> others = new ArrayList<>(version.level(level));
      others.removeIf(taken::contains);
      levels[level] = others.toArray(FileMeta[]::new);
    }
  }

  @Override
  public boolean mayHoldKey(byte[] key, int offset, int length, long time) {
    for (int level = outputLevel; level < Version.LEVELS; level++) {
      FileMeta[] files = levels[level];
      if (level == 0) {
        for (FileMeta file : files) {
          if (file.minTime() < time && file.covers(key, offset, length)) {
            return true;
          }
        }
      } else {
        int at = advance(level, key, offset, length);
        if (at < files.length
            && files[at].minTime() < time
            && startsAtOrBefore(files[at], key, offset, length)) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public boolean mayHoldSubtree(byte[] key, int offset, int length, long time) {
    for (int level = 0; level < Version.LEVELS; level++) {
      FileMeta[] files = levels[level];
      boolean sorted = level > 0;
      for (int i = sorted ? advance(level, key, offset, length) : 0; i < files.length; i++) {
        FileMeta file = files[i];
        if (overlapsSubtree(file, key, offset, length)) {
          if (file.minTime() < time) {
            return true;
          }
        } else if (sorted) {
          break;
        }
      }
    }
    return false;
  }

  @Override
  public boolean mayHoldRange(byte[] lower, byte[] upper, long time) {
    for (int level = outputLevel; level < Version.LEVELS; level++) {
      for (FileMeta file : levels[level]) {
        if (file.minTime() < time && file.overlaps(lower, upper)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Moves the cursor of a sorted level to the first file whose upper bound lies after the key. */
  private int advance(int level, byte[] key, int offset, int length) {
    FileMeta[] files = levels[level];
    int at = cursors[level];
    while (at < files.length) {
      byte[] upper = files[at].upper();
      if (Bytes.compare(upper, 0, upper.length, key, offset, length) > 0) {
        break;
      }
      at++;
    }
    cursors[level] = at;
    return at;
  }

  private static boolean startsAtOrBefore(FileMeta file, byte[] key, int offset, int length) {
    byte[] lower = file.lower();
    return Bytes.compare(lower, 0, lower.length, key, offset, length) <= 0;
  }

  /** Whether the bounds of the file meet the keys that begin with this key. */
  private static boolean overlapsSubtree(FileMeta file, byte[] key, int offset, int length) {
    byte[] lower = file.lower();
    byte[] upper = file.upper();
    boolean startsWithin =
        lower.length >= length && Bytes.equal(lower, 0, length, key, offset, length);
    return (startsWithin || startsAtOrBefore(file, key, offset, length))
        && Bytes.compare(upper, 0, upper.length, key, offset, length) > 0;
  }
}
