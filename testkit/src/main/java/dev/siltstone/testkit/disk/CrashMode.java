package dev.siltstone.testkit.disk;

/** What a power loss leaves of changes that were not synced. */
public enum CrashMode {
  /** Nothing. */
  SYNCED_ONLY,

  /**
   * The first so many of them in the order they were made, the last of those possibly torn at any
   * byte.
   */
  PREFIX,

  /**
   * Any of them: of each write any 512-byte sectors, some torn at any byte; where bytes beyond the
   * durable length were lost, zeros or garbage; a length that may have grown without its bytes; and
   * each change of a directory or not, a rename within a directory wholly or not at all.
   */
  SUBSET
}
