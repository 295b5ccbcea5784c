package dev.siltstone.engine.read;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.gap.Gap;
import dev.siltstone.engine.gap.GapMemo;
import dev.siltstone.engine.gap.Walk;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One reader's dealings with the memo of gaps: finds gaps to jump, and learns new ones by the rules
 * of the package {@code engine.gap}.
 *
 * <p>A walk begins when more than {@link GapMemo#deadMin} dead records were passed in one move, or
 * with the first one after a jump, so that a gap grows at its ends by the reads that meet them. One
 * thread.
 */
final class GapReader {

  /** Records after which a walk publishes what it has, and goes on as a new one. */
  private static final int PUBLISH_RECORDS = 4_096;

  private final GapMemo memo;
  private final long atTime;
  private final long expiryTime;
  private boolean mayLearn;
  private final BooleanSupplier viewTakesWrites;

  private @Nullable Walk walk;
  private byte @Nullable [] begun;
  private long weight;
  private boolean passedExpired;
  private int dead;

  /** Where the last jump of this move led, or {@code null}. */
  private byte @Nullable [] jumpedTo;

  /**
   * A reader of a memo.
   *
   * @param atTime the reader's time
   * @param expiryTime when it judges expiry
   * @param mayLearn whether its time is at least that of everything in the files of its view (L1)
   * @param viewTakesWrites whether the active memtable of its view is still the one that takes
   *     writes, and the reader sees what is in it (L4)
   */
  GapReader(
      GapMemo memo,
      long atTime,
      long expiryTime,
      boolean mayLearn,
      BooleanSupplier viewTakesWrites) {
    this.memo = memo;
    this.atTime = atTime;
    this.expiryTime = expiryTime;
    this.mayLearn = mayLearn;
    this.viewTakesWrites = viewTakesWrites;
  }

  /** Begins a move of the cursor. */
  void beginMove() {
    dead = 0;
    jumpedTo = null;
  }

  boolean isWalking() {
    return walk != null;
  }

  /**
   * The gap over a dead key, or {@code null}; the caller jumps it.
   *
   * @param forward to its end, or else to its beginning
   */
  @Nullable Gap find(byte[] key, int offset, int length, boolean forward) {
    if (memo.isEmpty()) {
      return null;
    }
    Gap gap = memo.find(key, offset, length, atTime, expiryTime);
    if (gap != null) {
      jumpedTo = forward ? gap.upper() : gap.lower();
      passedExpired |= gap.expiryTime() != HybridTime.MIN;
    }
    return gap;
  }

  /** Notes that a dead record was passed. */
  void passedDead(boolean expired) {
    passedExpired |= expired;
    if (walk == null) {
      dead++;
    } else {
      weight++;
    }
  }

  /** Whether a walk is due at the dead key the cursor stands on. */
  boolean isWalkDue() {
    return walk == null && mayLearn && (dead > memo.deadMin() || jumpedTo != null);
  }

  /**
   * Where a walk begins that is due: at the end of the gap just jumped, so that the two meet, or at
   * the dead key.
   */
  byte[] walkStart(byte[] deadKey) {
    byte[] end = jumpedTo;
    return end == null || walk != null ? deadKey : end;
  }

  /** Whether a walk has gone on for long enough to be published and begun anew. */
  boolean isPublishDue() {
    return walk != null && weight >= PUBLISH_RECORDS;
  }

  /**
   * Registers a walk; afterwards the cursor seeks to its beginning anew (L2 to L5).
   *
   * @param start inclusive when forward, exclusive when backward
   * @return false if the view has aged, so that nothing can be learned from it
   */
  boolean beginWalk(boolean forward, byte[] start) {
    dead = 0;
    jumpedTo = null;
    weight = 0;
    passedExpired = false;
    Walk registered = forward ? memo.walkForward(start) : memo.walkBackward(start);
    if (!viewTakesWrites.getAsBoolean()) {
      memo.cancel(registered);
      mayLearn = false;
      return false;
    }
    walk = registered;
    begun = start;
    return true;
  }

  /**
   * Ends a forward walk before a key that may be live, or at the bound of what is read; {@code
   * null} for the end of all keys.
   */
  void endForward(byte @Nullable [] stop) {
    Walk ending = walk;
    if (ending != null && begun != null) {
      walk = null;
      memo.finish(ending, begun, stop, atTime, judgedAt(), weight);
    }
  }

  /** Ends a backward walk after a key that may be live. */
  void endBackward(byte[] stop) {
    if (walk != null) {
      endAtBound(Bytes.successor(stop));
    }
  }

  /** Ends a backward walk at the inclusive lower bound of what is read. */
  void endAtBound(byte[] lower) {
    Walk ending = walk;
    if (ending != null) {
      walk = null;
      memo.finish(ending, lower, begun, atTime, judgedAt(), weight);
    }
  }

  /** Gives a walk up, as after a failure. */
  void abandon() {
    Walk ending = walk;
    if (ending != null) {
      walk = null;
      memo.cancel(ending);
    }
  }

  private long judgedAt() {
    return passedExpired ? expiryTime : HybridTime.MIN;
  }
}
