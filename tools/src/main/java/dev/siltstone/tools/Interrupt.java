package dev.siltstone.tools;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * How a person stops a command (Ctrl-C): the command looks from time to time whether it should,
 * ends in order, and says where it stands. A command that does not look is ended where it is, which
 * a store survives. Any thread.
 */
final class Interrupt {
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean requested;
  private volatile boolean looking;

  /** Whether the command should end; what asks promises to ask again soon. */
  boolean isRequested() {
    looking = true;
    return requested;
  }

  /** Asks the command to end. */
  void request() {
    requested = true;
  }

  /** Says that the command has ended and has said so. */
  void end() {
    ended.countDown();
  }

  /**
   * Waits until a command that looks has ended.
   *
   * @return false if it has not, or does not look
   */
  boolean awaitEnd(long timeout, TimeUnit unit) {
    try {
      return looking && ended.await(timeout, unit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
