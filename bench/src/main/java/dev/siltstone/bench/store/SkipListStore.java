package dev.siltstone.bench.store;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** The JDK's sorted map: keeps nothing, and a batch is not atomic. */
final class SkipListStore implements Store {
  private final ConcurrentSkipListMap<byte[], byte[]> map =
      new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

  static String settings() {
    return "in memory, no log, no files, batches not atomic";
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
    Map.Entry<byte[], byte[]> entry = map.ceilingEntry(key);
    return entry != null && Arrays.equals(entry.getKey(), key) ? entry.getValue().clone() : null;
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
        delete(batch.key(i));
      } else {
        put(batch.key(i), value);
      }
    }
  }

  @Override
  public void scan(byte @Nullable [] from, boolean descending, Visitor visitor) {
    ConcurrentNavigableMap<byte[], byte[]> view = descending ? map.descendingMap() : map;
    if (from != null) {
      view = view.tailMap(from, true);
    }
    for (Map.Entry<byte[], byte[]> entry : view.entrySet()) {
      if (!visitor.visit(entry.getKey(), entry.getValue())) {
        return;
      }
    }
  }

  @Override
  public void flush() {
    // There is nothing below memory.
  }

  @Override
  public void compact() {
    throw new UnsupportedOperationException("a skip list has nothing to compact");
  }

  @Override
  public void close() {
    map.clear();
  }
}
