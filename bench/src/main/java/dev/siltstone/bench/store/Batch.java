package dev.siltstone.bench.store;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Changes to be applied together, in order. Not for concurrent use. */
public final class Batch {
  private final List<byte[]> keys = new ArrayList<>();
  private final List<byte @Nullable []> values = new ArrayList<>();

  /** Adds a put. The arrays are kept until {@link #clear}. */
  public void put(byte[] key, byte[] value) {
    keys.add(key);
    values.add(value);
  }

  /** Adds a delete. The array is kept until {@link #clear}. */
  public void delete(byte[] key) {
    keys.add(key);
    values.add(null);
  }

  /** Number of changes. */
  public int size() {
    return keys.size();
  }

  /** Key of a change. */
  public byte[] key(int index) {
    return keys.get(index);
  }

  /** Value that a change puts, or null if it deletes. */
  public byte @Nullable [] value(int index) {
    return values.get(index);
  }

  /** Forgets all changes, so that the batch can be filled again. */
  public void clear() {
    keys.clear();
    values.clear();
  }
}
