package dev.siltstone.engine.wal;

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.MappedFile;
import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.base.io.TooManyFilesException;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.file.FileNames;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes segment files, from files that are no longer needed where that pays.
 *
 * <ol>
 *   <li>The file is made, or an old one renamed, under a temporary name;
 *   <li>a mapped file has all its bytes written by then, so that no store into it can fail for want
 *       of space; an old file already has them and is not written again, since the new unique id
 *       makes its records unreadable;
 *   <li>the header is written and synced;
 *   <li>the file gets its true name, and the directory is synced.
 * </ol>
 *
 * <p>So a file with a true name has a durable header, and no record is ever in a file whose name a
 * power loss could take away. A failure at any step leaves nothing but a temporary file.
 *
 * <p>The first segments are short, each twice as long as the last up to the usual length: a store
 * that is written little takes little of the disk and opens without writing much.
 *
 * <p>Not safe for concurrent use; {@link Log} guards it.
 */
final class SegmentFactory {
  /** Files kept for reuse: one for the segment that is prepared, one in reserve. */
  private static final int POOL_MAX = 2;

  /** Length of the first segment, if the usual one is longer. */
  private static final int FIRST_BYTES = 1 << 20;

  private final LogConfig config;
  private final FileSystem fileSystem;
  private final Deque<Long> pool = new ArrayDeque<>();
  private boolean mapped;

  /** How long the next segment is. */
  private int nextBytes;

  SegmentFactory(LogConfig config) {
    this.config = config;
    this.fileSystem = config.fileSystem();
    this.mapped = config.mapped();
    this.nextBytes = firstBytes();
  }

  private int firstBytes() {
    return Math.min(config.segmentBytes(), FIRST_BYTES);
  }

  /** Makes a segment with room for {@code bytes} in all, or of the length that is due if more. */
  LogWriter create(int bytes) throws IOException {
    int length = Math.max(nextBytes, roundUp(bytes));
    LogWriter writer = create(length, config.fileNumbers().getAsLong());
    nextBytes = Math.min(config.segmentBytes(), 2 * nextBytes);
    return writer;
  }

  /** Forgets the files that are kept for reuse, and begins with short segments again. */
  void shrink() {
    pool.clear();
    nextBytes = firstBytes();
  }

  /** Whether a segment is longer than the next one would be after {@link #shrink}. */
  boolean isGrown(LogWriter segment) {
    return segment.limit() > firstBytes();
  }

  private LogWriter create(int length, long number) throws IOException {
    if (mapped) {
      SegmentHeader header = header(number, length);
      MappedFile file = map(header);
      if (file != null) {
        publish(file, number);
        return new MappedLogWriter(file, header);
      }
    }
    LogWriter writer = createWritten(number, length);
    // Not before the other way has worked, so that a disk that fails for a while changes nothing.
    mapped = false;
    return writer;
  }

  /**
   * Keeps the file of a closed segment for reuse, or leaves it to be removed as an obsolete file.
   * The manifest must say durably that segments with this number are not needed: until the new name
   * is durable, a power loss may bring the old name back with a header that is half new.
   */
  void recycle(long number, long bytes) {
    if (mapped && bytes == config.segmentBytes() && pool.size() < POOL_MAX) {
      pool.add(number);
    }
  }

  /** Numbers of the files kept for reuse. */
  List<Long> pooled() {
    return List.copyOf(pool);
  }

  /** A mapped file with a durable header, under its temporary name; null if that cannot be had. */
  private @Nullable MappedFile map(SegmentHeader header) throws IOException {
    Path temporary = path(FileNames.temporary(header.number()));
    if (header.capacity() == config.segmentBytes()) {
      takeOld(temporary);
    }
    MappedFile file = null;
    try {
      file = fileSystem.map(temporary, header.capacity());
      file.write(0, header.encode(), 0, SegmentHeader.BYTES);
      file.force(0, SegmentHeader.BYTES);
      return file;
    } catch (NoSpaceException | TooManyFilesException e) {
      // The written log would need the same.
      abandon(file, temporary);
      throw e;
    } catch (UnsupportedOperationException | IOException e) {
      abandon(file, temporary);
      return null;
    }
  }

  private LogWriter createWritten(long number, int length) throws IOException {
    Path temporary = path(FileNames.temporary(number));
    SegmentHeader header = header(number, 0);
    WritableFile file = fileSystem.create(temporary);
    try {
      file.write(header.encode(), 0, SegmentHeader.BYTES);
      file.sync();
    } catch (IOException e) {
      abandon(file, temporary);
      throw e;
    }
    publish(file, number);
    return new WrittenLogWriter(file, header, length);
  }

  private SegmentHeader header(long number, int capacity) {
    long uniqueId = config.uniqueIds().getAsLong();
    return new SegmentHeader(LogKind.WAL, config.storeId(), number, uniqueId, capacity);
  }

  private void takeOld(Path temporary) {
    Long old = pool.poll();
    if (old != null) {
      try {
        fileSystem.rename(path(FileNames.log(old)), temporary);
      } catch (IOException e) {
        // A new file does as well; the old one is no longer in the pool and is removed in time.
      }
    }
  }

  /** Gives a file its true name, for good. */
  private void publish(Closeable file, long number) throws IOException {
    Path temporary = path(FileNames.temporary(number));
    try {
      fileSystem.rename(temporary, path(FileNames.log(number)));
      fileSystem.syncDirectory(config.directory());
    } catch (IOException e) {
      // After a rename the file stays as a segment without records, which recovery passes over.
      abandon(file, temporary);
      throw e;
    }
  }

  private void abandon(@Nullable Closeable file, Path temporary) {
    try {
      if (file != null) {
        file.close();
      }
      if (fileSystem.exists(temporary)) {
        fileSystem.remove(temporary);
      }
    } catch (IOException e) {
      // The failure that led here is the one to report; the next sweep removes the file.
    }
  }

  private Path path(String name) {
    return config.directory().resolve(name);
  }

  private static int roundUp(int bytes) {
    return (int)
        Math.min(
            ((long) bytes + LogConfig.PAGE_BYTES - 1) & -LogConfig.PAGE_BYTES,
            LogFormat.FILE_BYTES_MAX);
  }
}
