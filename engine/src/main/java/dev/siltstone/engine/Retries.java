package dev.siltstone.engine;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * When jobs may be tried again after a failure: pauses that double from one failure to the next,
 * until a job succeeds that began after the last pause.
 *
 * <p>Guarded by the lock of {@link BackgroundWork}.
 */
final class Retries {
  private static final long NANOS_MIN = 100_000_000L;
  private static final long NANOS_MAX = 5_000_000_000L;

  private long nanos;
  private @Nullable IOException trouble;

  /** The failure that is waited out now, or {@code null}. */
  @Nullable IOException trouble() {
    return trouble;
  }

  void succeeded() {
    if (trouble == null) {
      nanos = 0;
    }
    // Else it began before the trouble, and proves nothing.
  }

  /** Begins a pause, at whose end {@link #over} is to be called; 0 if one is under way. */
  long failed(IOException failure) {
    if (trouble != null) {
      return 0;
    }
    trouble = failure;
    nanos = Math.min(NANOS_MAX, Math.max(NANOS_MIN, 2 * nanos));
    return nanos;
  }

  /** The pause is over. */
  void over() {
    trouble = null;
  }
}
