package dev.siltstone.engine;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentNavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * One named, ordered map of bytes to bytes within a store. Trees share the store's log, clock and
 * memory; a batch may write to several of them.
 *
 * <p>Keys are ordered as unsigned bytes; a key is 0 to 65,536 bytes, a value 0 to 2^30. Arguments
 * are copied before a method returns, and returned arrays belong to the caller, unless a method
 * says otherwise. Safe for concurrent use.
 *
 * <p>Errors: {@link DbException.Closed} when the store is closed or the tree dropped, {@link
 * DbException.Corrupt} when damaged bytes are met, {@link DbException.Unavailable} when a file
 * cannot be read or written, {@link DbException.DurabilityLost} when a sync failed.
 */
public final class Tree {
  private final Store store;
  private final OpenTree state;

  Tree(Store store, OpenTree state) {
    this.store = store;
    this.state = state;
  }

  /** The name. */
  public String name() {
    return state.name();
  }

  /** The options in force. */
  public TreeOptions options() {
    return state.options();
  }

  /** The value of a key, or {@code null} if there is none. */
  public byte @Nullable [] get(byte[] key) {
    return get(key, null);
  }

  /** The value of a key at a snapshot, or {@code null} if there is none. */
  public byte @Nullable [] get(byte[] key, @Nullable Snapshot snapshot) {
    Objects.requireNonNull(key, "key");
    PointResult found = store.get(state, key, snapshot);
    if (found == null) {
      return null;
    }
    if (KeyKind.isSeparated(Trailer.kind(found.trailer()))) {
      return found.valueArray();
    }
    int skip = expiryBytes(found);
    return Bytes.copy(found.valueArray(), found.valueOffset() + skip, found.valueLength() - skip);
  }

  /**
   * The values of some keys, all as of one moment: the present, with every batch whole. Costs less
   * than a get for each: the keys are looked up in their order, and a block is visited once for all
   * keys in it.
   *
   * <p>All values are in memory together; where they are large, ask for fewer keys at a time, with
   * a snapshot if they shall be of one moment all the same.
   *
   * @param keys in any order; a key may be there more than once. Neither the list nor its arrays
   *     may change until this returns
   * @return an array of the same length: at the place of each key its value, or {@code null} if
   *     there is none. It belongs to the caller, and no two places share an array
   */
  public byte[] @Nullable [] getAll(List<byte[]> keys) {
    return getAll(keys, null);
  }

  /** As {@link #getAll(List)}, at a snapshot. */
  public byte[] @Nullable [] getAll(List<byte[]> keys, @Nullable Snapshot snapshot) {
    Objects.requireNonNull(keys, "keys");
    for (int i = 0; i < keys.size(); i++) {
      if (keys.get(i) == null) {
        throw new NullPointerException("keys, at place " + i);
      }
    }
    return store.getAll(state, keys, snapshot);
  }

  /**
   * The value of a key without a copy, read-only, or {@code null} if there is none. Its bytes never
   * change; they stay valid, and keep up to a block of memory alive, as long as the segment is
   * referenced.
   */
  public @Nullable MemorySegment getSegment(byte[] key) {
    Objects.requireNonNull(key, "key");
    PointResult found = store.get(state, key, null);
    if (found == null) {
      return null;
    }
    int skip = expiryBytes(found);
    return MemorySegment.ofArray(found.valueArray())
        .asSlice(found.valueOffset() + (long) skip, found.valueLength() - (long) skip)
        .asReadOnly();
  }

