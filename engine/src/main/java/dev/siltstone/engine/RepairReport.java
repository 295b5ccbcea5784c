package dev.siltstone.engine;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Db#repair} has saved, and what was lost. Immutable.
 *
 * @param manifestRead whether the manifest was read to its end; if not, trees and tables were put
 *     together from what they say of themselves
 * @param trees the trees of the new store
 * @param tablesRead tables of the damaged store that were read, in whole or in part
 * @param tablesDamaged tables of which more than a data block is damaged, or nothing can be read
 * @param logRecords records that were taken from the log
 * @param blobs values stored apart that were copied
 * @param losses all damage that was met, in that order; at most 10,000
 * @param lossCount how much damage was met, what is not listed included
 * @param notes what is not lost, but may surprise, as text for people
 */
public record RepairReport(
    boolean manifestRead,
    List<RepairedTree> trees,
    long tablesRead,
    long tablesDamaged,
    long logRecords,
    long blobs,
    List<Loss> losses,
    long lossCount,
    List<String> notes) {

  /** Copies the lists. */
  public RepairReport {
    Objects.requireNonNull(trees, "trees");
    Objects.requireNonNull(losses, "losses");
    Objects.requireNonNull(notes, "notes");
    trees = List.copyOf(trees);
    losses = List.copyOf(losses);
    notes = List.copyOf(notes);
  }

  /**
   * A tree of the new store.
   *
   * @param name its name; {@code lost-tree-ID} and {@code lost-table-NUMBER} are made up
   * @param entries its records, older versions and deletes included
   * @param rangeDeletes its range deletes, in fragments
   * @param bytes length of its tables
   */
  public record RepairedTree(String name, long entries, long rangeDeletes, long bytes) {
    /** Checks that the tree has a name. */
    public RepairedTree {
      Objects.requireNonNull(name, "name");
    }
  }

  /**
   * Damage that was met.
   *
   * @param file the file at fault
   * @param offset where in it, in bytes; -1 for the whole file
   * @param tree name of the tree that the file belongs to; {@code null} if that is not known, or
   *     not one tree
   * @param from records may be lost from this key on; {@code null} for no bound. Belongs to the
   *     caller
   * @param to and up to this key, which may be of the next record that was saved; {@code null} for
   *     no bound. Belongs to the caller
   * @param isHarmless whether this damage alone has cost no record: an index, a filter, a footer
   * @param what what was expected and what was found
   */
  public record Loss(
      Path file,
      long offset,
      @Nullable String tree,
      byte @Nullable [] from,
      byte @Nullable [] to,
      boolean isHarmless,
      String what) {
    /** Checks that it says what is lost, and where. */
    public Loss {
      Objects.requireNonNull(file, "file");
      Objects.requireNonNull(what, "what");
    }

    @Override
    public String toString() {
      return file + (offset < 0 ? "" : " at offset " + offset) + ": " + what;
    }
  }

  /** Whether everything was saved. */
  public boolean isComplete() {
    return lossCount == losses.size() && losses.stream().allMatch(Loss::isHarmless);
  }
}
