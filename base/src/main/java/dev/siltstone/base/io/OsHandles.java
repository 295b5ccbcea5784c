package dev.siltstone.base.io;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The open handles of all {@link OsReadableFile}s of one file system, at most {@code limit} of
 * them. When one more is needed, the clock algorithm picks a file that was not read lately and its
 * handle is closed; a reader that is caught in it reopens the file and reads again.
 *
 * <p>Pinned files are passed over. While more files are pinned than the limit allows, which takes
 * that many threads, the limit is exceeded.
 *
 * <p>Safe for concurrent use. The lock is never held across a call to the operating system.
 */
final class OsHandles {
  private final int limit;
  private final ReentrantLock lock = new ReentrantLock();

  /** The files that have an open handle. */
  @GuardedBy("lock")
  private final List<OsReadableFile> ring = new ArrayList<>();

  /** Handles about to be opened; they count against the limit already. */
  @GuardedBy("lock")
  private int reserved;

  @GuardedBy("lock")
  private int hand;

  OsHandles(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("maxOpenFiles: " + limit);
    }
    this.limit = limit;
  }

  /** Makes room for one handle; {@link #publish} or {@link #cancel} must follow. */
  void reserve() throws IOException {
    List<FileChannel> victims;
    lock.lock();
    try {
      reserved++;
      victims = evictDownTo(limit - reserved);
    } finally {
      lock.unlock();
    }
    closeAll(victims);
  }

  /** Gives a reservation back. */
  void cancel() {
    lock.lock();
    try {
      reserved--;
    } finally {
      lock.unlock();
    }
  }

  /** Makes a reserved and now open handle the file's own. */
  void publish(OsReadableFile file, FileChannel channel) throws IOException {
    List<FileChannel> victims;
    lock.lock();
    try {
      assert file.channel == null : file;
      reserved--;
      file.channel = channel;
      file.used = true;
      file.slot = ring.size();
      ring.add(file);
      // Threads that reserved at the same time may have found nothing to evict. Not this one now,
      // or nobody would get to read.
      file.pins++;
      victims = evictDownTo(limit);
      file.pins--;
    } finally {
      lock.unlock();
    }
    closeAll(victims);
  }

  /** Takes the file's handle away if it is still {@code channel}; the caller closes it. */
  @SuppressWarnings("ReferenceEquality") // Another handle of the same file must stay.
  void withdraw(OsReadableFile file, FileChannel channel) {
    lock.lock();
    try {
      if (file.channel == channel) {
        unlink(file);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Protects the file's handle, now or once it is open, from being closed for another's sake. */
  void pin(OsReadableFile file) {
    lock.lock();
    try {
      file.pins++;
    } finally {
      lock.unlock();
    }
  }

  /** Ends one {@link #pin}. */
  void unpin(OsReadableFile file) {
    lock.lock();
    try {
      file.pins--;
    } finally {
      lock.unlock();
    }
  }

  /** Closes the less used half of the handles, at least one; returns how many were closed. */
  int closeHalf() throws IOException {
    List<FileChannel> victims;
    lock.lock();
    try {
      victims = evictDownTo(ring.size() / 2);
    } finally {
      lock.unlock();
    }
    closeAll(victims);
    return victims.size();
  }

  /** Handles that are open now. */
  int open() {
    lock.lock();
    try {
      return ring.size();
    } finally {
      lock.unlock();
    }
  }

  /** Takes handles away until {@code count} are left, or only pinned ones; the caller closes. */
  @GuardedBy("lock")
  private List<FileChannel> evictDownTo(int count) {
    List<FileChannel> victims = List.of();
    while (ring.size() > count) {
      FileChannel victim = evict();
      if (victim == null) {
        break;
      }
      if (victims.isEmpty()) {
        victims = new ArrayList<>();
      }
      victims.add(victim);
    }
    return victims;
  }

  private static void closeAll(List<FileChannel> victims) throws IOException {
    for (FileChannel victim : victims) {
      victim.close();
    }
  }

  @GuardedBy("lock")
  private @Nullable FileChannel evict() {
    // The first round clears marks, the second finds a file without one, unless all are pinned.
    for (int i = 2 * ring.size(); i > 0; i--) {
      hand = hand + 1 >= ring.size() ? 0 : hand + 1;
      OsReadableFile file = ring.get(hand);
      if (file.pins > 0) {
        continue;
      }
      if (file.used) {
        file.used = false;
        continue;
      }
      return unlink(file);
    }
    return null;
  }

  @GuardedBy("lock")
  private FileChannel unlink(OsReadableFile file) {
    FileChannel channel = Objects.requireNonNull(file.channel);
    file.channel = null;
    OsReadableFile last = ring.removeLast();
    if (last != file) {
      ring.set(file.slot, last);
      last.slot = file.slot;
    }
    return channel;
  }
}