  /**
   * Copies the value of a key to memory of the caller's and allocates nothing, but for a value that
   * is stored apart.
   *
   * @param target where the value goes, from offset 0 on; what is behind it stays as it was
   * @return the length of the value in bytes, or -1 if there is none. If it is greater than the
   *     size of {@code target}, nothing was copied
   * @throws IllegalArgumentException if {@code target} is read-only
   */
  public int getInto(byte[] key, MemorySegment target) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(target, "target");
    return store.getInto(state, key, null, target);
  }

  /** Whether a key has a value. */
  public boolean contains(byte[] key) {
    Objects.requireNonNull(key, "key");
    return store.find(state, key, null) != null;
  }

  /** Puts a value. */
  public void put(byte[] key, byte[] value) {
    put(key, value, WriteOptions.DEFAULT);
  }

  /** Puts a value. */
  public void put(byte[] key, byte[] value, WriteOptions options) {
    Objects.requireNonNull(options, "options");
    store.put(this, key, value, options);
  }

  /** Puts a value that is gone after {@code timeToLive}. */
  public void put(byte[] key, byte[] value, Duration timeToLive) {
    store.write(store.newBatch().put(this, key, value, timeToLive), WriteOptions.DEFAULT);
  }

  /** Puts a value and deletes all keys that the key is a proper prefix of. */
  public void putSubtree(byte[] key, byte[] value) {
    store.write(store.newBatch().putSubtree(this, key, value), WriteOptions.DEFAULT);
  }

  /** Deletes a key; nothing happens if it is absent. */
  public void delete(byte[] key) {
    delete(key, WriteOptions.DEFAULT);
  }

  /** Deletes a key; nothing happens if it is absent. */
  public void delete(byte[] key, WriteOptions options) {
    Objects.requireNonNull(options, "options");
    store.delete(this, key, options);
  }

  /** Deletes all keys of a range as one record; reads nothing. */
  public void deleteRange(KeyRange range) {
    store.write(store.newBatch().deleteRange(this, range), WriteOptions.DEFAULT);
  }

  /** Deletes a key and all keys that begin with it as one record; reads nothing. */
  public void deleteSubtree(byte[] prefix) {
    store.write(store.newBatch().deleteSubtree(this, prefix), WriteOptions.DEFAULT);
  }

  /** A cursor over all keys, now. The caller closes it. */
  public Cursor cursor() {
    return cursor(ReadOptions.DEFAULT);
  }

  /** A cursor. The caller closes it. */
  public Cursor cursor(ReadOptions options) {
    Objects.requireNonNull(options, "options");
    return store.cursor(state, options);
  }

  /**
   * The tree as a map of objects, which reads and writes through to it. Views of it, and the
   * collections and iterators of these, read the present; they hold no resources, and live as long
   * as the store is open.
   *
   * <ul>
   *   <li>Keys are ordered by their bytes ({@link Codec}); {@code comparator()} compares these.
   *   <li>Neither keys nor values are {@code null}; a {@code null} is a {@link
   *       NullPointerException}. Values are equal if their bytes are.
   *   <li>What reads a key and then writes it ({@code put}, {@code remove}, {@code putIfAbsent},
   *       {@code replace}, {@code compute} and its kin, {@code merge}, {@code poll...}) is atomic
   *       among all users of maps of this tree in this process. Writes by other methods of {@link
   *       Tree} and {@link Db}, and by batches, do not take part: they may come in between. A
   *       function that is given to {@code compute} and its kin is called once, under a lock that
   *       other keys share; it must be short and must not use a map of this store.
   *   <li>{@code clear()} is one range delete. {@code putAll} is not atomic; use {@link
   *       WriteBatch}.
   *   <li>{@code size()} walks all entries, and so do {@code containsValue} and what is built on
   *       these; {@code isEmpty()} does not. {@code put} and {@code remove} read the value of
   *       before to return it; {@link #put(byte[], byte[])} does not, and is faster.
   *   <li>Iterators are weakly consistent: they read some entries at a time and never throw {@link
   *       java.util.ConcurrentModificationException}. Their entries are copies, which {@code
   *       setValue} does not change.
   * </ul>
   *
   * <p>Bytes in the tree that a codec does not know are an {@link IllegalArgumentException} of the
   * codec when they are met. A key of another type than the codec's is a {@link
   * ClassCastException}.
   */
  public <K, V> ConcurrentNavigableMap<K, V> asMap(Codec<K> keys, Codec<V> values) {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    return new MapView<>(this, state.keyLocks(), keys, values, MapBounds.ALL, false);
  }

  /** Number of live keys of a range; walks them. */
  public long count(KeyRange range) {
    long count = 0;
    try (Cursor cursor = cursor(ReadOptions.DEFAULT.withRange(range).withFillCache(false))) {
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        count++;
      }
    }
    return count;
  }

  /**
   * Bytes that a range takes in table files, compressed, within a block at each end; memtables and
   * values stored apart are not counted. Reads no data blocks.
   */
  public long approximateBytes(KeyRange range) {
    Objects.requireNonNull(range, "range");
    return store.approximateBytes(state, range);
  }

  /** Writes the memtables of this tree to files and returns when that is durable. */
  public void flush() {
    store.flush(state);
  }

  /**
   * Flushes, then compacts a range down to its last level: what is deleted, overwritten, expired
   * and needed by no snapshot or retention is gone from the files when this returns. Reads and
   * writes go on meanwhile.
   */
  public void compact(KeyRange range) {
    Objects.requireNonNull(range, "range");
    store.compact(state, range);
  }

  /**
   * Takes files that {@link TableFileWriter} has made into the tree, as one write: all that is in
   * them appears at one moment, later than all writes acknowledged before, or not at all. Snapshots
   * that exist, and times of the past, do not show it. It is durable when this returns.
   *
   * <p>The files are read, checked and written anew, so that they stay as they are and may be
   * removed afterwards. Values of {@link Options#separateValueBytes} and more are stored apart.
   * What was written goes to the deepest level above which nothing overlaps it, without being
   * compacted on the way.
   *
   * <p><b>Cost.</b> All bytes of the files are read and written once, beside other writers. These
   * wait while the log, the new files' ends and the manifest are synced, and if memtables hold keys
   * in the ranges of the files, until they are flushed.
   *
   * @param files whose ranges of keys, range deletes included, do not overlap each other; none is
   *     nothing to do
   * @throws IllegalArgumentException if two of the files overlap
   * @throws DbException.Corrupt if a file is damaged or not in order; nothing has changed
   * @throws DbException.Unsupported if a file was made by something else than {@link
   *     TableFileWriter}, or by a newer version; nothing has changed
   * @throws DbException.Unavailable if a file is missing or on an I/O error. Nothing has changed
   *     unless the manifest could not be written: then the next open tells
   */
  public void ingest(List<Path> files) {
    Objects.requireNonNull(files, "files");
    for (Path file : files) {
      Objects.requireNonNull(file, "a file of files");
    }
    store.ingest(state, List.copyOf(files));
  }

  /**
   * The table files of the tree at present, level by level: those of level 0 newest first, those of
   * deeper levels by key. What is in memtables is in none of them. Reads the last bytes of files
   * that were not read yet; the files may be gone when this returns.
   */
  public List<TableFile> files() {
    return store.files(state);
  }

  /** What the tree consists of at present. */
  public TreeStats stats() {
    return store.treeStats(state);
  }

  /** Its name and where its store is. */
  @Override
  public String toString() {
    return "tree '"
        + name()
        + "' of "
        + store.directory()
        + (state.isDropped() ? " (dropped)" : store.failure().isClosed() ? " (closed)" : "");
  }

  int id() {
    return state.id();
  }

  Store store() {
    return store;
  }

  OpenTree state() {
    return state;
  }

  /** Whether the tree declares that exactly this key may carry a subtree record. */
  boolean isSubtreeKey(byte[] key) {
    return state.isSubtreeKey(key);
  }

  private static int expiryBytes(PointResult found) {
    return KeyKind.expires(Trailer.kind(found.trailer())) ? KeyKind.EXPIRY_BYTES : 0;
  }
}
