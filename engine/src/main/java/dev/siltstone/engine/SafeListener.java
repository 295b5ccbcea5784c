package dev.siltstone.engine;

import dev.siltstone.engine.spi.EventListener;
import org.jspecify.annotations.Nullable;

/** Passes events on, and keeps what the listener throws from the store. */
@SuppressWarnings("CatchingUnchecked") // A listener may throw anything; the store goes on.
final class SafeListener implements EventListener {
  private final EventListener listener;
  private final OwnThreads own;

  SafeListener(EventListener listener, OwnThreads own) {
    this.listener = listener;
    this.own = own;
  }

  @Override
  public void flushed(String tree, long bytes, long nanos) {
    tell(() -> listener.flushed(tree, bytes, nanos));
  }

  @Override
  public void compacted(String tree, int fromLevel, int toLevel, long bytesIn, long bytesOut) {
    tell(() -> listener.compacted(tree, fromLevel, toLevel, bytesIn, bytesOut));
  }

  @Override
  public void stalled(String cause, long nanos) {
    tell(() -> listener.stalled(cause, nanos));
  }

  @Override
  public void failed(Throwable cause) {
    tell(() -> listener.failed(cause));
  }

  @Override
  public void retrying(String job, @Nullable Throwable cause) {
    tell(() -> listener.retrying(job, cause));
  }

  @Override
  public void suspended(String tree, Throwable cause) {
    tell(() -> listener.suspended(tree, cause));
  }

  private void tell(Runnable event) {
    try {
      own.run(event);
    } catch (RuntimeException | Error ignored) {
      // The listener's own fault changes nothing about ours.
    }
  }
}
