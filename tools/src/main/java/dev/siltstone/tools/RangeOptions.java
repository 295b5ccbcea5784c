package dev.siltstone.tools;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.KeyRange;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which keys a command works on: all that fit every option given. */
final class RangeOptions {
  @Option(names = "--from", paramLabel = "KEY", description = "First key, inclusive.")
  private @Nullable KeyText from;

  @Option(names = "--to", paramLabel = "KEY", description = "Last key, exclusive.")
  private @Nullable KeyText to;

  @Option(names = "--prefix", paramLabel = "KEY", description = "Only keys that begin so.")
  private @Nullable KeyText prefix;

  /** Whether any option was given. */
  boolean isGiven() {
    return from != null || to != null || prefix != null;
  }

  private static String shown(KeyText key) {
    return KeyText.Format.AUTO.of(key.bytes());
  }

  /** The range; a range that can hold no key is refused. */
  KeyRange range() {
    if (from != null && to != null && Bytes.compare(from.bytes(), to.bytes()) >= 0) {
      throw CommandException.usage(
          "no key is in the range: --from %s is not below --to %s, which is exclusive"
              .formatted(shown(from), shown(to)));
    }
    byte[] lower = from == null ? null : from.bytes();
    byte[] upper = to == null ? null : to.bytes();
    if (prefix != null) {
      KeyRange below = KeyRange.prefix(prefix.bytes());
      lower = later(lower, below.lower());
      upper = earlier(upper, below.upper());
    }
    if (prefix != null && lower != null && upper != null && Bytes.compare(lower, upper) >= 0) {
      throw CommandException.usage(
          "no key begins with --prefix %s and is within --from and --to".formatted(shown(prefix)));
    }
    return new KeyRange(lower, upper);
  }

  private static byte @Nullable [] later(byte @Nullable [] a, byte @Nullable [] b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return Bytes.compare(a, b) >= 0 ? a : b;
  }

  private static byte @Nullable [] earlier(byte @Nullable [] a, byte @Nullable [] b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return Bytes.compare(a, b) <= 0 ? a : b;
  }
}
