package dev.siltstone.bench.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBFactory;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.WriteOptions;
import org.jspecify.annotations.Nullable;

/**
 * An engine behind the API of iq80's LevelDB, which its C++ original through JNI shares. The API
 * has no filters and no flush.
 */
final class LevelDbStore implements Store {
  private final String label;
  private final boolean whole;
  private final DB db;
  private final WriteOptions buffered = new WriteOptions().sync(false);
  private final WriteOptions synced = new WriteOptions().sync(true);

  private LevelDbStore(String label, boolean whole, DB db) {
    this.label = label;
    this.whole = whole;
    this.db = db;
  }

  /**
   * Opens a store.
   *
   * @param label the engine, for messages
   * @param whole whether it can go backward and compact, which the port to Java cannot
   */
  static LevelDbStore open(
      String label, boolean whole, DBFactory factory, Path directory, StoreConfig config) {
    Options options =
        new Options()
            .createIfMissing(true)
            .writeBufferSize(Math.toIntExact(config.memtableBytes()))
            .cacheSize(config.cacheBytes())
            .compressionType(config.compress() ? CompressionType.SNAPPY : CompressionType.NONE);
    try {
      return new LevelDbStore(label, whole, factory.open(directory.toFile(), options));
    } catch (IOException e) {
      throw new StoreException("open " + directory, e);
    }
  }

  static String settings(StoreConfig config, String snappy) {
    return "no filters, block cache %d MiB, %s, memtable %d MiB, log written without sync"
        .formatted(
            config.cacheMib(), config.compress() ? snappy : "no compression", config.memtableMib());
  }

  @Override
  public void put(byte[] key, byte[] value) {
    db.put(key, value, buffered);
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return db.get(key);
  }

  @Override
  public byte @Nullable [] getBySeek(byte[] key) {
    try (DBIterator iterator = db.iterator()) {
      iterator.seek(key);
      if (!iterator.hasNext()) {
        return null;
      }
      Map.Entry<byte[], byte[]> entry = iterator.next();
      return Arrays.equals(entry.getKey(), key) ? entry.getValue() : null;
    } catch (IOException e) {
      throw new StoreException("seek", e);
    }
  }

  @Override
  public void delete(byte[] key) {
    db.delete(key, buffered);
  }

  @Override
  public void write(Batch batch, boolean sync) {
    try (WriteBatch writes = db.createWriteBatch()) {
      for (int i = 0; i < batch.size(); i++) {
        byte[] value = batch.value(i);
        if (value == null) {
          writes.delete(batch.key(i));
        } else {
          writes.put(batch.key(i), value);
        }
      }
      db.write(writes, sync ? synced : buffered);
    } catch (IOException e) {
      throw new StoreException("write of " + batch.size(), e);
    }
  }

  @Override
  public void scan(byte @Nullable [] from, boolean descending, Visitor visitor) {
    if (descending && !whole) {
      throw new UnsupportedOperationException(label + " cannot scan backward");
    }
    try (DBIterator iterator = db.iterator()) {
      if (descending) {
        backward(iterator, from, visitor);
      } else {
        forward(iterator, from, visitor);
      }
    } catch (IOException e) {
      throw new StoreException("scan", e);
    }
  }

  private static void forward(DBIterator iterator, byte @Nullable [] from, Visitor visitor) {
    if (from == null) {
      iterator.seekToFirst();
    } else {
      iterator.seek(from);
    }
    while (iterator.hasNext()) {
      Map.Entry<byte[], byte[]> entry = iterator.next();
      if (!visitor.visit(entry.getKey(), entry.getValue())) {
        return;
      }
    }
  }

  private static void backward(DBIterator iterator, byte @Nullable [] from, Visitor visitor) {
    if (from == null || !seek(iterator, from)) {
      iterator.seekToLast();
    } else if (!Arrays.equals(iterator.peekNext().getKey(), from)) {
      if (!iterator.hasPrev()) {
        return;
      }
      iterator.prev();
    }
    // The iterator stands on an entry, which peekNext gives; hasPrev asks for the one before it.
    while (iterator.hasNext()) {
      Map.Entry<byte[], byte[]> entry = iterator.peekNext();
      if (!visitor.visit(entry.getKey(), entry.getValue()) || !iterator.hasPrev()) {
        return;
      }
      iterator.prev();
    }
  }

  private static boolean seek(DBIterator iterator, byte[] key) {
    iterator.seek(key);
    return iterator.hasNext();
  }

  @Override
  public void flush() {
    // The API has no flush; the memtable goes to a file when it is full.
  }

  @Override
  public void compact() {
    if (!whole) {
      throw new UnsupportedOperationException(label + " cannot compact on demand");
    }
    db.compactRange(null, null);
  }

  @Override
  public void close() {
    try {
      db.close();
    } catch (IOException e) {
      throw new StoreException("close", e);
    }
  }
}
