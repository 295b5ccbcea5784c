package dev.siltstone.bench.store;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import org.jspecify.annotations.Nullable;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/** MapDB: a B-tree in a mapped file, changed in place. */
final class MapDbStore implements Store {
  private static final String FILE = "bench.mapdb";

  private final DB db;
  private final ConcurrentNavigableMap<byte[], byte[]> map;

  private MapDbStore(DB db) {
    this.db = db;
    map = db.treeMap("bench", Serializer.BYTE_ARRAY, Serializer.BYTE_ARRAY).createOrOpen();
  }

  static String settings() {
    return "mapped file without a log: a crash may destroy the store; batches not atomic";
  }

  static MapDbStore open(Path directory) {
    return new MapDbStore(
        DBMaker.fileDB(directory.resolve(FILE).toFile())
            .fileMmapEnable()
            .fileMmapPreclearDisable()
            .make());
  }

  @Override
  public void put(byte[] key, byte[] value) {
    map.put(key.clone(), value.clone());
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return map.get(key);
  }

  @Override
  public byte @Nullable [] getBySeek(byte[] key) {
    Iterator<Map.Entry<byte[], byte[]>> iterator = map.tailMap(key, true).entrySet().iterator();
    if (!iterator.hasNext()) {
      return null;
    }
    Map.Entry<byte[], byte[]> entry = iterator.next();
    return Arrays.equals(entry.getKey(), key) ? entry.getValue() : null;
  }

  @Override
  public void delete(byte[] key) {
    map.remove(key);
  }

  @Override
  public void write(Batch batch, boolean sync) {
    for (int i = 0; i < batch.size(); i++) {
      byte[] value = batch.value(i);
      if (value == null) {
        map.remove(batch.key(i));
      } else {
        put(batch.key(i), value);
      }
    }
    if (sync) {
      db.commit();
    }
  }

  @Override
  public void scan(byte @Nullable [] from, boolean descending, Visitor visitor) {
    ConcurrentNavigableMap<byte[], byte[]> view = map;
    if (from != null) {
      view = descending ? map.headMap(from, true) : map.tailMap(from, true);
    }
    if (descending) {
      view = view.descendingMap();
    }
    for (Map.Entry<byte[], byte[]> entry : view.entrySet()) {
      if (!visitor.visit(entry.getKey(), entry.getValue())) {
        return;
      }
    }
  }

  @Override
  public void flush() {
    db.commit();
  }

  @Override
  public void compact() {
    throw new UnsupportedOperationException("MapDB compacts stores of other kinds only");
  }

  @Override
  public void close() {
    db.close();
  }
}
