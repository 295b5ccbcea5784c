package dev.siltstone.bench.run;

import org.jspecify.annotations.Nullable;

/** An engine does not run on this machine; the message says why. */
public final class EngineAbsentException extends Exception {
  private static final long serialVersionUID = 1L;

  EngineAbsentException(String reason, @Nullable Throwable cause) {
    super(reason, cause);
  }

  /** Why it does not run. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
