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

  /** Puts have made keys of [from, to) live, or may have: what lies beyond them is given up. */
  void cut(byte[] from, byte[] to) {
    if (Bytes.compare(lower, to) >= 0 || (upper != null && Bytes.compare(from, upper) >= 0)) {
      return;
    }
    if (forward) {
      upper = Bytes.compare(from, lower) < 0 ? lower : from;
    } else {
      lower = upper != null && Bytes.compare(to, upper) > 0 ? upper : to;
    }
  }
}
