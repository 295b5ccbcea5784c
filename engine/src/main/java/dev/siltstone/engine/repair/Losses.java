package dev.siltstone.engine.repair;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.engine.table.TableSalvage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what a repair could not save. One thread at a time. */
public final class Losses {
  /** So many are told in full; more are only counted. */
  public static final int LOSSES_MAX = 10_000;

  private final List<Loss> losses = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private long count;

  /**
   * Something that is damaged or missing.
   *
   * @param tree name of the tree, {@code null} if it is of no one tree
   * @param after records may be lost from this key on; {@code null} for no bound
   * @param before and up to this one; {@code null} for no bound
   * @param isHarmless whether no record is lost by this damage alone
   */
  public record Loss(
      CorruptFileException fault,
      @Nullable String tree,
      byte @Nullable [] after,
      byte @Nullable [] before,
      boolean isHarmless) {}

  Losses() {}

  void add(CorruptFileException fault) {
    add(fault, null, null, null);
  }

  void add(
      CorruptFileException fault,
      @Nullable String tree,
      byte @Nullable [] after,
      byte @Nullable [] before) {
    add(new Loss(fault, tree, after, before, false));
  }

  /** Adds damage that costs no record by itself. */
  void addHarmless(CorruptFileException fault, @Nullable String tree) {
    add(new Loss(fault, tree, null, null, true));
  }

  private void add(Loss loss) {
    count++;
    if (losses.size() < LOSSES_MAX) {
      losses.add(loss);
    }
  }

  /** Takes the losses of a table. */
  TableSalvage.Losses of(String tree) {
    return new TableSalvage.Losses() {
      @Override
      public void damaged(CorruptFileException fault) {
        addHarmless(fault, tree);
      }

      @Override
      public void lost(
          CorruptFileException fault, byte @Nullable [] after, byte @Nullable [] before) {
        add(fault, tree, after, before);
      }
    };
  }

  void note(String note) {
    if (notes.size() < LOSSES_MAX) {
      notes.add(note);
    }
  }

  /**
   * What keeps a file from being read, as damage of that file.
   *
   * @throws UnsupportedFileException for that: it can be read, but not by this process
   */
  static CorruptFileException damage(Path file, IOException failure)
      throws UnsupportedFileException {
    if (failure instanceof UnsupportedFileException unsupported) {
      throw unsupported;
    }
    if (failure instanceof CorruptFileException corrupt) {
      return corrupt;
    }
    CorruptFileException damage = new CorruptFileException(file, -1, "cannot be read: " + failure);
    damage.initCause(failure);
    return damage;
  }

  /** What is lost, in the order in which it was found. */
  public List<Loss> all() {
    return losses;
  }

  /** How much was lost, what is not in the list included. */
  public long count() {
    return count;
  }

  /** What is not lost, but may surprise. */
  public List<String> notes() {
    return notes;
  }
}
