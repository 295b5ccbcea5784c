package dev.siltstone.engine.wal;

/**
 * Where a log ends: what the next segment says of its predecessor.
 *
 * @param number the last segment; 0 if there is none
 * @param length offset after its last record that counts
 * @param checksum its running checksum up to there
 */
public record LogTail(long number, long length, long checksum) {
  /** The end of a log that has no segment. */
  public static final LogTail NONE = new LogTail(0, 0, 0);
}
