package dev.siltstone.engine;

import java.util.List;
import java.util.Objects;

/**
 * What a tree consists of at one moment.
 *
 * @param name the tree's name
 * @param memtableBytes memory of its memtables
 * @param memtableEntries records in its memtables
 * @param sealedMemtables memtables that wait for their flush
 * @param levels its levels, from 0 on
 */
public record TreeStats(
    String name,
    long memtableBytes,
    long memtableEntries,
    int sealedMemtables,
    List<LevelStats> levels) {

  /** Copies the list. */
  public TreeStats {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(levels, "levels");
    levels = List.copyOf(levels);
  }

  /** Bytes of all table files. */
  public long tableBytes() {
    return levels.stream().mapToLong(LevelStats::bytes).sum();
  }

  /** Records in all table files, dead ones included. */
  public long tableEntries() {
    return levels.stream().mapToLong(LevelStats::entries).sum();
  }

  /**
   * One level.
   *
   * @param level its number
   * @param files table files
   * @param bytes bytes of the files
   * @param rawBytes bytes of keys and values before prefix sharing and compression
   * @param entries records, dead ones included
   * @param deletes tombstones among them
   * @param rangeDeletes range tombstones beside them
   * @param obsolete records shadowed by a newer record of the same file
   * @param expiring records with an expiry
   */
  public record LevelStats(
      int level,
      int files,
      long bytes,
      long rawBytes,
      long entries,
      long deletes,
      long rangeDeletes,
      long obsolete,
      long expiring) {}
}
