package dev.siltstone.bench.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.WriteOptions;
import org.iq80.leveldb.impl.Iq80DBFactory;
import org.jspecify.annotations.Nullable;

/** The Java port of LevelDB. It has no filters, no backward scan and no compaction on demand. */
final class Iq80Store implements Store {
  private final DB db;
  private final WriteOptions buffered = new WriteOptions().sync(false);
  private final WriteOptions synced = new WriteOptions().sync(true);

  private Iq80Store(DB db) {
    this.db = db;
  }

  static String settings(StoreConfig config) {
    return "no filters, block cache %d MiB, %s, memtable %d MiB, log written without sync"
        .formatted(
            config.cacheMib(),
            config.compress() ? "Snappy (pure Java)" : "no compression",
            config.memtableMib());
  }

  static Iq80Store open(Path directory, StoreConfig config) {
    Options options =
        new Options()
            .createIfMissing(true)
            .writeBufferSize(Math.toIntExact(config.memtableBytes()))
            .cacheSize(config.cacheBytes())
            .compressionType(config.compress() ? CompressionType.SNAPPY : CompressionType.NONE);
    try {
      return new Iq80Store(Iq80DBFactory.factory.open(directory.toFile(), options));
    } catch (IOException e) {
      throw new StoreException("open " + directory, e);
    }
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
    if (descending) {
      throw new UnsupportedOperationException("iq80 LevelDB cannot scan backward");
    }
    try (DBIterator iterator = db.iterator()) {
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
    } catch (IOException e) {
      throw new StoreException("scan", e);
    }
  }

  @Override
  public void flush() {
    // The API has no flush; the memtable goes to a file when it is full.
  }

  @Override
  public void compact() {
    throw new UnsupportedOperationException("iq80 LevelDB cannot compact on demand");
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
