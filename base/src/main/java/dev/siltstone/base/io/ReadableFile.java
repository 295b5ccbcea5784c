package dev.siltstone.base.io;

import java.io.Closeable;
import java.io.IOException;

/**
 * A file that is read at any position, by any number of threads at once. It stays usable when the
 * implementation closes and reopens the operating system's handle underneath.
 */
public interface ReadableFile extends Closeable {

  /**
   * Reads {@code length} bytes at {@code position}.
   *
   * @return the bytes read: {@code length}, or fewer only if the file ends there
   */
  int read(long position, byte[] target, int offset, int length) throws IOException;

  /** The length of the file when it was opened, in bytes. */
  long size();

  /** Idempotent. Reads that are under way may fail with an {@link IOException}. */
  @Override
  void close() throws IOException;
}
