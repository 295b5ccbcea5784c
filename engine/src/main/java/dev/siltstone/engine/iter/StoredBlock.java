package dev.siltstone.engine.iter;

/**
 * A data block of a table file, as it is stored: its records can go into another file together,
 * instead of one by one. Borrowed until the iterator that offers it moves. One thread at a time.
 */
public interface StoredBlock {
  /** How many records it has, at least one. */
  int count();

  /**
   * Whether every record is a put that neither expires nor refers to a blob nor hides a subtree,
   * and whether none has the key of the record before it, in the block or in the file.
   */
  boolean isPlain();

  /** Bytes of the keys and values of a block that {@link #isPlain}. */
  long rawBytes();

  /** The array that begins with the last key. */
  byte[] lastKeyArray();

  /** Length of the last key. */
  int lastKeyLength();

  /** Time and kind of the last record. */
  long lastTrailer();
}
