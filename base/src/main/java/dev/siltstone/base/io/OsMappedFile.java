package dev.siltstone.base.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A mapped file. All its bytes were really written when it was mapped, so a store can fail only if
 * the device fails or somebody cuts the file; the JVM then throws an {@link InternalError}, which
 * becomes an {@link IOException} here and goes no further.
 *
 * <p>The arena is a shared one, because the thread that closes a log is not the one that opened it.
 * Closing it stops all threads for a moment (0.3 ms), so it is not for hot roads.
 */
final class OsMappedFile implements MappedFile {
  private final Path file;
  private final Arena arena;
  private final MemorySegment segment;

  /** Takes over the arena, which holds nothing but the segment. */
  OsMappedFile(Path file, Arena arena, MemorySegment segment) {
    this.file = file;
    this.arena = arena;
    this.segment = segment;
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

  private IOException closed(IllegalStateException cause) {
    return new IOException(file + " is closed", cause);
  }

  @Override
  public long size() {
    return segment.byteSize();
  }

  @Override
  public void close() throws IOException {
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
