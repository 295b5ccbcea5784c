package dev.siltstone.base.io;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The file system of the operating system.
 *
 * <ol>
 *   <li>New files have mode 0600 and new directories 0700, whatever the umask allows, where the
 *       system has such modes.
 *   <li>At most {@code maxOpenFiles} handles of {@link ReadableFile}s are open at a time; they are
 *       closed and opened again by path as needed. A file that is open for reading must therefore
 *       keep its name until it is closed.
 *   <li>When the process runs out of handles, half of those are closed and the call is tried once
 *       more; only if that fails too, the caller sees a {@link TooManyFilesException}.
 *   <li>{@link #map} refuses file systems on which a store into written bytes can still fail for
 *       want of space, or is not kept by this machine's page cache.
 *   <li>{@link #lock} keeps the owner's text in a file beside the lock file, its name with {@code
 *       .owner} added, and removes that file when the lock ends.
 *   <li>Where directories cannot be synced (Windows) {@link #syncDirectory} does nothing: there the
 *       file system's own journal decides when a name is durable.
 * </ol>
 *
 * <p>With its package-private parts, named Os…, the only code of the project that touches files.
 */
public final class OsFileSystem implements FileSystem {
  /** Default bound of open handles for reading. */
  public static final int DEFAULT_MAX_OPEN_FILES = 512;

  private static final int ZEROS_BYTES = 1 << 20;

  private static final Set<PosixFilePermission> FILE_MODE =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> DIRECTORY_MODE =
      PosixFilePermissions.fromString("rwx------");

  /** Copy on write, so that overwriting takes new space; or not on this machine. */
  private static final Set<String> UNMAPPABLE =
      Set.of("btrfs", "zfs", "bcachefs", "nilfs2", "nfs", "nfs4", "cifs", "smb3", "9p");

  /**
   * Whether a handle opened with {@code "rwd"} writes to the device: O_DSYNC of Linux includes the
   * device's own cache, that of macOS does not.
   */
  private static final boolean WRITES_THROUGH =
      System.getProperty("os.name", "").startsWith("Linux");

  private final OsHandles handles;
  private final boolean posix;

  /** The file system with the default bound. */
  public OsFileSystem() {
    this(DEFAULT_MAX_OPEN_FILES);
  }

  /**
   * The file system with a bound of its own.
   *
   * @param maxOpenFiles most handles for reading open at a time, at least 1
   */
  public OsFileSystem(int maxOpenFiles) {
    this.handles = new OsHandles(maxOpenFiles);
    this.posix = Path.of("").getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    run(directory, () -> Files.createDirectories(directory, ownerOnly(DIRECTORY_MODE)));
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    return run(
        directory,
        () -> {
          List<String> names = new ArrayList<>();
          try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
              names.add(String.valueOf(entry.getFileName()));
            }
          } catch (DirectoryIteratorException e) {
            throw e.getCause();
          }
          return names;
        });
  }

  @Override
  public boolean exists(Path file) throws IOException {
    try {
      Files.readAttributes(file, BasicFileAttributes.class);
      return true;
    } catch (NoSuchFileException _) {
      return false;
    }
  }

  @Override
  public boolean isSymbolicLink(Path file) {
    return Files.isSymbolicLink(file);
  }

  @Override
  public long size(Path file) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    if (!attributes.isRegularFile()) {
      // A directory can be opened for reading, but not read.
      throw new CorruptFileException(file, -1, "is not a regular file");
    }
    return attributes.size();
  }

  @Override
  public void rename(Path source, Path target) throws IOException {
    run(
        target,
        () ->
            Files.move(
                source,
                target,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING));
  }

  @Override
  public void remove(Path file) throws IOException {
    Files.delete(file);
  }

  @Override
  public void link(Path existing, Path link) throws IOException {
    run(
        link,
        () -> {
          try {
            return Files.createLink(link, existing);
          } catch (UnsupportedOperationException e) {
            throw new IOException(link + ": this file system has no hard links", e);
          }
        });
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    if (!posix) {
      return;
    }
    // A failed sync of a directory stops the journal of its file system, so that, unlike a file's,
    // it may be repeated after an interrupt: it fails again.
    uninterrupted(
        directory,
        () -> {
          try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
          }
          return directory;
        });
  }

  @Override
  public void syncFile(Path file) throws IOException {
    run(
        file,
        () -> {
          // "rw" would create it, "r" cannot sync on Windows.
          size(file);
          try (RandomAccessFile handle = new RandomAccessFile(file.toFile(), "rw")) {
            handle.getFD().sync();
          }
          return file;
        });
  }

  @Override
  public WritableFile create(Path file) throws IOException {
    return run(
        file,
        () -> {
          FileChannel syncer = createChannel(file);
          try {
            RandomAccessFile output = new RandomAccessFile(file.toFile(), "rw");
            return new OsWritableFile(this, file, output, syncer);
          } catch (IOException e) {
            syncer.close();
            throw e;
          }
        });
  }

  private FileChannel createChannel(Path file) throws IOException {
    try {
      return FileChannel.open(
          file,
          Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
          ownerOnly(FILE_MODE));
    } catch (FileAlreadyExistsException _) {
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
      if (posix) {
        Files.setPosixFilePermissions(file, FILE_MODE);
      }
      return channel;
    }
  }

  @Override
  public ReadableFile open(Path file) throws IOException {
    OsReadableFile opened = new OsReadableFile(this, handles, file, size(file));
    opened.reopen();
    return opened;
  }

  /** A handle for {@link OsReadableFile}, which counts it. */
  FileChannel openForReading(Path file) throws IOException {
    return run(file, () -> FileChannel.open(file, StandardOpenOption.READ));
  }

  @Override
  public MappedFile map(Path file, long bytes) throws IOException {
    if (bytes < 1 || bytes > 1L << 40) {
      throw new IllegalArgumentException("bytes: " + bytes);
    }
    Path parent = file.toAbsolutePath().getParent();
    String type = Files.getFileStore(parent == null ? file : parent).type();
    if (UNMAPPABLE.contains(type)) {
      throw new UnsupportedOperationException(file + ": files on " + type + " are not mapped");
    }
    return uninterrupted(file, () -> mapOnce(file, bytes));
  }

  @SuppressWarnings("MustBeClosed") // The mapped file closes the arena.
  private MappedFile mapOnce(Path file, long bytes) throws IOException {
    Set<OpenOption> options =
        Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try (FileChannel channel = FileChannel.open(file, options, ownerOnly(FILE_MODE))) {
      extend(file, channel, bytes);
      // Always, since a longer file may be left from a process that died before its own sync.
      channel.force(false);
      Arena arena = Arena.ofShared();
      try {
        MemorySegment segment = channel.map(MapMode.READ_WRITE, 0, bytes, arena);
        RandomAccessFile device =
            WRITES_THROUGH ? new RandomAccessFile(file.toFile(), "rwd") : null;
        return new OsMappedFile(file, arena, segment, device);
      } catch (IOException | RuntimeException e) {
        arena.close();
        throw e;
      }
    }
  }

  /** Writes zeros up to {@code bytes}, or leaves the file as long as it was. */
  private void extend(Path file, FileChannel channel, long bytes) throws IOException {
    long length = channel.size();
    if (length >= bytes) {
      return;
    }
    ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(bytes - length, ZEROS_BYTES));
    try {
      for (long at = length; at < bytes; ) {
        zeros.clear().limit((int) Math.min(bytes - at, zeros.capacity()));
        at += channel.write(zeros, at);
      }
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      channel.truncate(length);
      throw translateWrite(file, e, bytes - length);
    }
  }

  @Override
  public FileLock lock(Path file, String owner) throws IOException {
    // The owner's text would be lost to an interrupt.
    return uninterrupted(file, () -> OsLocks.lock(file, owner, ownerOnly(FILE_MODE)));
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  /** Handles for reading that are open now; for tests. */
  int openHandles() {
    return handles.open();
  }

  /**
   * The exception to throw when writing {@code bytes} to a file failed. Tells a full disk also when
   * the text of the error is in a language that {@link OsErrors} does not know.
   */
  IOException translateWrite(Path file, IOException cause, long bytes) {
    IOException translated = OsErrors.translate(file, cause);
    if (translated instanceof NoSpaceException) {
      return translated;
    }
    try {
      return Files.getFileStore(file).getUsableSpace() < bytes
          ? OsErrors.noSpace(file, cause)
          : translated;
    } catch (IOException e) {
      translated.addSuppressed(e);
      return translated;
    }
  }

  private FileAttribute<?>[] ownerOnly(Set<PosixFilePermission> mode) {
    return posix
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(mode)}
        : new FileAttribute<?>[0];
  }

  /** Runs an operation; when no handle is left for it, makes some free and runs it once more. */
  private <T> T run(Path file, IoOperation<T> operation) throws IOException {
    try {
      return operation.run();
    } catch (IOException e) {
      IOException translated = OsErrors.translate(file, e);
      if (!(translated instanceof TooManyFilesException) || handles.closeHalf() == 0) {
        throw translated;
      }
    }
    try {
      return operation.run();
    } catch (IOException e) {
      throw OsErrors.translate(file, e);
    }
  }

  /** As {@link #run} for an operation that interrupts break off but that may be repeated. */
  private <T> T uninterrupted(Path file, IoOperation<T> operation) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try {
          return run(file, operation);
        } catch (ClosedByInterruptException _) {
          // The status is set; the next round clears it.
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** What {@link #run} runs. */
  @FunctionalInterface
  private interface IoOperation<T> {
    T run() throws IOException;
  }
}
