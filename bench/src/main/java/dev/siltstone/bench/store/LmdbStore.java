package dev.siltstone.bench.store;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.SeekOp;
import org.lmdbjava.Txn;

/**
 * LMDB: a copy-on-write B-tree in a mapped file. Every put or batch is a transaction; a read takes
 * the read transaction of its thread and renews it.
 */
final class LmdbStore implements Store {
  private static final long MAP_BYTES = 48L << 30;
  private static final int READERS_MAX = 4096;
  private static final int BUFFER_BYTES = 4096;

  private final Env<ByteBuffer> env;
  private final Dbi<ByteBuffer> dbi;
  private final Queue<Reader> readers = new ConcurrentLinkedQueue<>();
  private final ThreadLocal<Reader> reader = ThreadLocal.withInitial(this::newReader);
  private final ThreadLocal<Buffers> buffers = ThreadLocal.withInitial(Buffers::new);

  private LmdbStore(Env<ByteBuffer> env, Dbi<ByteBuffer> dbi) {
    this.env = env;
    this.dbi = dbi;
  }

  static String settings() {
    return "MDB_NOSYNC + MDB_WRITEMAP (no log; a power loss may lose the whole store), map of "
        + (MAP_BYTES >> 30)
        + " GiB, one transaction per put or batch, no compression";
  }

  static LmdbStore open(Path directory, StoreConfig config) {
    assert config.cacheBytes() > 0 : "the page cache of the kernel is LMDB's only cache";
    Env<ByteBuffer> env =
        Env.create()
            .setMapSize(MAP_BYTES)
            .setMaxDbs(1)
            .setMaxReaders(READERS_MAX)
            .open(
                directory.toFile(), EnvFlags.MDB_NOSYNC, EnvFlags.MDB_WRITEMAP, EnvFlags.MDB_NOTLS);
    return new LmdbStore(env, env.openDbi("bench", DbiFlags.MDB_CREATE));
  }

  @Override
  public void put(byte[] key, byte[] value) {
    Buffers mine = buffers.get();
    try (Txn<ByteBuffer> txn = env.txnWrite()) {
      dbi.put(txn, mine.key(key), mine.value(value));
      txn.commit();
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    Reader mine = reader.get();
    mine.txn.renew();
    try {
      ByteBuffer value = dbi.get(mine.txn, buffers.get().key(key));
      return value == null ? null : bytes(value);
    } finally {
      mine.txn.reset();
    }
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> keys) {
    Reader mine = reader.get();
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    mine.txn.renew();
    try {
      for (byte[] key : keys) {
        ByteBuffer value = dbi.get(mine.txn, buffers.get().key(key));
        values.add(value == null ? null : bytes(value));
      }
      return values;
    } finally {
      mine.txn.reset();
    }
  }

  @Override
  public byte @Nullable [] getBySeek(byte[] key) {
    Reader mine = reader.get();
    ByteBuffer wanted = buffers.get().key(key);
    mine.txn.renew();
    try (Cursor<ByteBuffer> cursor = dbi.openCursor(mine.txn)) {
      if (!cursor.get(wanted, GetOp.MDB_SET_RANGE)) {
        return null;
      }
      return cursor.key().equals(ByteBuffer.wrap(key)) ? bytes(cursor.val()) : null;
    } finally {
      mine.txn.reset();
    }
  }

  @Override
  public void delete(byte[] key) {
    try (Txn<ByteBuffer> txn = env.txnWrite()) {
      dbi.delete(txn, buffers.get().key(key));
      txn.commit();
    }
  }

  @Override
  public void write(Batch batch, boolean sync) {
    Buffers mine = buffers.get();
    try (Txn<ByteBuffer> txn = env.txnWrite()) {
      for (int i = 0; i < batch.size(); i++) {
        byte[] value = batch.value(i);
        if (value == null) {
          dbi.delete(txn, mine.key(batch.key(i)));
        } else {
          dbi.put(txn, mine.key(batch.key(i)), mine.value(value));
        }
      }
      txn.commit();
    }
    if (sync) {
      env.sync(true);
    }
  }

  @Override
  public void scan(byte @Nullable [] from, boolean descending, Visitor visitor) {
    Reader mine = reader.get();
    mine.txn.renew();
    try (Cursor<ByteBuffer> cursor = dbi.openCursor(mine.txn)) {
      boolean valid = position(cursor, from, descending);
      while (valid && visitor.visit(bytes(cursor.key()), bytes(cursor.val()))) {
        valid = cursor.seek(descending ? SeekOp.MDB_PREV : SeekOp.MDB_NEXT);
      }
    } finally {
      mine.txn.reset();
    }
  }

  private boolean position(Cursor<ByteBuffer> cursor, byte @Nullable [] from, boolean descending) {
    if (from == null) {
      return descending ? cursor.last() : cursor.first();
    }
    boolean found = cursor.get(buffers.get().key(from), GetOp.MDB_SET_RANGE);
    if (!descending) {
      return found;
    }
    if (!found) {
      return cursor.last();
    }
    return cursor.key().equals(ByteBuffer.wrap(from)) || cursor.prev();
  }

  @Override
  public void flush() {
    env.sync(true);
  }

  @Override
  public void compact() {
    throw new UnsupportedOperationException("LMDB has nothing to compact in place");
  }

  @Override
  public void close() {
    for (Reader each : readers) {
      each.txn.close();
    }
    dbi.close();
    env.close();
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private Reader newReader() {
    Reader made = new Reader(env.txnRead());
    made.txn.reset();
    readers.add(made);
    return made;
  }

  /** The read transaction of one thread, reset between reads. */
  private record Reader(Txn<ByteBuffer> txn) {}

  /** Memory outside the heap to hand a key and a value over in. */
  private static final class Buffers {
    private ByteBuffer key = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private ByteBuffer value = ByteBuffer.allocateDirect(BUFFER_BYTES);

    ByteBuffer key(byte[] bytes) {
      key = filled(key, bytes);
      return key;
    }

    ByteBuffer value(byte[] bytes) {
      value = filled(value, bytes);
      return value;
    }

    private static ByteBuffer filled(ByteBuffer buffer, byte[] bytes) {
      ByteBuffer target =
          buffer.capacity() >= bytes.length ? buffer : ByteBuffer.allocateDirect(bytes.length);
      return target.clear().put(bytes).flip();
    }
  }
}
