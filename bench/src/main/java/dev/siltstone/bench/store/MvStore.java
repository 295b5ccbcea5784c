package dev.siltstone.bench.store;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;
import org.h2.mvstore.type.ByteArrayDataType;
import org.jspecify.annotations.Nullable;

/** H2's MVStore: a copy-on-write B-tree in memory that a thread writes to a file now and then. */
final class MvStore implements Store {
  private static final String FILE = "bench.mv";

  private final MVStore store;
  private final MVMap<byte[], byte[]> map;

  private MvStore(MVStore store) {
    this.store = store;
    map =
        store.openMap(
            "bench",
            new MVMap.Builder<byte[], byte[]>()
                .keyType(UnsignedBytes.INSTANCE)
                .valueType(ByteArrayDataType.INSTANCE));
  }

  static String settings(StoreConfig config) {
    return ("no log: written to the file every second or 16 MiB; batches not atomic; cache %d MiB,"
            + " %s")
        .formatted(config.cacheMib(), config.compress() ? "LZF" : "no compression");
  }

  static MvStore open(Path directory, StoreConfig config) {
    MVStore.Builder builder =
        new MVStore.Builder()
            .fileName(directory.resolve(FILE).toString())
            .cacheSize(Math.toIntExact(config.cacheMib()))
            .autoCommitBufferSize(16 << 10);
    if (config.compress()) {
      builder.compress();
    }
    return new MvStore(builder.open());
  }

  @Override
  public void put(byte[] key, byte[] value) {
    map.put(key.clone(), value.clone());
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    byte[] value = map.get(key);
    return value == null ? null : value.clone();
  }

  @Override
  public byte @Nullable [] getBySeek(byte[] key) {
    Cursor<byte[], byte[]> cursor = map.cursor(key);
    if (!cursor.hasNext() || !Arrays.equals(cursor.next(), key)) {
      return null;
    }
    return cursor.getValue().clone();
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
      store.commit();
      store.sync();
    }
  }

  @Override
  public void scan(byte @Nullable [] from, boolean descending, Visitor visitor) {
    Cursor<byte[], byte[]> cursor = map.cursor(from, null, descending);
    while (cursor.hasNext()) {
      byte[] key = cursor.next();
      if (!visitor.visit(key, cursor.getValue())) {
        return;
      }
    }
  }

  @Override
  public void flush() {
    store.commit();
  }

  @Override
  public void compact() {
    throw new UnsupportedOperationException("MVStore compacts in the background only");
  }

  @Override
  public void close() {
    store.close();
  }

  /** Byte arrays in unsigned order. */
  private static final class UnsignedBytes extends BasicDataType<byte[]> {
    static final UnsignedBytes INSTANCE = new UnsignedBytes();

    @Override
    public int compare(byte[] one, byte[] other) {
      return Arrays.compareUnsigned(one, other);
    }

    @Override
    public int getMemory(byte[] bytes) {
      return ByteArrayDataType.INSTANCE.getMemory(bytes);
    }

    @Override
    public void write(WriteBuffer target, byte[] bytes) {
      ByteArrayDataType.INSTANCE.write(target, bytes);
    }

    @Override
    public byte[] read(ByteBuffer source) {
      return ByteArrayDataType.INSTANCE.read(source);
    }

    @Override
    public byte[][] createStorage(int size) {
      return new byte[size][];
    }
  }
}
