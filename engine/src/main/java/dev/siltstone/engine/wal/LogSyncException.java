package dev.siltstone.engine.wal;

import java.io.IOException;

/**
 * The device has refused to make the log durable. Whether it holds what was appended since the last
 * sync that succeeded is unknown, and a later sync that succeeds would prove nothing.
 */
public final class LogSyncException extends IOException {
  private static final long serialVersionUID = 1;

  LogSyncException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}
