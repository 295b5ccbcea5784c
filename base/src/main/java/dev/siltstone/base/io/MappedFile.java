package dev.siltstone.base.io;

import java.io.Closeable;
import java.io.IOException;

/**
 * A file of fixed length mapped into memory, written at any position by one thread at a time. One
 * other thread may force it meanwhile.
 */
public interface MappedFile extends Closeable {

  /** Stores a range at {@code position}; costs no system call and survives the process's death. */
  void write(long position, byte[] source, int offset, int length) throws IOException;

  /** Makes the bytes of a range durable; the length of the file already is. */
  void force(long position, long length) throws IOException;

  /**
   * Stores a range and makes it durable: the same as {@link #write} and then {@link #force} of that
   * range, and nothing besides it. Where the system can write through to the device it is one call,
   * which takes a third of the time.
   */
  default void writeThrough(long position, byte[] source, int offset, int length)
      throws IOException {
    write(position, source, offset, length);
    force(position, length);
  }

  /**
   * Gives the memory of the mapping up, if the file can be forced without it; nothing may be
   * written afterwards. Not beside a write or a force.
   */
  default void detach() throws IOException {}

  /** The length of the mapping, in bytes. */
  long size();

  /** Unmaps without syncing. Idempotent. */
  @Override
  void close() throws IOException;
}
