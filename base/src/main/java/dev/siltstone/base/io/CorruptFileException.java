package dev.siltstone.base.io;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Bytes of a file are not what was written: checksum, structure or length are wrong, or it is no
 * regular file at all.
 */
public final class CorruptFileException extends IOException {
  private static final long serialVersionUID = 1L;
  private final transient Path file;
  private final long offset;

  /**
   * Damage found.
   *
   * @param offset where in the file, in bytes; -1 if the file as a whole is at fault
   * @param what what was expected and what was found
   */
  public CorruptFileException(Path file, long offset, String what) {
    super(what);
    this.file = file;
    this.offset = offset;
  }

  /** The damaged file. */
  public Path file() {
    return file;
  }

  /** Offset of the damage in bytes, or -1 for the whole file. */
  public long offset() {
    return offset;
  }
}
