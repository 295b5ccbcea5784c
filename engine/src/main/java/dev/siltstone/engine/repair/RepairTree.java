package dev.siltstone.engine.repair;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.memtable.MemTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One tree that is put together anew: who it is, and where its records come from. */
final class RepairTree {
  final int id;
  String name;
  byte[] options;

  /** Records of the log up to this time are in sound tables. */
  long flushedTime;

  /** No reader may look at an earlier time. */
  long historyFloor;

  /** Tables of the damaged store. */
  final List<Source> tables = new ArrayList<>();

  /** Range deletes of all tables. */
  final List<RangeTombstones> tombstones = new ArrayList<>();

  /** Numbers of tables in the target that hold sorted records of the log. */
  final List<Long> runs = new ArrayList<>();

  @Nullable MemTable memtable;
  boolean damaged;
  long maxTime;

  /**
   * A table to read.
   *
   * @param lower its smallest key; {@code null} if that is not known
   * @param upper exclusive bound of its keys; {@code null} if that is not known
   */
  record Source(long number, byte @Nullable [] lower, byte @Nullable [] upper) {
    /** Whether all keys of this one are less than those of another. */
    boolean isBefore(Source other) {
      return upper != null && other.lower != null && Bytes.compare(upper, other.lower) <= 0;
    }
  }

  RepairTree(int id, String name, byte[] options) {
    this.id = id;
    this.name = name;
    this.options = options;
  }

  /**
   * The tables in as few runs as may be, the tables of each disjoint and in key order, so that no
   * more of them are open at once than overlap somewhere.
   */
  List<List<Source>> disjointRuns() {
    List<Source> sorted = new ArrayList<>(tables);
    sorted.sort(
        (a, b) ->
            Bytes.compare(
                a.lower == null ? Bytes.EMPTY : a.lower, b.lower == null ? Bytes.EMPTY : b.lower));
    List<List<Source>> disjoint = new ArrayList<>();
    for (Source table : sorted) {
      List<Source> fitting = null;
      for (List<Source> run : disjoint) {
        if (run.getLast().isBefore(table)) {
          fitting = run;
          break;
        }
      }
      if (fitting == null) {
        fitting = new ArrayList<>();
        disjoint.add(fitting);
      }
      fitting.add(table);
    }
    return disjoint;
  }
}
