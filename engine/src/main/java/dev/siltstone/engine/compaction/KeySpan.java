package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a job takes of its sources: [lower, upper). The arrays are not to be changed.
 *
 * @param lower {@code null} for no bound
 * @param upper {@code null} for no bound
 */
public record KeySpan(byte @Nullable [] lower, byte @Nullable [] upper) {
  /** All keys. */
  public static final KeySpan ALL = new KeySpan(null, null);

  /** Moves to the first record at or after the lower bound. */
  void enter(InternalIterator records) throws IOException {
    byte[] from = lower;
    if (from == null) {
      records.first();
    } else {
      records.seek(from, 0, from.length, Trailer.NEWEST);
    }
  }

  /** Whether a key that is not before the lower bound is within the upper one. */
  boolean reaches(byte[] key, int offset, int length) {
    byte[] to = upper;
    return to == null || Bytes.compare(to, 0, to.length, key, offset, length) > 0;
  }
}
