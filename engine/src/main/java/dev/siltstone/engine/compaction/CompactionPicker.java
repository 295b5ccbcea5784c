package dev.siltstone.engine.compaction;

import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to compact next. Pure: the same situation gives the same answer, and no file is
 * touched.
 *
 * <p>What a picker returns can run beside all that runs already: it takes no file that another
 * compaction has taken and writes to no key range of a level that another one writes to.
 */
public interface CompactionPicker {

  /** The most urgent compaction that can begin now; {@code null} if there is nothing to do. */
  @Nullable Compaction pick(Situation situation);

  /**
   * The next step of a manual compaction; {@code null} if it is done, or if it must wait for one of
   * the running compactions: {@link ManualCompaction#isDone} tells.
   */
  @Nullable Compaction pick(ManualCompaction manual, Situation situation);

  /**
   * How much must be written to bring every level to its target, in bytes; 0 if nothing presses.
   * What writers are slowed down by.
   */
  long debtBytes(Version version);

  /**
   * What a picker looks at.
   *
   * @param version the files
   * @param running compactions under way; their inputs are still in the version
   * @param cutoff no reader stands before this time
   * @param coverage what is known of range deletes
   * @param compressedFrom files of this level and of those below it are written compressed, files
   *     above it are not; 0 if all are written alike
   */
  record Situation(
      Version version,
      List<Compaction> running,
      long cutoff,
      Coverage coverage,
      int compressedFrom) {
    /** Copies the list. */
    public Situation {
      running = List.copyOf(running);
    }
  }

  /** Knows the range deletes of files that are open. */
  @FunctionalInterface
  interface Coverage {
    /** Nothing is known. */
    Coverage NONE = (_, _, _) -> false;

    /**
     * Whether one range delete in a file above this one, at most {@code cutoff} and newer than all
     * that the file holds, covers the bounds of the file.
     *
     * @param level the level of the file; "above" is a lesser level, and in level 0 a newer file
     */
    boolean covers(FileMeta file, int level, long cutoff);
  }
}
