package dev.siltstone.engine.table;

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.file.FileNames;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The open table files of a store by number. A file is opened when it is first asked for and stays
 * open until {@link #evict}; how many operating-system handles that takes is the file system's
 * concern.
 *
 * <p>Safe for concurrent use. A file that is open is found without a lock and without allocation.
 */
public final class TableCache implements Closeable {
  private static final int SLOTS_INITIAL = 64;

  private final FileSystem fileSystem;
  private final Path directory;
  private final long storeId;
  private final BlockCache cache;
  private final Compressors compressors;
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * Open addressing, at most half full. Entries are added in place and taken out by a copy, so that
   * one who reads an old array may miss a new entry, but never sees a wrong one.
   */
  private volatile AtomicReferenceArray<@Nullable Entry> slots =
      new AtomicReferenceArray<>(SLOTS_INITIAL);

  /** Guarded by the lock. */
  private int count;

  private boolean closed;

  private record Entry(long number, TableReader reader) {}

  /**
   * A cache of the tables of one directory.
   *
   * @param storeId the identity that all files must have
   */
  public TableCache(
      FileSystem fileSystem,
      Path directory,
      long storeId,
      BlockCache cache,
      Compressors compressors) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.storeId = storeId;
    this.cache = cache;
    this.compressors = compressors;
  }

  /**
   * The reader of a file, opened if need be. It stays open until the file is evicted; the caller
   * sees to it that this does not happen while it reads.
   *
   * @param bytes the length that the file must have; -1 if it is not known
   * @throws IOException as {@link TableReader#open}; a later call tries again
   */
  public TableReader reader(long number, long bytes) throws IOException {
    TableReader reader = find(slots, number);
    return reader != null ? reader : open(number, bytes);
  }

  private static @Nullable TableReader find(
      AtomicReferenceArray<@Nullable Entry> table, long number) {
    int mask = table.length() - 1;
    for (int i = slot(number, mask); ; i = (i + 1) & mask) {
      Entry entry = table.get(i);
      if (entry == null) {
        return null;
      }
      if (entry.number == number) {
        return entry.reader;
      }
    }
  }

  private static int slot(long number, int mask) {
    return (int) ((number * 0x9E37_79B9_7F4A_7C15L) >>> 32) & mask;
  }

  private TableReader open(long number, long bytes) throws IOException {
    Path path = directory.resolve(FileNames.Kind.TABLE.name(number));
    // Outside the lock, since it reads the file: two threads may open one file, and one gives up.
    TableReader opened =
        TableReader.open(fileSystem, path, number, bytes, storeId, cache, compressors);
    TableReader first;
    boolean added;
    lock.lock();
    try {
      first = find(slots, number);
      added = first == null && !closed;
      if (added) {
        add(new Entry(number, opened));
      }
    } finally {
      lock.unlock();
    }
    if (added) {
      evictIfRemoved(number, path);
      return opened;
    }
    opened.close();
    if (first == null) {
      throw new IOException(path + ": the table cache is closed");
    }
    return first;
  }

  /**
   * A file that was removed while it was opened would stay in the cache for ever. Who removes one
   * does that first and evicts it then, so that either this look finds it gone or the eviction
   * finds the reader.
   */
  private void evictIfRemoved(long number, Path path) throws IOException {
    if (!fileSystem.exists(path)) {
      evict(number);
      throw new NoSuchFileException(path.toString(), null, "removed while it was opened");
    }
  }

  /** The reader of a file if it is open, else {@code null}; does not touch the file. */
  public @Nullable TableReader ifOpen(long number) {
    return find(slots, number);
  }

  private void add(Entry entry) {
    AtomicReferenceArray<@Nullable Entry> table = slots;
    if (2 * (count + 1) > table.length()) {
      table = copy(table, 2 * table.length(), -1);
    }
    insert(table, entry);
    count++;
    slots = table;
  }

  private static void insert(AtomicReferenceArray<@Nullable Entry> table, Entry entry) {
    int mask = table.length() - 1;
    int i = slot(entry.number, mask);
    while (table.get(i) != null) {
      i = (i + 1) & mask;
    }
    table.set(i, entry);
  }

  /** A copy without one number. */
  private static AtomicReferenceArray<@Nullable Entry> copy(
      AtomicReferenceArray<@Nullable Entry> table, int length, long without) {
    AtomicReferenceArray<@Nullable Entry> copy = new AtomicReferenceArray<>(length);
    for (int i = 0; i < table.length(); i++) {
      Entry entry = table.get(i);
      if (entry != null && entry.number != without) {
        insert(copy, entry);
      }
    }
    return copy;
  }

  /** Closes a file that was removed, or is about to be, and forgets its blocks. */
  public void evict(long number) throws IOException {
    TableReader reader;
    lock.lock();
    try {
      reader = find(slots, number);
      if (reader != null) {
        slots = copy(slots, slots.length(), number);
        count--;
      }
    } finally {
      lock.unlock();
    }
    cache.remove(TableFormat.identity(storeId, number));
    if (reader != null) {
      reader.close();
    }
  }

  /** Closes all files; none can be opened afterwards. Idempotent. */
  @Override
  public void close() throws IOException {
    AtomicReferenceArray<@Nullable Entry> table;
    lock.lock();
    try {
      closed = true;
      table = slots;
      slots = new AtomicReferenceArray<>(SLOTS_INITIAL);
      count = 0;
    } finally {
      lock.unlock();
    }
    IOException failure = null;
    for (int i = 0; i < table.length(); i++) {
      Entry entry = table.get(i);
      if (entry == null) {
        continue;
      }
      try {
        entry.reader.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
