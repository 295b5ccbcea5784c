package dev.siltstone.base.io;

import java.io.Closeable;
import java.io.IOException;

/** A held lock. */
public interface FileLock extends Closeable {

  /** Gives the lock up. Idempotent. */
  @Override
  void close() throws IOException;
}
