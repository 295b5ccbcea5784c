package dev.siltstone.engine.version;

/**
 * The format of a store as a whole: which kinds of files it has and what they mean together.
 * Written into every manifest. Each kind of file has a version of its own besides.
 *
 * <p>A change that an older Siltstone must not open takes the next number; one that it may ignore
 * is an ignorable tag or record type instead.
 */
public final class StoreFormat {
  /** What this code writes. */
  public static final int VERSION = 1;

  /** The oldest version that this code reads. */
  public static final int OLDEST_READABLE = 1;

  private StoreFormat() {}
}
