package dev.siltstone.bench.store;

import dev.siltstone.engine.Cursor;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.DbException;
import dev.siltstone.engine.KeyRange;
import dev.siltstone.engine.Options;
import dev.siltstone.engine.TreeOptions;
import dev.siltstone.engine.WriteBatch;
import dev.siltstone.engine.WriteOptions;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Our own engine. */
final class SiltstoneStore implements Store {
  private final Db db;

  private SiltstoneStore(Db db) {
    this.db = db;
  }

  static String settings(StoreConfig config) {
    return "memtable "
        + config.memtableMib()
        + " MiB, cache and memtables together "
        + memoryBytes(config) / (1 << 20)
        + " MiB, filter 10 bits a key, "
        + (config.compress() ? "LZ4 below level 1" : "no compression")
        + ", mapped log, sync on request";
  }

  static Store open(Path directory, StoreConfig config) {
    Options options =
        Options.builder()
            .memtableBytes(config.memtableBytes())
            .memoryBytes(memoryBytes(config))
            .automaticCompaction(config.compacts())
            .defaultTree(TreeOptions.DEFAULT.withCompression(config.compress() ? "lz4" : "none"))
            .build();
    try {
      return new SiltstoneStore(Db.open(directory, options));
    } catch (DbException e) {
      throw new StoreException("cannot open " + directory, e);
    }
  }

  private static long memoryBytes(StoreConfig config) {
    return config.cacheBytes() + 4 * config.memtableBytes();
  }

  @Override
  public void put(byte[] key, byte[] value) {
    db.put(key, value);
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return db.get(key);
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> keys) {
    return Arrays.asList(db.tree().getAll(keys));
  }

  @Override
  public byte @Nullable [] getBySeek(byte[] key) {
    try (Cursor cursor = db.cursor()) {
      return cursor.seek(key) && Arrays.equals(cursor.key(), key) ? cursor.value() : null;
    }
  }

  @Override
  public void delete(byte[] key) {
    db.delete(key);
  }

  @Override
  public void write(Batch batch, boolean sync) {
    WriteBatch writes = db.newBatch();
    for (int i = 0; i < batch.size(); i++) {
      byte[] value = batch.value(i);
      if (value == null) {
        writes.delete(batch.key(i));
      } else {
        writes.put(batch.key(i), value);
      }
    }
    db.write(writes, sync ? WriteOptions.SYNC : WriteOptions.DEFAULT);
  }

  @Override
  public void scan(byte @Nullable [] from, boolean descending, Visitor visitor) {
    try (Cursor cursor = db.cursor()) {
      boolean more = place(cursor, from, descending);
      while (more && visitor.visit(cursor.key(), cursor.value())) {
        more = descending ? cursor.prev() : cursor.next();
      }
    }
  }

  private static boolean place(Cursor cursor, byte @Nullable [] from, boolean descending) {
    if (from == null) {
      return descending ? cursor.last() : cursor.first();
    }
    return descending ? cursor.seekForPrev(from) : cursor.seek(from);
  }

  @Override
  public void flush() {
    db.flush();
  }

  @Override
  public void compact() {
    db.compact(KeyRange.ALL);
  }

  @Override
  public void close() {
    db.close();
  }
}
