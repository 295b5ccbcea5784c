package dev.siltstone.engine.gap;

import dev.siltstone.base.bytes.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of keys without anything live. Immutable; the arrays are not to be changed.
 *
 * @param lower inclusive
 * @param upper exclusive; {@code null} if it reaches to the end of all keys
 * @param time readers at this time or later may use it
 * @param expiryTime readers that judge expiry at this time or later may use it
 * @param weight records that were walked to prove it
 */
public record Gap(byte[] lower, byte @Nullable [] upper, long time, long expiryTime, long weight) {

  boolean contains(byte[] key, int offset, int length) {
    return Bytes.compare(lower, 0, lower.length, key, offset, length) <= 0
        && (upper == null || Bytes.compare(key, offset, length, upper, 0, upper.length) < 0);
  }

  boolean isEmpty() {
    return upper != null && Bytes.compare(lower, upper) >= 0;
  }

  /** Whether this and a gap that begins at or after it meet or overlap. */
  boolean reaches(Gap next) {
    return upper == null || Bytes.compare(next.lower, upper) <= 0;
  }

  /** The union with a gap that this one {@link #reaches}. */
  Gap union(Gap next) {
    byte[] end = upper;
    if (end != null && (next.upper == null || Bytes.compare(next.upper, end) > 0)) {
      end = next.upper;
    }
    return new Gap(
        lower,
        end,
        Math.max(time, next.time),
        Math.max(expiryTime, next.expiryTime),
        weight + next.weight);
  }

  /** The part below a key. */
  Gap below(byte[] key) {
    return new Gap(lower, key, time, expiryTime, weight / 2);
  }

  /** The part from a key on. */
  Gap from(byte[] key) {
    return new Gap(key, upper, time, expiryTime, weight - weight / 2);
  }

  /** Whether the gap has a key that is not below this one. */
  boolean endsAfter(byte[] key) {
    return upper == null || Bytes.compare(key, upper) < 0;
  }
}
