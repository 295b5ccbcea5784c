package dev.siltstone.bench.store;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import jetbrains.exodus.ArrayByteIterable;
import jetbrains.exodus.ByteIterable;
import jetbrains.exodus.env.Cursor;
import jetbrains.exodus.env.Environment;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.EnvironmentImpl;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.Transaction;
import org.jspecify.annotations.Nullable;

/** Xodus: an append-only B-tree; every put or batch is a transaction. */
final class XodusStore implements Store {
  private final Environment environment;
  private final jetbrains.exodus.env.Store tree;

  private XodusStore(Environment environment) {
    this.environment = environment;
    tree =
        environment.computeInTransaction(
            txn ->
                environment.openStore(
                    "bench", jetbrains.exodus.env.StoreConfig.WITHOUT_DUPLICATES, txn));
  }

  static String settings(StoreConfig config) {
    return "one exclusive transaction per put or batch, no sync but where asked for, cache %d MiB"
        .formatted(config.cacheMib());
  }

  static XodusStore open(Path directory, StoreConfig config) {
    EnvironmentConfig settings =
        new EnvironmentConfig().setLogDurableWrite(false).setMemoryUsage(config.cacheBytes());
    return new XodusStore(Environments.newInstance(directory.toFile(), settings));
  }

  @Override
  public void put(byte[] key, byte[] value) {
    environment.executeInExclusiveTransaction(
        txn -> tree.put(txn, new ArrayByteIterable(key), new ArrayByteIterable(value)));
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    Transaction txn = environment.beginReadonlyTransaction();
    try {
      ByteIterable value = tree.get(txn, new ArrayByteIterable(key));
      return value == null ? null : bytes(value);
    } finally {
      txn.abort();
    }
  }

  @Override
  public List<byte @Nullable []> getAll(List<byte[]> keys) {
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    Transaction txn = environment.beginReadonlyTransaction();
    try {
      for (byte[] key : keys) {
        ByteIterable value = tree.get(txn, new ArrayByteIterable(key));
        values.add(value == null ? null : bytes(value));
      }
      return values;
    } finally {
      txn.abort();
    }
  }

  @Override
  public byte @Nullable [] getBySeek(byte[] key) {
    Transaction txn = environment.beginReadonlyTransaction();
    try (Cursor cursor = tree.openCursor(txn)) {
      ByteIterable value = cursor.getSearchKeyRange(new ArrayByteIterable(key));
      return value != null && Arrays.equals(bytes(cursor.getKey()), key) ? bytes(value) : null;
    } finally {
      txn.abort();
    }
  }

  @Override
  public void delete(byte[] key) {
    environment.executeInExclusiveTransaction(txn -> tree.delete(txn, new ArrayByteIterable(key)));
  }

  @Override
  public void write(Batch batch, boolean sync) {
    environment.executeInExclusiveTransaction(
        txn -> {
          for (int i = 0; i < batch.size(); i++) {
            ArrayByteIterable key = new ArrayByteIterable(batch.key(i));
            byte[] value = batch.value(i);
            if (value == null) {
              tree.delete(txn, key);
            } else {
              tree.put(txn, key, new ArrayByteIterable(value));
            }
          }
        });
    if (sync) {
      flush();
    }
  }

  @Override
  public void scan(byte @Nullable [] from, boolean descending, Visitor visitor) {
    Transaction txn = environment.beginReadonlyTransaction();
    try (Cursor cursor = tree.openCursor(txn)) {
      boolean valid = position(cursor, from, descending);
      while (valid && visitor.visit(bytes(cursor.getKey()), bytes(cursor.getValue()))) {
        valid = descending ? cursor.getPrev() : cursor.getNext();
      }
    } finally {
      txn.abort();
    }
  }

  private static boolean position(Cursor cursor, byte @Nullable [] from, boolean descending) {
    if (from == null) {
      return descending ? cursor.getLast() : cursor.getNext();
    }
    boolean found = cursor.getSearchKeyRange(new ArrayByteIterable(from)) != null;
    if (!descending) {
      return found;
    }
    if (!found) {
      return cursor.getLast();
    }
    return Arrays.equals(bytes(cursor.getKey()), from) || cursor.getPrev();
  }

  private static byte[] bytes(ByteIterable iterable) {
    return Arrays.copyOf(iterable.getBytesUnsafe(), iterable.getLength());
  }

  @Override
  public void flush() {
    ((EnvironmentImpl) environment).flushAndSync();
  }

  @Override
  public void compact() {
    throw new UnsupportedOperationException("Xodus collects garbage in the background only");
  }

  @Override
  public void close() {
    environment.close();
  }
}
