package dev.siltstone.engine.compaction;

import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.util.List;

/**
 * Finds the level for a file that is newer than everything in the tree and was not made by a flush.
 *
 * <p>It sinks as long as nothing overlaps it on the way, so that rule 3 of {@link Version} holds:
 * what is above the file for any of its keys is newer. Of the levels it passes it takes the deepest
 * in which no running compaction writes around it, since the outputs of one may span what lies
 * between its inputs.
 */
public final class Placement {
  private Placement() {}

  /**
   * The place of a file, as a compaction that moves it there from outside. As long as that counts
   * as running, no other begins that would be in the way.
   */
  public static Compaction of(FileMeta file, Version version, List<Compaction> running) {
    Compaction place = at(0, file);
    for (int level = 0; level < Version.LEVELS; level++) {
      if (!version.overlapping(level, file.lower(), file.upper()).isEmpty()) {
        return place;
      }
      Compaction deeper = at(level, file);
      // Files of level 0 may overlap, so nothing is in the way there.
      if (level == 0 || running.stream().noneMatch(deeper::conflictsWith)) {
        place = deeper;
      }
    }
    return place;
  }

  private static Compaction at(int level, FileMeta file) {
    return new Compaction(
        Compaction.Action.MOVE,
        Compaction.Reason.INGEST,
        0,
        level,
        List.of(file),
        List.of(),
        List.of());
  }
}
