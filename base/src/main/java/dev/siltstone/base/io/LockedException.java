package dev.siltstone.base.io;

import java.io.IOException;

/** Another process, or another caller in this process, holds the lock; the message says who. */
public final class LockedException extends IOException {
  private static final long serialVersionUID = 1L;
  private final boolean inThisProcess;

  /**
   * An exception with a message that names the file.
   *
   * @param inThisProcess whether it is this process that holds the lock
   */
  public LockedException(String message, boolean inThisProcess) {
    super(message);
    this.inThisProcess = inThisProcess;
  }

  /** Whether it is this process that holds the lock. */
  public boolean isInThisProcess() {
    return inThisProcess;
  }
}
