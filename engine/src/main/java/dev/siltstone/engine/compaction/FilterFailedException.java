package dev.siltstone.engine.compaction;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A compaction filter of the application has thrown something, or has said what makes no sense. */
public final class FilterFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  /** A failure; the message says of which filter and where. */
  public FilterFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
