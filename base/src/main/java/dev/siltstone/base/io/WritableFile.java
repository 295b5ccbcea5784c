package dev.siltstone.base.io;

import java.io.Closeable;
import java.io.IOException;

/**
 * A file that is written front to back, by one thread at a time. One other thread may sync it
 * meanwhile.
 */
public interface WritableFile extends Closeable {

  /**
   * Appends a range; returns when all its bytes are handed to the operating system. After a failure
   * the file may be synced and closed, but not written to.
   */
  void write(byte[] source, int offset, int length) throws IOException;

  /** Makes all bytes written before the call, and the length that reaches them, durable. */
  void sync() throws IOException;

  /** Bytes written so far. */
  long size();

  /** Closes without syncing. Idempotent. */
  @Override
  void close() throws IOException;
}
