package dev.siltstone.base.io;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Locks on files, between processes and within this one.
 *
 * <p>POSIX record locks belong to a process, and closing <em>any</em> handle of a locked file drops
 * the lock, silently. So whether this process holds a lock is looked up before the lock file is
 * opened, in a register that all file systems of the JVM share.
 */
final class OsLocks {
  /**
   * The held lock files by real path, with their owners. Static, against the rule, because what it
   * describes is a state of the process: two registers would each believe the lock to be free.
   */
  private static final ConcurrentHashMap<Path, String> HELD = new ConcurrentHashMap<>();

  /**
   * Channels that must stay open until the process ends, by lock file; see {@link #acquire}.
   * Reachable from here, because the JDK closes channels that are garbage.
   */
  private static final ConcurrentHashMap<Path, FileChannel> KEPT = new ConcurrentHashMap<>();

  private static final int OWNER_BYTES_MAX = 4096;

  private OsLocks() {}

  /** As {@link FileSystem#lock}. The owner's text is kept beside the lock file. */
  static FileLock lock(Path file, String owner, FileAttribute<?>[] ownerOnly) throws IOException {
    try {
      // Exclusive creation fails without opening when the file exists.
      Files.createFile(file, ownerOnly);
    } catch (FileAlreadyExistsException _) {
      // The usual case: lock files stay when the lock ends.
    }
    Path real = file.toRealPath();
    String holder = HELD.putIfAbsent(real, owner);
    if (holder != null) {
      throw refused(file, holder, true);
    }
    boolean done = false;
    try {
      FileChannel channel = acquire(file, real);
      done = true;
      return new Held(real, channel, writeOwner(real, owner, ownerOnly));
    } finally {
      if (!done) {
        HELD.remove(real);
      }
    }
  }

  private static FileChannel acquire(Path file, Path real) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() != null) {
        return channel;
      }
    } catch (OverlappingFileLockException _) {
      // This process holds the lock, but under another path (a second mount of the directory) or
      // through another copy of this class. Closing our handle would drop that lock: keep it.
      KEPT.putIfAbsent(real, channel);
      throw refused(file, readOwner(real), true);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw refused(file, readOwner(real), false);
  }

  private static LockedException refused(Path file, String owner, boolean inThisProcess) {
    return new LockedException(file + " is locked by " + owner, inThisProcess);
  }

  private static Path ownerFile(Path lockFile) {
    return lockFile.resolveSibling(lockFile.getFileName() + ".owner");
  }

  /** Writes who holds the lock. A lock without it is as good, so failures do not count. */
  private static boolean writeOwner(Path lockFile, String owner, FileAttribute<?>[] ownerOnly) {
    Path ownerFile = ownerFile(lockFile);
    byte[] text = owner.getBytes(StandardCharsets.UTF_8);
    try {
      Files.deleteIfExists(ownerFile);
      Files.createFile(ownerFile, ownerOnly);
      Files.write(ownerFile, Arrays.copyOf(text, Math.min(text.length, OWNER_BYTES_MAX)));
      return true;
    } catch (IOException _) {
      return false;
    }
  }

  private static String readOwner(Path lockFile) {
    try (var input = Files.newInputStream(ownerFile(lockFile))) {
      String text = new String(input.readNBytes(OWNER_BYTES_MAX), StandardCharsets.UTF_8);
      return text.isBlank() ? "another process" : text.strip();
    } catch (IOException _) {
      return "another process";
    }
  }

  private static final class Held implements FileLock {
    private final Path real;
    private final FileChannel channel;
    private final boolean named;
    private boolean open = true;

    Held(Path real, FileChannel channel, boolean named) {
      this.real = real;
      this.channel = channel;
      this.named = named;
    }

    @Override
    public synchronized void close() throws IOException {
      if (!open) {
        return;
      }
      open = false;
      try {
        // Before the lock is gone, or it could be the next holder's.
        if (named) {
          Files.deleteIfExists(ownerFile(real));
        }
      } finally {
        try {
          channel.close();
        } finally {
          HELD.remove(real);
        }
      }
    }
  }
}
