package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.version.FileMeta;
import java.util.ArrayList;
import java.util.List;

/**
 * One piece of work for a compaction: which files become what, and why.
 *
 * @param action how
 * @param reason why
 * @param level the level of {@code inputs}
 * @param outputLevel where the outputs go; {@code level} if the files are rewritten in place
 * @param inputs files of {@code level}, in the level's order
 * @param targets files of {@code outputLevel} that are merged with them, in key order
 * @param grandparents files of the level below the output level that overlap all of those
 */
public record Compaction(
    Action action,
    Reason reason,
    int level,
    int outputLevel,
    List<FileMeta> inputs,
    List<FileMeta> targets,
    List<FileMeta> grandparents) {

  /** How a compaction is done. */
  public enum Action {
    /** All inputs and targets are read and written anew. */
    MERGE,
    /** The inputs change their level and nothing is read or written; there are no targets. */
    MOVE,
    /** The inputs are removed unread: no reader can see anything of them. */
    DROP
  }

  /** Why a compaction is done, most urgent first. */
  public enum Reason {
    /** Every record of the file is dead. */
    DEAD,
    /** Level 0 has many files, each of which every reader must look at. */
    LEVEL0,
    /** A level is greater than its target. */
    SIZE,
    /** A large share of a file has expired. */
    EXPIRED,
    /** A large share of a file is deletes and obsolete versions. */
    DELETES,
    /** Somebody asked for it. */
    MANUAL,
    /** The file comes from outside: see {@link Placement}. */
    INGEST
  }

  /** Copies the lists. */
  public Compaction {
    inputs = List.copyOf(inputs);
    targets = List.copyOf(targets);
    grandparents = List.copyOf(grandparents);
  }

  /** Inputs and targets. */
  public List<FileMeta> files() {
    List<FileMeta> files = new ArrayList<>(inputs);
    files.addAll(targets);
    return files;
  }

  /** Smallest lower bound of inputs and targets, inclusive; not to be changed. */
  public byte[] lower() {
    return lower(files());
  }

  /** Greatest upper bound of inputs and targets, exclusive; not to be changed. */
  public byte[] upper() {
    return upper(files());
  }

  /** Length of inputs and targets in bytes. */
  public long bytes() {
    return bytes(inputs) + bytes(targets);
  }

  /** Whether this and another compaction may not run at the same time. */
  public boolean conflictsWith(Compaction other) {
    List<FileMeta> files = files();
    for (FileMeta file : other.files()) {
      if (files.contains(file)) {
        return true;
      }
    }
    return outputLevel == other.outputLevel
        && action != Action.DROP
        && other.action != Action.DROP
        && Bytes.compare(lower(files), other.upper()) < 0
        && Bytes.compare(other.lower(), upper(files)) < 0;
  }

  /** Smallest lower bound of some files, at least one. */
  static byte[] lower(List<FileMeta> files) {
    byte[] lower = files.getFirst().lower();
    for (FileMeta file : files) {
      lower = Bytes.compare(file.lower(), lower) < 0 ? file.lower() : lower;
    }
    return lower;
  }

  /** Greatest upper bound of some files, at least one. */
  static byte[] upper(List<FileMeta> files) {
    byte[] upper = files.getFirst().upper();
    for (FileMeta file : files) {
      upper = Bytes.compare(file.upper(), upper) > 0 ? file.upper() : upper;
    }
    return upper;
  }

  /** Length of some files in bytes. */
  static long bytes(List<FileMeta> files) {
    long bytes = 0;
    for (FileMeta file : files) {
      bytes += file.bytes();
    }
    return bytes;
  }
}
