package dev.siltstone.engine;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.LockedException;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.engine.compaction.FilterFailedException;
import dev.siltstone.engine.spi.EventListener;
import dev.siltstone.engine.wal.LogSyncException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The state of a store that may refuse: open, failed or closed. The first failure of the log or of
 * the manifest is kept; every later write fails with it until the store is opened again, and reads
 * go on. This is also the one place where internal exceptions become {@link DbException}.
 *
 * <p>Safe for concurrent use.
 */
final class Failure {
  private final AtomicReference<@Nullable DbException> first = new AtomicReference<>();
  private final EventListener listener;
  private final OwnThreads own;
  private volatile boolean closed;

  Failure(EventListener listener, OwnThreads own) {
    this.listener = listener;
    this.own = own;
  }

  /**
   * Refuses a call that waits for the background where that would wait for itself.
   *
   * @throws IllegalStateException if it is made on a thread that is at work for the store
   */
  void checkMayWait(String call) {
    own.refuse(call);
  }

  /** Makes the store refuse writes. The first cause stays. */
  void fail(DbException cause) {
    if (first.compareAndSet(null, cause)) {
      listener.failed(cause);
    }
  }

  /** Makes the store refuse writes because its log does, and returns what callers are told. */
  DbException failLog(IOException cause, String doing) {
    DbException failure = ofIo(cause, doing);
    if (!closed) {
      fail(failure);
    }
    return failure;
  }

  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  /** The failure that made the store refuse writes, or {@code null}. */
  @Nullable DbException cause() {
    return first.get();
  }

  void checkOpen() {
    if (closed) {
      throw new DbException.Closed("the store");
    }
  }

  void checkWritable() {
    checkOpen();
    DbException cause = first.get();
    if (cause != null) {
      throw again(cause);
    }
  }

  /** What the API throws for a failure inside; {@code doing} completes "failed while". */
  DbException translate(IOException failure, String doing) {
    if (closed) {
      return new DbException.Closed("the store");
    }
    return ofIo(failure, doing);
  }

  static DbException ofIo(IOException failure, String doing) {
    return switch (failure) {
      case CorruptFileException corrupt ->
          new DbException.Corrupt(corrupt.file(), corrupt.offset(), message(corrupt), corrupt);
      case UnsupportedFileException unsupported ->
          new DbException.Unsupported(message(unsupported));
      case LogSyncException lost ->
          new DbException.DurabilityLost(
              "failed while syncing the log: "
                  + message(lost)
                  + "; what was acknowledged without a"
                  + " sync since the last one may be lost",
              lost);
      case FilterFailedException failed -> new DbException.Unavailable(message(failed), failed);
      case LockedException locked -> new DbException.Busy(message(locked), locked);
      default ->
          new DbException.Unavailable("failed while " + doing + ": " + reason(failure), failure);
    };
  }

  /** As {@link #ofIo}, for an open; says what can be done about damage. */
  static DbException ofOpen(IOException failure, String doing) {
    if (failure instanceof CorruptFileException corrupt) {
      return new DbException.Corrupt(
          corrupt.file(),
          corrupt.offset(),
          message(corrupt)
              + "; to go on with all that is intact, repair the store into a new directory"
              + " (Db.repair, or 'siltstone repair')",
          corrupt);
    }
    return ofIo(failure, doing);
  }

  /** A fresh exception of the same kind, so that every caller sees its own stack. */
  private static DbException again(DbException cause) {
    String message = "writes are refused since an earlier failure: " + cause.getMessage();
    return switch (cause) {
      case DbException.Corrupt corrupt ->
          new DbException.Corrupt(corrupt.file(), corrupt.offset(), message, cause);
      case DbException.DurabilityLost _ -> new DbException.DurabilityLost(message, cause);
      case DbException.Unavailable _ -> new DbException.Unavailable(message, cause);
      case DbException.Closed _, DbException.Busy _, DbException.Unsupported _ -> cause;
    };
  }

  /** What went wrong, in words where the JDK has only the name of a class. */
  private static String reason(IOException failure) {
    return switch (failure) {
      case NoSuchFileException e -> e.getFile() + " does not exist";
      case NotDirectoryException e -> e.getFile() + " is a file where a directory is needed";
      case FileAlreadyExistsException e -> e.getFile() + " exists already";
      case AccessDeniedException e -> e.getFile() + ": access denied";
      case FileSystemException e when e.getFile() != null && e.getReason() != null ->
          e.getFile() + ": " + e.getReason();
      default -> failure.toString();
    };
  }

  private static String message(IOException failure) {
    String message = failure.getMessage();
    return message == null ? failure.toString() : message;
  }
}
