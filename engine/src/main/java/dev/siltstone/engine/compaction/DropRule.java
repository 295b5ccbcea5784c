package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.engine.iter.SubtreeStack;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;

/**
 * What may disappear when files are rewritten. A reader at any time at or after the cutoff must see
 * the same before and after, whatever lies in the files that are not rewritten; readers before the
 * cutoff do not exist.
 *
 * <p>Records come in internal order. For a record of key K and time h:
 *
 * <ol>
 *   <li>h after the cutoff: it stays as it is. A reader may stand before it, so it hides nothing.
 *   <li><b>Hidden</b>, it goes: a subtree record at a prefix of K, or a newer one at K, or a range
 *       delete over K has a time greater than h and at most the cutoff. Equal times hide nothing: a
 *       batch was resolved when it was built.
 *   <li><b>Shadowed</b>, it goes: K has a newer record at or before the cutoff.
 *   <li>A subtree record that 2 (by a range delete that ends below K) or 3 would remove still hides
 *       what is older below K. In here it goes on doing so; if something older may lie elsewhere,
 *       it lives on as a subtree delete.
 *   <li>A delete, or a record that has expired at the cutoff, hides what is older at K (subtree:
 *       also below). If something older may lie elsewhere it lives on, an expired one as the delete
 *       it has become; else it goes.
 *   <li>Everything else stays as it is.
 * </ol>
 *
 * <p>In short: with nothing elsewhere, at most one record of a key at or before the cutoff remains,
 * and that is a live value.
 *
 * <p>Only bytes are compared: keys with the last key and the path of subtree records, times as
 * numbers. A value is touched for its expiry only. Nothing is allocated per record, and a record
 * after the cutoff costs one comparison.
 */
final class DropRule {

  /** What becomes of a record. */
  enum Fate {
    /** It is written as it is. */
    KEEP,
    /** It is written as a delete with the trailer {@link DropRule#tombstone} and no value. */
    TOMBSTONE,
    /** It goes: something newer at a prefix of its key, or a range delete, hides it. */
    HIDDEN,
    /** It goes: a newer record of the same key stands for it. */
    SHADOWED,
    /** It goes: a delete that has nothing left to hide. */
    DELETED,
    /** It goes: an expired value that has nothing left to hide. */
    EXPIRED
  }

  private final long cutoff;
  private final OlderData older;
  private final RangeDeletes rangeDeletes;
  private final SubtreeStack subtrees = new SubtreeStack();

  /** The key of the last record at or before the cutoff; length -1 before the first. */
  private byte[] lastKey = new byte[64];

  private int lastLength = -1;
  private long tombstone;

  DropRule(long cutoff, OlderData older, RangeDeletes rangeDeletes) {
    this.cutoff = cutoff;
    this.older = older;
    this.rangeDeletes = rangeDeletes;
  }

  /**
   * Whether a plain put at this key stays as it is, and so do the puts of other keys that follow
   * it, until a delete or a subtree record comes. Remembers nothing.
   */
  boolean keepsPuts(byte[] key, int offset, int length) {
    return subtrees.isEmpty()
        && rangeDeletes.isEmpty()
        && (length != lastLength || !Bytes.equal(key, offset, length, lastKey, 0, length));
  }

  /** Takes note of the last one of records that were kept without being judged. */
  void kept(byte[] key, int length, long trailer) {
    if (cutoff >= Trailer.time(trailer)) {
      remember(key, 0, length);
    }
  }

  /** What becomes of the next record. The arrays are borrowed for the call. */
  Fate judge(
      byte[] key,
      int offset,
      int length,
      long trailer,
      byte[] value,
      int valueOffset,
      int valueLength)
      throws IOException {
    long time = Trailer.time(trailer);
    if (time > cutoff) {
      return Fate.KEEP;
    }
    int kind = Trailer.kind(trailer);
    if (!KeyKind.isKnown(kind) || kind == KeyKind.RANGE_DELETE) {
      throw new UnsupportedFileException("record of kind " + kind);
    }
    boolean subtree = KeyKind.isSubtree(kind);
    boolean shadowed = sameKey(key, offset, length);
    if (subtree || !subtrees.isEmpty()) {
      subtrees.enter(key, offset, length);
      if (time < subtrees.top()) {
        return Fate.HIDDEN;
      }
    }
    boolean hidden =
        !rangeDeletes.isEmpty() && time < rangeDeletes.newestCovering(key, offset, length);
    if (subtree) {
      if (hidden && rangeDeletes.coversSubtree(key, offset, length, time)) {
        return Fate.HIDDEN;
      }
      subtrees.push(length, time);
    }
    if (hidden || shadowed) {
      Fate gone = hidden ? Fate.HIDDEN : Fate.SHADOWED;
      return subtree ? unlessOlder(gone, key, offset, length, trailer) : gone;
    }
    if (!KeyKind.isPut(kind)) {
      return unlessOlder(Fate.DELETED, key, offset, length, trailer);
    }
    if (KeyKind.expires(kind) && expiry(value, valueOffset, valueLength) <= cutoff) {
      return unlessOlder(Fate.EXPIRED, key, offset, length, trailer);
    }
    return Fate.KEEP;
  }

  /**
   * What becomes of a live value, just judged {@link Fate#KEEP}, that is to be deleted: the same as
   * if it were a delete.
   */
  Fate delete(byte[] key, int offset, int length, long trailer) {
    return unlessOlder(Fate.DELETED, key, offset, length, trailer);
  }

  /** The trailer to write when the last fate was {@link Fate#TOMBSTONE}. */
  long tombstone() {
    return tombstone;
  }

  /** Whether the key is that of the record before; remembers it. */
  private boolean sameKey(byte[] key, int offset, int length) {
    if (length == lastLength && Bytes.equal(key, offset, length, lastKey, 0, length)) {
      return true;
    }
    remember(key, offset, length);
    return false;
  }

  private void remember(byte[] key, int offset, int length) {
    if (length > lastKey.length) {
      lastKey = new byte[Math.max(length, 2 * lastKey.length)];
    }
    System.arraycopy(key, offset, lastKey, 0, length);
    lastLength = length;
  }

  /** A tombstone of the record's shape if something older may lie elsewhere where it hides. */
  private Fate unlessOlder(Fate gone, byte[] key, int offset, int length, long trailer) {
    long time = Trailer.time(trailer);
    int kind = Trailer.kind(trailer);
    boolean mustHide =
        KeyKind.isSubtree(kind)
            ? older.mayHoldSubtree(key, offset, length, time)
            : older.mayHoldKey(key, offset, length, time);
    if (!mustHide) {
      return gone;
    }
    tombstone = Trailer.of(time, KeyKind.DELETE | (kind & KeyKind.SUBTREE));
    return Fate.TOMBSTONE;
  }

  private static long expiry(byte[] value, int offset, int length) throws IOException {
    if (length < KeyKind.EXPIRY_BYTES) {
      throw new IOException("expiring value of " + length + " bytes");
    }
    return Fixed.getLong(value, offset);
  }
}
