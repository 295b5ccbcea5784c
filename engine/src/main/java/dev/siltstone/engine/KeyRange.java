package dev.siltstone.engine;

import dev.siltstone.base.bytes.Bytes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A half-open range of keys in unsigned bytewise order.
 *
 * <p>The arrays are not copied; they must not be changed while the range is in use.
 *
 * @param lower smallest key, inclusive; {@code null} for no bound
 * @param upper first key after the range, exclusive; {@code null} for no bound
 */
public record KeyRange(byte @Nullable [] lower, byte @Nullable [] upper) {
  /** All keys. */
  public static final KeyRange ALL = new KeyRange(null, null);

  /**
   * The keys from {@code lower}, inclusive, to {@code upper}, exclusive. A range without one of the
   * bounds is made by the constructor.
   */
  public static KeyRange of(byte[] lower, byte[] upper) {
    Objects.requireNonNull(lower, "lower");
    Objects.requireNonNull(upper, "upper");
    return new KeyRange(lower, upper);
  }

  /** The keys that begin with {@code prefix}; all keys if it is empty. */
  public static KeyRange prefix(byte[] prefix) {
    Objects.requireNonNull(prefix, "prefix");
    return new KeyRange(prefix, Bytes.prefixEnd(prefix));
  }

  /** Whether the range holds the key. */
  public boolean contains(byte[] key) {
    Objects.requireNonNull(key, "key");
    return (lower == null || Bytes.compare(lower, key) <= 0)
        && (upper == null || Bytes.compare(key, upper) < 0);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof KeyRange that
        && java.util.Arrays.equals(lower, that.lower)
        && java.util.Arrays.equals(upper, that.upper);
  }

  @Override
  public int hashCode() {
    return 31 * java.util.Arrays.hashCode(lower) + java.util.Arrays.hashCode(upper);
  }

  @Override
  public String toString() {
    return "["
        + (lower == null ? "" : Bytes.hex(lower))
        + ", "
        + (upper == null ? "" : Bytes.hex(upper))
        + ")";
  }
}
