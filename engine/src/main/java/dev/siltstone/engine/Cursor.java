package dev.siltstone.engine;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.read.ReadView;
import dev.siltstone.engine.read.VisibleIterator;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Walks the live entries of a tree in key order, both ways, at one moment: the snapshot's, or that
 * of its opening. Writes made since are not seen.
 *
 * <p>A new cursor stands on no entry until {@link #first}, {@link #last}, {@link #seek} or {@link
 * #seekForPrev} has placed it; each returns whether there was such an entry. A cursor that was
 * moved past either end stands on no entry and must be placed anew.
 *
 * <p>An open cursor keeps the files and memtables that it reads; close it soon. One thread at a
 * time may use it; any thread may close it.
 */
public final class Cursor implements AutoCloseable {
  /** A move that passes so many dead records is reported as a slow read. */
  static final long SLOW_READ_RECORDS = 10_000;

  private static final int KEY_BYTES_SHOWN = 32;

  private final Store store;
  private final OpenTree tree;
  private final ReadView view;
  private final VisibleIterator entries;
  private final AtomicBoolean closed = new AtomicBoolean();

  Cursor(Store store, OpenTree tree, ReadView view, VisibleIterator entries) {
    this.store = store;
    this.tree = tree;
    this.view = view;
    this.entries = entries;
  }

  /** Moves to the first entry. */
  public boolean first() {
    return move("first", VisibleIterator::first);
  }

  /** Moves to the last entry. */
  public boolean last() {
    return move("last", VisibleIterator::last);
  }

  /** Moves to the first entry whose key is {@code key} or after it. */
  public boolean seek(byte[] key) {
    Objects.requireNonNull(key, "key");
    return move("seek", e -> e.seek(key));
  }

  /** Moves to the last entry whose key is {@code key} or before it. */
  public boolean seekForPrev(byte[] key) {
    Objects.requireNonNull(key, "key");
    return move("seekForPrev", e -> e.seekForPrev(key));
  }

  /**
   * Moves to the next entry.
   *
   * @throws IllegalStateException if the cursor stands on no entry
   */
  public boolean next() {
    return move("next", VisibleIterator::next);
  }

  /**
   * Moves to the previous entry.
   *
   * @throws IllegalStateException if the cursor stands on no entry
   */
  public boolean prev() {
    return move("prev", VisibleIterator::prev);
  }

  /** Whether the cursor stands on an entry; not when it or the store is closed. */
  public boolean valid() {
    return !closed.get() && !store.failure().isClosed() && entries.valid();
  }

  /** A copy of the key. */
  public byte[] key() {
    requireEntry();
    return Bytes.copy(entries.keyArray(), 0, entries.keyLength());
  }

  /** A copy of the value. */
  public byte[] value() {
    requireEntry();
    int skip = expiryBytes();
    if (KeyKind.isSeparated(Trailer.kind(entries.trailer()))) {
      return separateValue(skip);
    }
    return Bytes.copy(
        entries.valueArray(), entries.valueOffset() + skip, entries.valueLength() - skip);
  }

  /** The key, read-only and without a copy; its bytes are valid until the next move. */
  public MemorySegment keySegment() {
    requireEntry();
    return MemorySegment.ofArray(entries.keyArray()).asSlice(0, entries.keyLength()).asReadOnly();
  }

  /**
   * The value, read-only and without a copy; its bytes never change and stay valid as long as they
   * are referenced.
   */
  public MemorySegment valueSegment() {
    requireEntry();
    int skip = expiryBytes();
    if (KeyKind.isSeparated(Trailer.kind(entries.trailer()))) {
      return MemorySegment.ofArray(separateValue(skip)).asReadOnly();
    }
    return MemorySegment.ofArray(entries.valueArray())
        .asSlice(entries.valueOffset() + (long) skip, entries.valueLength() - (long) skip)
        .asReadOnly();
  }

  /** When the entry was written. */
  public Instant writeTime() {
    requireEntry();
    return Instant.EPOCH.plus(
        HybridTime.toUnixMicros(Trailer.time(entries.trailer())), ChronoUnit.MICROS);
  }

  /** Records, dead ones included, that the cursor has passed without returning them. */
  public long steppedOver() {
    return entries.steppedOver();
  }

  /** Gives up what the cursor holds. Idempotent. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      store.cursorClosed(view);
    }
  }

  /** The tree, and where the cursor stands: the first bytes of the key in hexadecimal. */
  @Override
  public String toString() {
    String where = closed.get() ? "closed" : "on no entry";
    if (valid()) {
      int length = entries.keyLength();
      int shown = Math.min(length, KEY_BYTES_SHOWN);
      String key = Bytes.hex(Bytes.copy(entries.keyArray(), 0, shown));
      where = "at key " + key + (shown < length ? "... of " + length + " bytes" : "");
    }
    return "cursor on tree '" + tree.name() + "' (" + where + ")";
  }

  private boolean move(String operation, Move move) {
    checkOpen();
    long before = entries.steppedOver();
    try {
      move.on(entries);
    } catch (IOException e) {
      throw closed.get()
          ? new DbException.Closed("the cursor")
          : store.failure().translate(e, "reading tree '" + tree.name() + "'");
    }
    long passed = entries.steppedOver() - before;
    if (passed > 0) {
      store.noteSteppedOver(tree, operation, passed);
    }
    return entries.valid();
  }

  private byte[] separateValue(int skip) {
    return store.readBlob(tree, entries.valueArray(), entries.valueOffset() + skip);
  }

  private int expiryBytes() {
    return KeyKind.expires(Trailer.kind(entries.trailer())) ? KeyKind.EXPIRY_BYTES : 0;
  }

  private void checkOpen() {
    store.failure().checkOpen();
    if (closed.get()) {
      throw new DbException.Closed("the cursor");
    }
  }

  private void requireEntry() {
    checkOpen();
    if (!entries.valid()) {
      throw new IllegalStateException("the cursor stands on no entry");
    }
  }

  @FunctionalInterface
  private interface Move {
    void on(VisibleIterator entries) throws IOException;
  }
}
