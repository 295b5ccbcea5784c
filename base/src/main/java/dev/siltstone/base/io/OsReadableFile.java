package dev.siltstone.base.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A file read by position through a handle that may come and go.
 *
 * <p>An interrupt closes a {@link FileChannel} under the feet of <em>all</em> its readers, and
 * {@link OsHandles} closes handles to stay within its limit. Both look the same to a reader here:
 * the read fails as closed, the file is opened again by its path, and the read is repeated.
 */
final class OsReadableFile implements ReadableFile {
  /**
   * Most bytes asked for at once. The JDK reads into a heap array through a direct buffer that it
   * keeps per thread, as large as the largest read so far; this bounds it.
   */
  private static final int CHUNK_BYTES = 256 << 10;

  /** Failed attempts after which the handle is pinned, so that no other file can take it. */
  private static final int ATTEMPTS_UNPINNED = 3;

  private static final int INTERRUPTED = -2;

  private final OsFileSystem fileSystem;
  private final OsHandles handles;
  private final Path file;
  private final long size;
  private final ReentrantLock opening = new ReentrantLock();
  private volatile boolean closed;

  /** The open handle, if any. Written by {@link OsHandles} with its lock held. */
  volatile @Nullable FileChannel channel;

  /** Read since the clock's hand came by. Racy on purpose: a lost mark costs one reopening. */
  boolean used;

  /** Place in the ring of {@link OsHandles}, guarded by its lock. */
  int slot;

  /** Readers that insist on the handle; guarded by the lock of {@link OsHandles}. */
  int pins;

  OsReadableFile(OsFileSystem fileSystem, OsHandles handles, Path file, long size) {
    this.fileSystem = fileSystem;
    this.handles = handles;
    this.file = file;
    this.size = size;
  }

  @Override
  public int read(long position, byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (position < 0) {
      throw new IllegalArgumentException("position: " + position);
    }
    // With the status set, the channel would be closed at once; without, only if it comes during
    // the read.
    boolean interrupted = Thread.currentThread().isInterrupted() && Thread.interrupted();
    int done = 0;
    try {
      while (done < length) {
        int chunk = Math.min(length - done, CHUNK_BYTES);
        int count = readChunk(position + done, target, offset + done, chunk);
        if (count == INTERRUPTED) {
          interrupted = true;
          Thread.interrupted();
          continue;
        }
        if (count < 0) {
          break;
        }
        done += count;
      }
    } catch (IOException e) {
      throw OsErrors.translate(file, e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return done;
  }

  /** Bytes read, -1 at the end of the file, or {@link #INTERRUPTED}: try again. */
  private int readChunk(long position, byte[] target, int offset, int length) throws IOException {
    int attempt = 0;
    try {
      while (true) {
        if (attempt++ == ATTEMPTS_UNPINNED) {
          handles.pin(this);
        }
        FileChannel open = channel;
        if (open == null) {
          open = reopen();
        }
        if (!used) {
          used = true;
        }
        try {
          return open.read(ByteBuffer.wrap(target, offset, length), position);
        } catch (ClosedByInterruptException _) {
          handles.withdraw(this, open);
          return INTERRUPTED;
        } catch (ClosedChannelException _) {
          // Evicted, or another reader was interrupted. Once pinned, only the latter is left.
          handles.withdraw(this, open);
        }
      }
    } finally {
      if (attempt > ATTEMPTS_UNPINNED) {
        handles.unpin(this);
      }
    }
  }

  /** Opens the handle, unless another reader was faster. */
  FileChannel reopen() throws IOException {
    opening.lock();
    try {
      FileChannel open = channel;
      if (open != null) {
        return open;
      }
      if (closed) {
        throw new IOException(file + " is closed");
      }
      try {
        handles.reserve();
        open = fileSystem.openForReading(file);
      } catch (IOException e) {
        handles.cancel();
        throw e;
      }
      handles.publish(this, open);
      return open;
    } finally {
      opening.unlock();
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void close() throws IOException {
    opening.lock();
    try {
      closed = true;
      FileChannel open = channel;
      if (open != null) {
        handles.withdraw(this, open);
        open.close();
      }
    } finally {
      opening.unlock();
    }
  }
}
