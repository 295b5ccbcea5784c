package dev.siltstone.base.io;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What Siltstone asks of a file system. One directory tree, few operations, each with the weakest
 * promise that the engine is built on.
 *
 * <p><b>Durability.</b> A successful write is seen by every later reader and survives the death of
 * the process. It survives a power loss only after {@link WritableFile#sync} (or {@link
 * MappedFile#force}) has returned. The <em>name</em> of a created, renamed or removed file survives
 * a power loss only after {@link #syncDirectory} of its directory has returned. Until then any
 * subset of the un-synced changes may be lost, and un-synced bytes may be torn at any byte.
 *
 * <p><b>Failures.</b> Every method throws {@link IOException} and nothing else for what the world
 * can do: {@link java.nio.file.NoSuchFileException} for a missing file, {@link NoSpaceException}
 * for a full disk or quota, {@link TooManyFilesException} when no handle is left, {@link
 * LockedException} for a lock that another holds. {@link #size}, {@link #open} and {@link
 * #syncFile} throw {@link CorruptFileException} for what is not a regular file. A failed write may
 * have stored any part of its bytes. After a failed sync the un-synced bytes of that file must be
 * taken as lost: a later sync that succeeds proves nothing about them.
 *
 * <p><b>Interrupts.</b> The interrupt status of a calling thread neither fails a call nor closes
 * anything; it is left set.
 *
 * <p>Implementations are safe for concurrent use.
 */
public interface FileSystem {

  /** Creates a directory and its missing parents; readable and writable by the owner only. */
  void createDirectories(Path directory) throws IOException;

  /** The names (not paths) of the entries of a directory, in no particular order. */
  List<String> list(Path directory) throws IOException;

  /** Whether a file or directory of that name exists. */
  boolean exists(Path file) throws IOException;

  /**
   * Whether a name is a symbolic link, whatever it leads to. {@link #remove} and {@link #rename}
   * act on the link, all other methods on what it leads to.
   */
  default boolean isSymbolicLink(Path file) {
    return false;
  }

  /** The length of a file in bytes. */
  long size(Path file) throws IOException;

  /**
   * Renames a file or a directory within one file system. A target that is a file is replaced by a
   * file atomically; for a directory the new name must be free.
   */
  void rename(Path source, Path target) throws IOException;

  /** Removes a file or an empty directory. */
  void remove(Path file) throws IOException;

  /**
   * Gives a file a second name in the same file system (a hard link). The new name must be free.
   * Both names stand for the same bytes from then on, whoever writes them through either.
   *
   * @throws IOException also where the two directories or their file system cannot share a file;
   *     the caller then copies instead
   */
  void link(Path existing, Path link) throws IOException;

  /** Makes all entries of a directory durable. */
  void syncDirectory(Path directory) throws IOException;

  /**
   * Makes all bytes of an existing file and its length durable, whichever handle or process wrote
   * them. Costs little if they already are.
   */
  void syncFile(Path file) throws IOException;

  /**
   * Creates a file for appending, readable and writable by the owner only. An existing file of that
   * name is emptied first.
   */
  WritableFile create(Path file) throws IOException;

  /** Opens a file for positional reads. Nothing is locked, nothing is written. */
  ReadableFile open(Path file) throws IOException;

  /**
   * Maps a file for positional writes. The file is created if missing and, if shorter than {@code
   * bytes}, extended by zero bytes that are really written, so that no later store into it can fail
   * for want of space. Bytes that the file already holds stay as they are.
   *
   * @param bytes length of the mapping, 1 to 2^40
   * @throws UnsupportedOperationException when this file system cannot map files; the caller then
   *     writes instead
   */
  MappedFile map(Path file, long bytes) throws IOException;

  /**
   * Takes an exclusive lock that other processes and other callers in this process respect. The
   * lock ends with {@link FileLock#close} or with the process.
   *
   * @param file the lock file, created if missing; nobody else may open it, since on POSIX closing
   *     any handle of a locked file drops the lock
   * @param owner text that says who holds the lock, for the message of the one who is refused
   * @throws LockedException if somebody else holds the lock; at once, without waiting
   */
  FileLock lock(Path file, String owner) throws IOException;

  /** Bytes that can still be written below {@code directory}. */
  long usableBytes(Path directory) throws IOException;
}
