package dev.siltstone.engine.check;

import dev.siltstone.base.io.CorruptFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * What a check has looked at and found.
 *
 * @param complete whether it ran to its end
 * @param trees how many trees the store has; 0 if that cannot be read
 * @param tables table files; entries are their records and range deletes
 * @param blobs blob files, one entry each
 * @param logs segments of the log; entries are the records of their batches
 * @param manifests the manifest in force; entries are the table files that it names
 * @param faults what is wrong, at most {@link StoreCheck#FAULTS_MAX}
 * @param faultCount how many faults there are in all
 * @param unchecked files that this process cannot read, in whole or from some block on
 * @param notes what is no fault, but may be of interest
 */
public record CheckReport(
    boolean complete,
    int trees,
    Count tables,
    Count blobs,
    Count logs,
    Count manifests,
    List<CorruptFileException> faults,
    long faultCount,
    List<Note> unchecked,
    List<Note> notes) {

  /** Copies the lists. */
  public CheckReport {
    faults = List.copyOf(faults);
    unchecked = List.copyOf(unchecked);
    notes = List.copyOf(notes);
  }

  /**
   * What was looked at of one kind of file.
   *
   * @param files how many could be opened
   * @param bytes their length
   * @param entries what they hold
   */
  public record Count(long files, long bytes, long entries) {
    static final Count NONE = new Count(0, 0, 0);

    Count plus(long moreFiles, long moreBytes, long moreEntries) {
      return new Count(files + moreFiles, bytes + moreBytes, entries + moreEntries);
    }
  }

  /** Something about a file that is no fault. */
  public record Note(Path file, String what) {}
}
