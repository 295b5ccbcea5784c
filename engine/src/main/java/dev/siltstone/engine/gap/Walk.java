package dev.siltstone.engine.gap;

import dev.siltstone.base.bytes.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A walk under way: a stretch that a learner is about to prove empty, and how far births have cut
 * it meanwhile. Guarded by the memo's lock, but for what never changes.
 */
public final class Walk {
  private final boolean forward;
  private byte[] lower;
  private byte @Nullable [] upper;

  private Walk(boolean forward, byte[] lower, byte @Nullable [] upper) {
    this.forward = forward;
    this.lower = lower;
    this.upper = upper;
  }

  static Walk forward(byte[] start) {
    return new Walk(true, start, null);
  }

  static Walk backward(byte @Nullable [] end) {
    return new Walk(false, Bytes.EMPTY, end);
  }

  byte[] lower() {
    return lower;
  }

  byte @Nullable [] upper() {
    return upper;
  }

  /** A put has made a key of the stretch live, or may have: what lies beyond it is given up. */
  void cut(byte[] key, int offset, int length) {
    if (Bytes.compare(lower, 0, lower.length, key, offset, length) > 0
        || (upper != null && Bytes.compare(key, offset, length, upper, 0, upper.length) >= 0)) {
      return;
    }
    byte[] at = Bytes.copy(key, offset, length);
    if (forward) {
      upper = at;
    } else {
      lower = Bytes.successor(at);
    }
  }
}
