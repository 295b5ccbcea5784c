package dev.siltstone.bench.store;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** RocksDB through JNI. */
final class RocksStore implements Store {
  private static final int FILTER_BITS = 10;
  private static final int MEMTABLES_MAX = 4;
  private static final int BACKGROUND_JOBS = 2;

  private final RocksDB db;
  private final WriteOptions buffered = new WriteOptions().setSync(false);
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final ReadOptions reading = new ReadOptions();

  /** Native objects to close after the database, in this order. */
  private final List<AutoCloseable> owned = new ArrayList<>();

  private RocksStore(RocksDB db, List<AutoCloseable> owned) {
    this.db = db;
    this.owned.addAll(owned);
  }

  static String settings(StoreConfig config) {
    return ("Bloom filters of %d bits, LRU block cache %d MiB, %s, memtables %d MiB x %d,"
            + " %d background jobs, log written without sync")
        .formatted(
            FILTER_BITS,
            config.cacheMib(),
            config.compress() ? "LZ4" : "no compression",
            config.memtableMib(),
            MEMTABLES_MAX,
            BACKGROUND_JOBS);
  }

  static RocksStore open(Path directory, StoreConfig config) {
    RocksDB.loadLibrary();
    LRUCache cache = new LRUCache(config.cacheBytes());
    BloomFilter filter = new BloomFilter(FILTER_BITS);
    BlockBasedTableConfig tables =
        new BlockBasedTableConfig().setBlockCache(cache).setFilterPolicy(filter);
    Options options =
        new Options()
            .setCreateIfMissing(true)
            .setTableFormatConfig(tables)
            .setWriteBufferSize(config.memtableBytes())
            .setMaxWriteBufferNumber(MEMTABLES_MAX)
            .setMaxBackgroundJobs(BACKGROUND_JOBS)
            .setDisableAutoCompactions(!config.compacts())
            .setCompressionType(
                config.compress()
                    ? CompressionType.LZ4_COMPRESSION
                    : CompressionType.NO_COMPRESSION);
    try {
      RocksDB db = RocksDB.open(options, directory.toString());
      return new RocksStore(db, List.of(options, filter, cache));
    } catch (RocksDBException e) {
      throw new StoreException("open " + directory, e);
    }
  }

  @Override
  public void put(byte[] key, byte[] value) {
    try {
      db.put(buffered, key, value);
    } catch (RocksDBException e) {
      throw new StoreException("put", e);
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    try {
      return db.get(reading, key);
    } catch (RocksDBException e) {
      throw new StoreException("get", e);
    }
  }

  @Override
  @SuppressWarnings("NullAway") // What is not there is null in the list, which RocksDB cannot say.
  public List<byte @Nullable []> getAll(List<byte[]> keys) {
    try {
      return db.multiGetAsList(reading, keys);
    } catch (RocksDBException e) {
      throw new StoreException("get of " + keys.size(), e);
    }
  }

  @Override
  public byte @Nullable [] getBySeek(byte[] key) {
    try (RocksIterator iterator = db.newIterator(reading)) {
      iterator.seek(key);
      if (!iterator.isValid()) {
        check(iterator);
        return null;
      }
      return Arrays.equals(iterator.key(), key) ? iterator.value() : null;
    }
  }

  @Override
  public void delete(byte[] key) {
    try {
      db.delete(buffered, key);
    } catch (RocksDBException e) {
      throw new StoreException("delete", e);
    }
  }

  @Override
  public void write(Batch batch, boolean sync) {
    try (WriteBatch writes = new WriteBatch()) {
      for (int i = 0; i < batch.size(); i++) {
        byte[] value = batch.value(i);
        if (value == null) {
          writes.delete(batch.key(i));
        } else {
          writes.put(batch.key(i), value);
        }
      }
      db.write(sync ? synced : buffered, writes);
    } catch (RocksDBException e) {
      throw new StoreException("write of " + batch.size(), e);
    }
  }

  @Override
  public void scan(byte @Nullable [] from, boolean descending, Visitor visitor) {
    try (RocksIterator iterator = db.newIterator(reading)) {
      position(iterator, from, descending);
      while (iterator.isValid() && visitor.visit(iterator.key(), iterator.value())) {
        if (descending) {
          iterator.prev();
        } else {
          iterator.next();
        }
      }
      check(iterator);
    }
  }

  private static void position(RocksIterator iterator, byte @Nullable [] from, boolean descending) {
    if (from == null) {
      if (descending) {
        iterator.seekToLast();
      } else {
        iterator.seekToFirst();
      }
    } else if (descending) {
      iterator.seekForPrev(from);
    } else {
      iterator.seek(from);
    }
  }

  private static void check(RocksIterator iterator) {
    try {
      iterator.status();
    } catch (RocksDBException e) {
      throw new StoreException("scan", e);
    }
  }

  @Override
  public void flush() {
    try (FlushOptions options = new FlushOptions().setWaitForFlush(true)) {
      db.flush(options);
    } catch (RocksDBException e) {
      throw new StoreException("flush", e);
    }
  }

  @Override
  public void compact() {
    try {
      db.compactRange();
    } catch (RocksDBException e) {
      throw new StoreException("compact", e);
    }
  }

  @Override
  public void close() {
    db.close();
    buffered.close();
    synced.close();
    reading.close();
    for (AutoCloseable object : owned) {
      try {
        object.close();
      } catch (Exception e) {
        throw new StoreException("close", e);
      }
    }
  }
}
