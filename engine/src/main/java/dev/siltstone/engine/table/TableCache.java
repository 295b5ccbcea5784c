package dev.siltstone.engine.table;

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.file.FileNames;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open readers of the tables of a store. A reader is opened at its first use and stays open
 * until its file is obsolete; how many handles of the operating system that takes is bounded by the
 * file system. Safe for concurrent use.
 */
public final class TableCache implements Closeable {
  private final FileSystem fileSystem;
  private final Path directory;
  private final long storeId;
  private final BlockCache cache;
  private final Compressors compressors;
  private final ConcurrentHashMap<Long, TableReader> readers = new ConcurrentHashMap<>();

  /** The tables of a store. */
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
   * The reader of a table.
   *
   * @param number its file number
   * @param bytes its length
   * @throws NoSuchFileException if there is no such file, which a reader of an old view may meet
   */
  public TableReader reader(long number, long bytes) throws IOException {
    TableReader reader = readers.get(number);
    return reader != null ? reader : open(number, bytes);
  }

  /** Closes the reader of a table that is gone and forgets its blocks. */
  public void evict(long number) throws IOException {
    TableReader reader = readers.remove(number);
    cache.remove(number);
    if (reader != null) {
      reader.close();
    }
  }

  /** Closes all readers. */
  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (Long number : readers.keySet()) {
      try {
        evict(number);
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private TableReader open(long number, long bytes) throws IOException {
    TableReader opened =
        TableReader.open(
            fileSystem,
            directory.resolve(FileNames.table(number)),
            number,
            bytes,
            storeId,
            cache,
            compressors);
    TableReader before = readers.putIfAbsent(number, opened);
    if (before != null) {
      opened.close();
      return before;
    }
    return opened;
  }
}
