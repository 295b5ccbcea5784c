package dev.siltstone.base.io;

import java.io.IOException;

/** The disk or the quota is full. */
public final class NoSpaceException extends IOException {
  private static final long serialVersionUID = 1L;

  /** An exception with a message that names the file. */
  public NoSpaceException(String message) {
    super(message);
  }
}
