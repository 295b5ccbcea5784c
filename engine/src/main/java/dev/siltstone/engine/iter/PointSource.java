package dev.siltstone.engine.iter;

import java.io.IOException;

/** A source that answers point lookups without an iterator. Safe for concurrent use. */
public interface PointSource {

  /**
   * Finds the newest record of a key that a reader may see.
   *
   * @param hash {@link dev.siltstone.base.bytes.Hash64#of} of the key
   * @param atTime only records with a time at most this
   * @param flags only records whose kind has all these flags; 0 for any kind
   * @param result set on a hit, untouched otherwise
   * @return whether a record was found; a tombstone counts
   */
  boolean find(
      byte[] key, int offset, int length, long hash, long atTime, int flags, PointResult result)
      throws IOException;

  /** The range deletes of this source. */
  RangeTombstones rangeTombstones() throws IOException;
}
