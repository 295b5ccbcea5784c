package dev.siltstone.engine;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * What {@link Db#verify} has looked at, and what is wrong. Immutable.
 *
 * @param complete whether it ran to its end; if not, it was stopped by its {@link
 *     VerifyOptions.Progress}
 * @param trees how many trees the store has; 0 if the manifest cannot be read
 * @param tables table files; entries are their records and range deletes, versions counted
 * @param blobs blob files, one entry each
 * @param logs segments of the log; entries are the records in them. 0 files if the log is damaged
 * @param manifests the manifest in force; entries are the tables that it names. 0 files if it is
 *     damaged
 * @param problems what is wrong, in the order in which it was found; at most 10,000
 * @param problemCount how many problems there are, those that are not listed included
 * @param unchecked files that this process cannot check, in whole or from some block on, which says
 *     nothing about whether they are damaged; one entry a file
 * @param notes what is not wrong, but may help to judge: files that nobody needs, and what a
 *     damaged or unchecked table holds
 */
public record Verification(
    boolean complete,
    int trees,
    Checked tables,
    Checked blobs,
    Checked logs,
    Checked manifests,
    List<Problem> problems,
    long problemCount,
    List<Unchecked> unchecked,
    List<Note> notes) {

  /** Copies the lists. */
  public Verification {
    Objects.requireNonNull(tables, "tables");
    Objects.requireNonNull(blobs, "blobs");
    Objects.requireNonNull(logs, "logs");
    Objects.requireNonNull(manifests, "manifests");
    Objects.requireNonNull(problems, "problems");
    Objects.requireNonNull(unchecked, "unchecked");
    Objects.requireNonNull(notes, "notes");
    problems = List.copyOf(problems);
    unchecked = List.copyOf(unchecked);
    notes = List.copyOf(notes);
  }

  /**
   * What was looked at of one kind of file.
   *
   * @param files how many were read
   * @param bytes their length
   * @param entries what they hold
   */
  public record Checked(long files, long bytes, long entries) {}

  /**
   * Something that is not what was written.
   *
   * @param file the file at fault
   * @param offset where in it, in bytes; -1 for the whole file
   * @param what what was expected and what was found
   */
  public record Problem(Path file, long offset, String what) {
    /** Checks that it says what is wrong, and where. */
    public Problem {
      Objects.requireNonNull(file, "file");
      Objects.requireNonNull(what, "what");
    }

    @Override
    public String toString() {
      return file + (offset < 0 ? "" : " at offset " + offset) + ": " + what;
    }
  }

  /**
   * A file that this process cannot check: a block of it needs a compressor that is not there, a
   * newer version wrote it, or nobody may read it.
   *
   * @param file the file
   * @param what what is lacking, and what to do about it
   */
  public record Unchecked(Path file, String what) {
    /** Checks that it says what is lacking, and for which file. */
    public Unchecked {
      Objects.requireNonNull(file, "file");
      Objects.requireNonNull(what, "what");
    }

    @Override
    public String toString() {
      return file + ": could not be checked: " + what;
    }
  }

  /**
   * Something about a file that is no problem.
   *
   * @param file the file
   * @param what what there is to say
   */
  public record Note(Path file, String what) {
    /** Checks that it says something of a file. */
    public Note {
      Objects.requireNonNull(file, "file");
      Objects.requireNonNull(what, "what");
    }

    @Override
    public String toString() {
      return file + ": " + what;
    }
  }

  /** Whether all was checked and nothing is wrong. */
  public boolean isSound() {
    return complete && problemCount == 0 && unchecked.isEmpty();
  }

  /** Bytes of all files that were checked. */
  public long bytes() {
    return tables.bytes + blobs.bytes + logs.bytes + manifests.bytes;
  }
}
