package dev.siltstone.engine.key;

/**
 * The eight bytes that go with every key: {@code time << 8 | kind}.
 *
 * <p>A trailer is compared as an <em>unsigned</em> long: greater is newer, newer sorts first.
 */
public final class Trailer {
  /** Sorts before every trailer of the same key: the seek target for "newest of all". */
  public static final long NEWEST = -1L;

  private Trailer() {}

  /** Packs a hybrid time (0..2^56-1) and a kind (0..255). */
  public static long of(long time, int kind) {
    return time << 8 | kind;
  }

  /** The seek target for the newest record of a key that a reader at {@code time} may see. */
  public static long seekAt(long time) {
    return time << 8 | 0xFF;
  }

  /** The hybrid time. */
  public static long time(long trailer) {
    return trailer >>> 8;
  }

  /** The kind byte. */
  public static int kind(long trailer) {
    return (int) trailer & 0xFF;
  }
}
