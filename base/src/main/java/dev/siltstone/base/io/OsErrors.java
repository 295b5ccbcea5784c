package dev.siltstone.base.io;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Turns what the JDK throws into the exceptions of {@link FileSystem}.
 *
 * <p>The JDK gives no error numbers, only the text of strerror(3). On a system whose C library is
 * set to another language the texts below do not match; a full disk is then still told by {@link
 * OsFileSystem} from the space that is left, and the rest stays a plain {@link IOException}.
 */
final class OsErrors {
  private static final String ENOSPC = "No space left on device";
  private static final String EDQUOT = "Disk quota exceeded";
  private static final String ENOSPC_WINDOWS = "There is not enough space on the disk";

  /** Of the process (EMFILE) and, as "Too many open files in system", of the machine (ENFILE). */
  private static final String EMFILE = "Too many open files";

  private OsErrors() {}

  /** The exception to throw for {@code cause}, which came from an operation on {@code file}. */
  static IOException translate(Path file, IOException cause) {
    String reason = reason(cause);
    if (reason != null) {
      if (reason.contains(ENOSPC) || reason.contains(EDQUOT) || reason.contains(ENOSPC_WINDOWS)) {
        return noSpace(file, cause);
      }
      if (reason.contains(EMFILE)) {
        return withCause(new TooManyFilesException(file + ": " + reason), cause);
      }
    }
    // Read, write and sync fail with the bare text of the error; say of which file.
    return cause.getClass() == IOException.class
        ? new IOException(file + ": " + reason, cause)
        : cause;
  }

  static NoSpaceException noSpace(Path file, IOException cause) {
    return withCause(new NoSpaceException(file + ": " + reason(cause)), cause);
  }

  private static @Nullable String reason(IOException e) {
    return e instanceof FileSystemException named ? named.getReason() : e.getMessage();
  }

  private static <T extends IOException> T withCause(T e, IOException cause) {
    e.initCause(cause);
    return e;
  }
}
