package dev.siltstone.engine;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.key.BatchRecord;
import dev.siltstone.engine.key.BatchResolver;
import dev.siltstone.engine.key.BatchWriter;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.UpperBound;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes to any trees of one store that take effect together or not at all, made by {@link
 * Db#newBatch} and applied by {@link Db#write}.
 *
 * <p>All writes of a batch carry the same time; a later write wins over an earlier one on the same
 * key, and a delete of a range or subtree does not touch what the batch puts there afterwards.
 *
 * <p>Keys and values are copied when they are added, values of {@link Options#separateValueBytes}
 * and more excepted: those are borrowed until the batch is written or cleared. A batch is written
 * once, and used again after {@link #clear}: until then, whatever adds to it or writes it is an
 * {@link IllegalStateException}. One whose write has failed may be written again. Not safe for
 * concurrent use.
 *
 * <p>Limits: keys of 0 to 65,536 bytes, values of 0 to 2^30 bytes, 256 MiB a batch without the
 * values that are stored apart, bounds of range deletes of 0 to 65,537 bytes. What is over its
 * limit is an {@link IllegalArgumentException} and leaves the batch as it was.
 */
public final class WriteBatch {
  /** Longest key in bytes. */
  public static final int KEY_BYTES_MAX = 64 << 10;

  /** Longest value in bytes. */
  public static final int VALUE_BYTES_MAX = 1 << 30;

  /** Longest batch in bytes. */
  public static final int BATCH_BYTES_MAX = 256 << 20;

  /** What a record takes at most besides key and value: kind, tree, lengths and expiry. */
  private static final int RECORD_BYTES = 32;

  /** Stands where a reference will be put. */
  private static final byte[] NO_REFERENCE = new byte[BlobReference.BYTES];

  static {
    new BlobReference(1, 0, 0).write(NO_REFERENCE, 0);
  }

  private final Store store;
  private final BatchWriter writer = new BatchWriter();
  private final List<Tree> trees = new ArrayList<>(1);
  private @Nullable List<SeparateValue> separate;

  /** Its place in the queue, made once. */
  private final WriteQueue.Writer queued = WriteQueue.Writer.of(this);

  private boolean needsResolution;
  private long time;
  private boolean logged;

  /** Whether the store has it; the values stored apart are not ours any more. */
  private boolean written;

  WriteBatch(Store store) {
    this.store = store;
  }

  /** Puts a value into the default tree. */
  public WriteBatch put(byte[] key, byte[] value) {
    return put(store.defaultTree(), key, value);
  }

  /** Deletes a key of the default tree. */
  public WriteBatch delete(byte[] key) {
    return delete(store.defaultTree(), key);
  }

  /** Puts a value. */
  public WriteBatch put(Tree tree, byte[] key, byte[] value) {
    addPut(tree, KeyKind.PUT, key, value, HybridTime.MAX);
    return this;
  }

  /**
   * Puts a value that is gone after a time.
   *
   * @param timeToLive from now on, more than zero
   */
  public WriteBatch put(Tree tree, byte[] key, byte[] value, Duration timeToLive) {
    Objects.requireNonNull(tree, "tree");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(timeToLive, "timeToLive");
    addPut(tree, KeyKind.PUT, key, value, store.expiryAfter(timeToLive));
    return this;
  }

  /** Puts a value and deletes everything below the key: all keys that it is a proper prefix of. */
  public WriteBatch putSubtree(Tree tree, byte[] key, byte[] value) {
    Objects.requireNonNull(tree, "tree");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    if (tree.isSubtreeKey(key)) {
      addPut(tree, KeyKind.PUT | KeyKind.SUBTREE, key, value, HybridTime.MAX);
      needsResolution = true;
      return this;
    }
    // Whether all of it fits, before a part is added.
    checkValueBytes(value.length);
    check(tree, key, 2L * key.length + RECORD_BYTES + storedBytes(value));
    return deleteSubtree(tree, key).put(tree, key, value);
  }

  /** Deletes a key; nothing happens if it is absent. */
  public WriteBatch delete(Tree tree, byte[] key) {
    addDelete(tree, KeyKind.DELETE, key);
    return this;
  }

  /** Deletes the key and all keys that begin with it, as one record; reads nothing. */
  public WriteBatch deleteSubtree(Tree tree, byte[] prefix) {
    Objects.requireNonNull(tree, "tree");
    Objects.requireNonNull(prefix, "prefix");
    if (tree.isSubtreeKey(prefix)) {
      addDelete(tree, KeyKind.DELETE | KeyKind.SUBTREE, prefix);
      needsResolution = true;
      return this;
    }
    return deleteRange(tree, KeyRange.prefix(prefix));
  }

  /**
   * Deletes all keys of a range, as one record; reads nothing. An empty range deletes nothing.
   *
   * @throws IllegalArgumentException if the bounds are in the wrong order
   */
  public WriteBatch deleteRange(Tree tree, KeyRange range) {
    Objects.requireNonNull(tree, "tree");
    Objects.requireNonNull(range, "range");
    checkNotWritten();
    byte[] lower = range.lower() == null ? Bytes.EMPTY : range.lower();
    byte[] upper = range.upper() == null ? UpperBound.end() : range.upper();
    int order = Bytes.compare(lower, upper);
    if (order > 0) {
      throw new IllegalArgumentException("range " + range + ": lower bound after upper bound");
    }
    if (order == 0) {
      return this;
    }
    checkBound(lower);
    checkBound(upper);
    byte[] encoded = UpperBound.encode(upper);
    checkRoom(tree, (long) lower.length + encoded.length);
    writer.add(tree.id(), KeyKind.RANGE_DELETE, lower, encoded);
    note(tree);
    needsResolution = true;
    return this;
  }

  /** Forgets all writes. */
  public void clear() {
    writer.clear();
    trees.clear();
    separate = null;
    needsResolution = false;
    written = false;
  }

  /** Number of writes. */
  public int count() {
    return writer.count();
  }

  /** Whether there is nothing to write. */
  public boolean isEmpty() {
    return writer.count() == 0;
  }

  /** Bytes that the batch will take in the log, without values stored apart. */
  public int bytes() {
    return writer.bytes();
  }

  /** How much is in it, and whether it was written. */
  @Override
  public String toString() {
    return "batch of "
        + count()
        + " writes, "
        + bytes()
        + " bytes"
        + (separate == null ? "" : ", " + separate.size() + " values stored apart")
        + (written ? " (written)" : "");
  }

  Store store() {
    return store;
  }

  /** Stamps the time of all writes. */
  void seal(long time) {
    this.time = time;
    writer.seal(time);
  }

  /** The time last stamped. */
  long time() {
    return time;
  }

  /** Whether the log may hold the batch, be it in part, even if the write has failed. */
  boolean isLogged() {
    return logged;
  }

  void setLogged(boolean logged) {
    this.logged = logged;
  }

  /** The store has all of the batch. */
  void setWritten() {
    written = !isEmpty();
  }

  void checkNotWritten() {
    if (written) {
      throw new IllegalStateException(
          "the batch of " + count() + " writes was written already; clear() makes it empty again");
    }
  }

  BatchWriter writer() {
    return writer;
  }

  /** Its place in the queue of the store. */
  WriteQueue.Writer queued() {
    return queued;
  }

  List<Tree> trees() {
    return trees;
  }

  /** Values to be stored apart before the batch is logged. */
  List<SeparateValue> separateValues() {
    return separate == null ? List.of() : separate;
  }

  /** Lets later writes win over earlier ones where the memtable cannot. */
  void resolve() {
    if (!needsResolution) {
      return;
    }
    needsResolution = false;
    BatchResolver.Moves moves = BatchResolver.resolve(writer);
    if (separate != null) {
      List<SeparateValue> left = new ArrayList<>(separate.size());
      for (SeparateValue value : separate) {
        int offset = moves.of(value.offset);
        if (offset >= 0) {
          left.add(new SeparateValue(offset, value.value));
        }
      }
      separate = left;
    }
  }

  private void addPut(Tree tree, int kind, byte[] key, byte[] value, long expiry) {
    Objects.requireNonNull(tree, "tree");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    checkValueBytes(value.length);
    boolean apart = isApart(value);
    byte[] stored = apart ? NO_REFERENCE : value;
    int fullKind =
        kind | (apart ? KeyKind.SEPARATED : 0) | (expiry == HybridTime.MAX ? 0 : KeyKind.EXPIRES);
    check(tree, key, stored.length);
    if (expiry == HybridTime.MAX) {
      writer.add(tree.id(), fullKind, key, 0, key.length, stored, 0, stored.length);
    } else {
      writer.addExpiring(tree.id(), fullKind, expiry, key, stored);
    }
    note(tree);
    if (apart) {
      if (separate == null) {
        separate = new ArrayList<>(1);
      }
      separate.add(new SeparateValue(writer.bytes() - stored.length, value));
    }
  }

  private boolean isApart(byte[] value) {
    return value.length >= store.options().separateValueBytes();
  }

  private int storedBytes(byte[] value) {
    return isApart(value) ? BlobReference.BYTES : value.length;
  }

  private void addDelete(Tree tree, int kind, byte[] key) {
    Objects.requireNonNull(tree, "tree");
    Objects.requireNonNull(key, "key");
    check(tree, key, 0);
    writer.add(tree.id(), kind, key, Bytes.EMPTY);
    note(tree);
  }

  private void check(Tree tree, byte[] key, long valueLength) {
    if (key.length > KEY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "key of " + key.length + " bytes: at most " + KEY_BYTES_MAX);
    }
    checkRoom(tree, (long) key.length + valueLength);
  }

  private void checkRoom(Tree tree, long more) {
    checkNotWritten();
    if (tree.store() != store) {
      throw new IllegalArgumentException(
          "tree '" + tree.name() + "' belongs to another store than the batch");
    }
    long bytes = (long) writer.bytes() + more + RECORD_BYTES;
    if (bytes > BATCH_BYTES_MAX) {
      throw new IllegalArgumentException(
          "batch of " + bytes + " bytes: at most " + BATCH_BYTES_MAX + "; write it in parts");
    }
  }

  static void checkValueBytes(int bytes) {
    if (bytes > VALUE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "value of " + bytes + " bytes: at most " + VALUE_BYTES_MAX);
    }
  }

  private static void checkBound(byte[] bound) {
    if (bound.length > BatchRecord.BOUND_BYTES_MAX) {
      throw new IllegalArgumentException(
          "bound of " + bound.length + " bytes: at most " + BatchRecord.BOUND_BYTES_MAX);
    }
  }

  private void note(Tree tree) {
    if (!trees.contains(tree)) {
      trees.add(tree);
    }
  }

  /**
   * A value that goes to a blob file.
   *
   * @param offset where in the batch's bytes its reference will stand
   * @param value the caller's array, borrowed
   */
  record SeparateValue(int offset, byte[] value) {}
}
