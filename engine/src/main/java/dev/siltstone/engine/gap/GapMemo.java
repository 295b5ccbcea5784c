package dev.siltstone.engine.gap;

import org.jspecify.annotations.Nullable;

/**
 * The gaps of one tree. The package's description gives the rules and the proof.
 *
 * <p>Safe for concurrent use.
 */
public interface GapMemo {
  /** Dead records that a move of a cursor passes before a walk is worth its registration. */
  int DEAD_MIN = 32;

  /**
   * An empty memo, bounded in the number of its gaps.
   *
   * @param deadMin usually {@link #DEAD_MIN}
   */
  static GapMemo create(int deadMin) {
    return new SortedGapMemo(deadMin);
  }

  /** Dead records that a move passes before a walk begins. */
  int deadMin();

  /**
   * Whether there is anything that a birth could concern. A writer asks after its records are in
   * the memtable and after a full fence.
   */
  boolean isIdle();

  /** Whether there is no gap to find. */
  boolean isEmpty();

  /** Takes a key that a put makes live out of all gaps and walks (W3). */
  void born(byte[] key, int offset, int length);

  /**
   * Takes all keys of [lower, upper) out of all gaps and walks, since puts may have made any of
   * them live (W3).
   */
  void born(byte[] lower, byte[] upper);

  /**
   * The gap that covers a key and that a reader may jump, or {@code null}.
   *
   * @param atTime the reader's time
   * @param expiryTime when the reader judges expiry
   */
  @Nullable Gap find(byte[] key, int offset, int length, long atTime, long expiryTime);

  /** Registers a walk towards greater keys, and fences (L2, L3). */
  Walk walkForward(byte[] start);

  /**
   * Registers a walk towards smaller keys, and fences (L2, L3).
   *
   * @param end exclusive; {@code null} for the end of all keys
   */
  Walk walkBackward(byte @Nullable [] end);

  /** Gives a walk up. */
  void cancel(Walk walk);

  /**
   * Ends a walk that has found nothing live in [lower, upper), and remembers what births have left
   * of it (L6).
   *
   * @param upper {@code null} for the end of all keys
   * @param time the walker's time
   * @param expiryTime when it judged expiry, or the smallest time if it passed nothing expired
   * @param weight records walked
   */
  void finish(
      Walk walk, byte[] lower, byte @Nullable [] upper, long time, long expiryTime, long weight);

  /** Gaps known now. */
  int size();

  /** Gaps learned so far. */
  long learned();

  /** Times a reader jumped a gap. */
  long jumps();

  /** Times a put was cut out of a gap. */
  long clips();

  /** Gaps given up for want of room. */
  long evictions();
}
