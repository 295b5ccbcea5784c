package dev.siltstone.engine.compaction;

import dev.siltstone.engine.iter.StoredBlock;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;

/** Takes the content of one output file. One thread at a time. */
public interface TableSink {

  /** Takes the next record, in internal order. The arrays are borrowed for the call. */
  void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      long trailer,
      byte[] value,
      int valueOffset,
      int valueLength)
      throws IOException;

  /**
   * Takes the next records, in internal order, as one block; whether it did. If not, they are to be
   * added one by one.
   *
   * @param block a plain one
   */
  default boolean add(StoredBlock block) throws IOException {
    return false;
  }

  /**
   * Takes the next fragment of range deletes, in key order and after all records. The arrays are
   * not changed afterwards.
   *
   * @param times strictly descending, at least one
   */
  void addRangeTombstone(byte[] lower, byte[] upper, long[] times) throws IOException;

  /** About how long the file would be if it were finished now, in bytes. */
  long estimatedBytes();

  /** Ends the file and makes it durable. Something was added. */
  FileMeta finish() throws IOException;

  /** Gives up the file, finished or not, and removes it as far as that is possible. */
  void abandon();

  /** Begins output files. */
  @FunctionalInterface
  interface Factory {
    /** A new output file. */
    TableSink create() throws IOException;
  }
}
