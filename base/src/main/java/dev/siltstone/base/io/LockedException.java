package dev.siltstone.base.io;

import java.io.IOException;

/** Another process, or another caller in this process, holds the lock; the message says who. */
public final class LockedException extends IOException {
  private static final long serialVersionUID = 1L;

  /** An exception with a message that names the file. */
  public LockedException(String message) {
    super(message);
  }
}
