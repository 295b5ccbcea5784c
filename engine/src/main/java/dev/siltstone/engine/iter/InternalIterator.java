package dev.siltstone.engine.iter;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the records of one source in internal order: key ascending, time descending.
 *
 * <p><b>Position.</b> A new iterator is invalid until {@link #first}, {@link #last}, {@link #seek}
 * or {@link #seekBefore} has placed it. It becomes invalid again when it is moved past either end;
 * then only those four may be called. All versions of a key, tombstones included, are returned;
 * range deletes are not (they live beside the source).
 *
 * <p><b>Slices.</b> The key is the range ({@link #keyArray}, {@link #keyOffset}, {@link
 * #keyLength}) and the value likewise. A slice is borrowed: key bytes may be overwritten by the
 * next move of this iterator. Value bytes never change, since they lie in immutable blocks or
 * chunks; a caller that keeps the value array and offset may go on reading after the iterator has
 * moved. Neither array may be written to.
 *
 * <p><b>Cost.</b> No method allocates per entry. A move within a block is tens of nanoseconds; a
 * move to another block may read a file.
 *
 * <p><b>Errors.</b> An {@link IOException} (a damaged block included) leaves the iterator invalid;
 * it is never turned into an early end.
 *
 * <p><b>Threads.</b> One thread at a time.
 */
public interface InternalIterator extends AutoCloseable {

  /** Whether the iterator stands on a record. */
  boolean valid();

  /** Moves to the first record. */
  void first() throws IOException;

  /** Moves to the last record. */
  void last() throws IOException;

  /**
   * Moves to the first record at or after (key, trailer) in internal order, that is: key greater
   * than {@code key}, or key equal and trailer at most {@code trailer} (unsigned).
   */
  void seek(byte[] key, int offset, int length, long trailer) throws IOException;

  /** Moves to the last record that lies before (key, trailer) in internal order. */
  void seekBefore(byte[] key, int offset, int length, long trailer) throws IOException;

  /** Moves to the next record. Requires {@link #valid}. */
  void next() throws IOException;

  /** Moves to the previous record. Requires {@link #valid}. */
  void prev() throws IOException;

  /**
   * The block on whose first record the iterator stands, if there is one and no other record that
   * this iterator reads lies among those of the block; else {@code null}. Never while the iterator
   * goes backward.
   */
  default @Nullable StoredBlock block() {
    return null;
  }

  /** Moves to the record behind the block that {@link #block} has returned. */
  default void skipBlock() throws IOException {
    throw new IllegalStateException("no block was offered");
  }

  /** The array that holds the key. */
  byte[] keyArray();

  /** Where the key starts. */
  int keyOffset();

  /** The length of the key in bytes. */
  int keyLength();

  /** Time and kind of the record. */
  long trailer();

  /** The array that holds the value. */
  byte[] valueArray();

  /** Where the value starts. */
  int valueOffset();

  /** The length of the value in bytes. */
  int valueLength();

  /** Gives up what the iterator holds. Idempotent. */
  @Override
  void close();
}
