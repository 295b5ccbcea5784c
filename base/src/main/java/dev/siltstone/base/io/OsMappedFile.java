package dev.siltstone.base.io;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A mapped file. All its bytes were really written when it was mapped, so a store can fail only if
 * the device fails or somebody cuts the file; the JVM then throws an {@link InternalError}, which
 * becomes an {@link IOException} here and goes no further.
 *
 * <p>Stored bytes and bytes written through are one: the mapping and the handle share the pages of
 * the system's cache. A page that is only written through is never dirty in the mapping, so that it
 * takes neither a page fault nor a walk over the mapping to make it durable: 0.10 ms for a record,
 * against 0.35 ms to store and force it and 0.18 ms to append and sync it.
 *
 * <p>The arena is a shared one, because the thread that closes a log is not the one that opened it.
 * Closing it stops all threads for a moment (0.3 ms), so it is not for hot roads.
 */
final class OsMappedFile implements MappedFile {
  private final Path file;
  private final Arena arena;
  private final MemorySegment segment;

  /** A handle of the same file whose writes return when they are durable, or {@code null}. */
  private final @Nullable RandomAccessFile device;

  private volatile boolean detached;

  /**
   * Takes over the handle and the arena, which holds nothing but the segment.
   *
   * @param device opened with {@code "rwd"}; {@code null} where that does not reach the device
   */
  OsMappedFile(Path file, Arena arena, MemorySegment segment, @Nullable RandomAccessFile device) {
    this.file = file;
    this.arena = arena;
    this.segment = segment;
    this.device = device;
  }

  @Override
  public void write(long position, byte[] source, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(position, length, segment.byteSize());
    try {
      MemorySegment.copy(source, offset, segment, ValueLayout.JAVA_BYTE, position, length);
    } catch (InternalError e) {
      throw new IOException(file + ": a mapped page cannot be accessed", e);
    } catch (IllegalStateException e) {
      throw closed(e);
    }
  }

  @Override
  public void force(long position, long length) throws IOException {
    Objects.checkFromIndexSize(position, length, segment.byteSize());
    if (length == 0) {
      return;
    }
    RandomAccessFile handle = device;
    if (detached && handle != null) {
      try {
        handle.getFD().sync();
      } catch (IOException e) {
        throw OsErrors.translate(file, e);
      }
      return;
    }
    try {
      // Rounds down to the page by itself.
      segment.asSlice(position, length).force();
    } catch (UncheckedIOException e) {
      IOException cause = e.getCause();
      throw cause == null ? new IOException(e) : OsErrors.translate(file, cause);
    } catch (InternalError e) {
      throw new IOException(file + ": a mapped page cannot be accessed", e);
    } catch (IllegalStateException e) {
      throw closed(e);
    }
  }

  @Override
  public void writeThrough(long position, byte[] source, int offset, int length)
      throws IOException {
    RandomAccessFile through = device;
    if (through == null) {
      MappedFile.super.writeThrough(position, source, offset, length);
      return;
    }
    Objects.checkFromIndexSize(position, length, segment.byteSize());
    try {
      through.seek(position);
      through.write(source, offset, length);
    } catch (IOException e) {
      throw OsErrors.translate(file, e);
    }
  }

  @Override
  public void detach() throws IOException {
    if (device != null) {
      closeArena();
      detached = true;
    }
  }

  private IOException closed(IllegalStateException cause) {
    return new IOException(file + " is closed", cause);
  }

  @Override
  public long size() {
    return segment.byteSize();
  }

  @Override
  public void close() throws IOException {
    try (device) {
      closeArena();
    }
  }

  private void closeArena() throws IOException {
    if (!arena.scope().isAlive()) {
      return;
    }
    try {
      arena.close();
    } catch (IllegalStateException e) {
      throw new IOException(file + " is being closed or forced by another thread", e);
    }
  }
}
