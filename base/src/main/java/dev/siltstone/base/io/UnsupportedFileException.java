package dev.siltstone.base.io;

import java.io.IOException;

/** A file is intact, but of a format version or with a feature that this process cannot read. */
public final class UnsupportedFileException extends IOException {
  private static final long serialVersionUID = 1L;

  /** An exception whose message names the file and the feature. */
  public UnsupportedFileException(String message) {
    super(message);
  }

  /** An exception whose message names the file and the feature. */
  public UnsupportedFileException(String message, Throwable cause) {
    super(message, cause);
  }
}
