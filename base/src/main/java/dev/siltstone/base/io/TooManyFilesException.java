package dev.siltstone.base.io;

import java.io.IOException;

/** The process or the system has no file handle left. */
public final class TooManyFilesException extends IOException {
  private static final long serialVersionUID = 1L;

  /** An exception with a message that names the file. */
  public TooManyFilesException(String message) {
    super(message);
  }
}
