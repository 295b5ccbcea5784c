package dev.siltstone.bench.store;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An ordered map of bytes to bytes as a benchmark sees it. Keys are ordered by unsigned bytes,
 * shorter first when one is a prefix of the other.
 *
 * <p>Arrays given are not kept or changed; arrays returned belong to the caller. All calls but
 * {@link #close} may come from several threads at once. What fails throws {@link StoreException};
 * what an engine cannot do ({@link Engine#features}) throws {@link UnsupportedOperationException}.
 */
public interface Store extends AutoCloseable {

  /** Sets a value, with the log written but not synced. */
  void put(byte[] key, byte[] value);

  /** The value of a key, or null if it has none. */
  byte @Nullable [] get(byte[] key);

  /**
   * The values of several keys, in their order; null where a key has none. By one call of the
   * engine where it has such a call, else one by one.
   */
  default List<byte @Nullable []> getAll(List<byte[]> keys) {
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    for (byte[] key : keys) {
      values.add(get(key));
    }
    return values;
  }

  /**
   * As {@link #get}, but by a new cursor: seek to the key, compare what is found, close the cursor.
   * This is the road on which tombstones hurt.
   */
  byte @Nullable [] getBySeek(byte[] key);

  /** Removes a key, present or not, with the log written but not synced. */
  void delete(byte[] key);

  /**
   * Applies all of a batch or nothing.
   *
   * @param sync whether the batch must be on the device when the call returns
   */
  void write(Batch batch, boolean sync);

  /**
   * Visits entries by a new cursor until the visitor has enough or there are no more.
   *
   * @param from where to begin, inclusive, whether or not it is there; null for the first entry
   *     (the last one, if descending)
   * @param descending whether to go towards smaller keys
   */
  void scan(byte @Nullable [] from, boolean descending, Visitor visitor);

  /** Moves what is in memory into files, and waits for it. Does nothing where there is no such. */
  void flush();

  /** Compacts all of the store into its final form, and waits for it. */
  void compact();

  /** Releases everything. What was written is there when the directory is opened again. */
  @Override
  void close();

  /** Sees the entries of a scan. */
  @FunctionalInterface
  interface Visitor {
    /**
     * One entry. The arrays are valid during the call only.
     *
     * @return whether to go on
     */
    boolean visit(byte[] key, byte[] value);
  }
}
