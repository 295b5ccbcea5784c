package dev.siltstone.engine;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What can go wrong with a store, by what the caller must do about it. Besides these, the API
 * throws only {@link IllegalArgumentException}, {@link IllegalStateException} and {@link
 * NullPointerException} for mistakes of the program, with the offending value, or the name of the
 * parameter, in the message.
 */
public abstract sealed class DbException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private DbException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /**
   * Bytes on disk are not what was written. Nothing was changed on disk. Restore the file, or
   * repair the store into a new directory.
   */
  public static final class Corrupt extends DbException {
    private static final long serialVersionUID = 1L;
    private final transient Path file;
    private final long offset;

    /**
     * Damage found.
     *
     * @param file the damaged file
     * @param offset where in the file, in bytes; -1 if the file as a whole is at fault
     * @param what what was expected and what was found
     */
    public Corrupt(Path file, long offset, String what) {
      this(file, offset, what, null);
    }

    /** Damage found, with the failure that showed it. */
    public Corrupt(Path file, long offset, String what, @Nullable Throwable cause) {
      super(file + (offset < 0 ? "" : " at offset " + offset) + ": " + what, cause);
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

  /**
   * The operation could not be done now: an I/O error, no space, no file handle, history that is
   * gone. The cause tells. Data that was acknowledged is not affected.
   */
  public static final class Unavailable extends DbException {
    private static final long serialVersionUID = 1L;

    /** A failure that may pass or that the operator can mend. */
    public Unavailable(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** The store, tree, snapshot or cursor was closed, or the tree was dropped. */
  public static final class Closed extends DbException {
    private static final long serialVersionUID = 1L;

    /** Use after close. */
    public Closed(String what) {
      super(what + " is closed", null);
    }
  }

  /** Another process, or this one, has the store open. */
  public static final class Busy extends DbException {
    private static final long serialVersionUID = 1L;

    /** A refused open; the message says who holds the store. */
    public Busy(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** The store was written by a newer version, or with an option that this process lacks. */
  public static final class Unsupported extends DbException {
    private static final long serialVersionUID = 1L;

    /** Something this process cannot read or do. */
    public Unsupported(String message) {
      super(message, null);
    }
  }

  /**
   * A sync failed: whether the writes since the last good sync will survive a power loss is
   * unknown. The store refuses writes until it is opened again; reads go on.
   */
  public static final class DurabilityLost extends DbException {
    private static final long serialVersionUID = 1L;

    /** A failed sync. */
    public DurabilityLost(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }
}
