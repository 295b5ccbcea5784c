package dev.siltstone.engine.read;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.gap.Gap;
import dev.siltstone.engine.gap.GapMemo;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.iter.SubtreeStack;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.spi.SubtreeLengths;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns the merged records of a view into the live entries that a reader at one time sees.
 *
 * <ol>
 *   <li>Forward, the first record of a key at or below the reader's time is its newest; the older
 *       ones are stepped over. Backward, versions come oldest first, so the last one at or below
 *       the reader's time counts.
 *   <li>It is live if it is a put, has not expired, and neither a range delete nor a subtree record
 *       at a proper prefix is newer.
 *   <li>Forward, subtree records are met before what they hide and kept on a stack; after a
 *       positioning the declared prefixes of the target are probed, since their records lie behind.
 *       Backward they are met too late, so the prefixes of each candidate are probed.
 * </ol>
 *
 * <p>Invariants: while valid, {@code key} is the live key. Forward, the merge stands on a record of
 * it; backward, before its first record.
 *
 * <p>One thread at a time.
 */
public final class VisibleIterator {
  /** Records of one key that are stepped over before a seek passes the others. */
  private static final int VERSIONS_STEPPED = 16;

  private final ReadView view;
  private final InternalIterator merged;
  private final CoveredKeys covered;
  private final SubtreeLengths subtrees;
  private final @Nullable SubtreeStack stack;
  private final long atTime;
  private final long expiryTime;
  private final PointGet probe;
  private final byte[] lower;
  private final byte @Nullable [] upper;

  private final @Nullable GapReader gaps;

  private boolean valid;
  private boolean forward = true;
  private byte[] key = new byte[64];
  private int keyLength;
  private boolean keyHandled;
  private boolean keyLive;

  /** Whether a gap reaches from here to the end of all keys. */
  private boolean exhausted;

  private boolean newerSeen;

  /** Records of the present key that were stepped over. */
  private int versions;

  private long trailer;
  private byte[] valueArray = Bytes.EMPTY;
  private int valueOffset;
  private int valueLength;
  private long steppedOver;

  /**
   * An iterator, not yet placed.
   *
   * @param sources what is read; closed with this iterator
   * @param subtrees prefixes that may carry subtree records
   * @param atTime the reader's time
   * @param expiryTime when expiry is judged: an expiry at or before it has passed
   * @param probe looks subtree records up
   * @param memo gaps of the tree, or {@code null} to do without
   * @param viewTakesWrites whether the view's active memtable is still the tree's, and the sources
   *     show all of it
   */
  public VisibleIterator(
      ViewSources sources,
      SubtreeLengths subtrees,
      long atTime,
      long expiryTime,
      PointGet probe,
      @Nullable GapMemo memo,
      BooleanSupplier viewTakesWrites) {
    this.view = sources.view();
    this.merged = sources.merged();
    this.covered = new CoveredKeys(sources.tombstones(), merged, atTime);
    this.subtrees = subtrees;
    this.stack = subtrees.isNone() ? null : new SubtreeStack();
    this.atTime = atTime;
    this.expiryTime = expiryTime;
    this.probe = probe;
    this.lower = sources.lower();
    this.upper = sources.upper();
    this.gaps =
        memo == null
            ? null
            : new GapReader(
                memo, atTime, expiryTime, atTime >= view.maxFileTime(), viewTakesWrites);
  }

  /** Whether the iterator stands on a live entry. */
  public boolean valid() {
    return valid;
  }

  /** Moves to the first live entry within the bounds. */
  public void first() throws IOException {
    seek(Bytes.EMPTY);
  }

  /** Moves to the last live entry within the bounds. */
  public void last() throws IOException {
    startBackward();
    if (upper == null) {
      merged.last();
    } else {
      merged.seekBefore(upper, 0, upper.length, Trailer.NEWEST);
    }
    moveBackward();
  }

  /** Moves to the first live entry whose key is at least {@code target}. */
  public void seek(byte[] target) throws IOException {
    byte[] from = Bytes.compare(target, lower) < 0 ? lower : target;
    startForward(from, from.length);
    merged.seek(from, 0, from.length, Trailer.NEWEST);
    moveForward();
  }

  /** Moves to the last live entry whose key is at most {@code target}. */
  public void seekForPrev(byte[] target) throws IOException {
    if (upper != null && Bytes.compare(target, upper) >= 0) {
      last();
      return;
    }
    startBackward();
    // Trailer 0 sorts after every record of the target, so all its versions lie before.
    merged.seekBefore(target, 0, target.length, 0);
    moveBackward();
  }

  /** Moves to the next live entry. Requires {@link #valid}. */
  public void next() throws IOException {
    requireValid();
    if (!forward) {
      startForward(key, keyLength);
      merged.seek(key, 0, keyLength, 0);
    } else {
      merged.next();
    }
    moveForward();
  }

  /** Moves to the previous live entry. Requires {@link #valid}. */
  public void prev() throws IOException {
    requireValid();
    if (forward) {
      startBackward();
      merged.seekBefore(key, 0, keyLength, Trailer.NEWEST);
    }
    moveBackward();
  }

  /** The array that holds the key, from offset 0; overwritten by the next move. */
  public byte[] keyArray() {
    return key;
  }

  /** The length of the key. */
  public int keyLength() {
    return keyLength;
  }

  /** Time and kind of the entry. */
  public long trailer() {
    return trailer;
  }

  /** The array that holds the stored value; its bytes never change. */
  public byte[] valueArray() {
    return valueArray;
  }

  /** Where the stored value starts, its expiry included. */
  public int valueOffset() {
    return valueOffset;
  }

  /** The length of the stored value, its expiry included. */
  public int valueLength() {
    return valueLength;
  }

  /** Records that were passed without being returned, since the iterator was made. */
  public long steppedOver() {
    return steppedOver;
  }

  /** Gives up the sources. Idempotent. */
  public void close() {
    valid = false;
    if (gaps != null) {
      gaps.abandon();
    }
    merged.close();
  }

  private void requireValid() {
    if (!valid) {
      throw new IllegalStateException("the cursor stands on no entry");
    }
  }

  private void startForward(byte[] from, int length) throws IOException {
    valid = false;
    forward = true;
    keyHandled = false;
    keyLive = false;
    newerSeen = false;
    exhausted = false;
    if (stack != null) {
      probeInto(stack, from, length);
    }
  }

  private void startBackward() {
    valid = false;
    forward = false;
  }

  /** Fills the stack with the subtree records at the declared prefixes of a position. */
  private void probeInto(SubtreeStack stack, byte[] from, int length) throws IOException {
    stack.clear();
    if (!view.hasSubtrees()) {
      return;
    }
    int[] lengths = new int[SubtreeLengths.LENGTHS_MAX];
    int count = subtrees.of(from, 0, length, lengths);
    PointResult found = new PointResult();
    stack.enter(from, 0, length);
    for (int i = 0; i < count; i++) {
      long time = probe.subtreeTime(view, from, lengths[i], atTime, found);
      if (time != HybridTime.MIN) {
        stack.push(lengths[i], time);
      }
    }
  }

  private void moveForward() throws IOException {
    boolean done = false;
    try {
      if (gaps != null) {
        gaps.beginMove();
      }
      findForward();
      done = true;
    } finally {
      if (!done && gaps != null) {
        gaps.abandon();
      }
    }
  }

  private void findForward() throws IOException {
    valid = false;
    while (!exhausted && merged.valid()) {
      byte[] array = merged.keyArray();
      int offset = merged.keyOffset();
      int length = merged.keyLength();
      if (upper != null && Bytes.compare(array, offset, length, upper, 0, upper.length) >= 0) {
        break;
      }
      long record = merged.trailer();
      boolean sameKey = Bytes.equal(array, offset, length, key, 0, keyLength);
      versions = sameKey ? versions : 0;
      if (Trailer.time(record) > atTime) {
        // A key with a version newer than the reader can be in no gap: no walk begins at it.
        endWalkForward(array, offset, length);
        setKey(array, offset, length);
        keyHandled = false;
        newerSeen = true;
        stepForward();
        continue;
      }
      boolean newest = !keyHandled || !sameKey;
      if (newest) {
        newerSeen &= sameKey;
        setKey(array, offset, length);
        covered.forget();
        keyLive = isLive(record);
      }
      noteSubtree(record);
      if (newest && keyLive) {
        covered.endRow();
        endWalkForward(array, offset, length);
        take(record);
        valid = true;
        return;
      }
      if (keyLive || newerSeen || gaps == null || !passDeadForward(gaps, record)) {
        if (!newest || keyLive || !passCoveredForward()) {
          stepForward();
        }
      }
    }
    if (gaps != null) {
      // Files that lie beyond the bound are not among the sources.
      gaps.endForward(upper);
    }
  }

  /**
   * What is passed here is hidden by a range delete that the reader sees, and older than it. So a
   * walk loses nothing by it, as long as the source that is written to is left out.
   */
  private boolean passCoveredForward() throws IOException {
    if (view.hasSubtrees()) {
      // What would be passed may hold subtree records over what comes.
      return false;
    }
    if (!covered.passForward(key, keyLength, !isWalking(), upper)) {
      return false;
    }
    keyHandled = false;
    return true;
  }

  private boolean isWalking() {
    return gaps != null && gaps.isWalking();
  }

  private void stepForward() throws IOException {
    steppedOver++;
    versions++;
    if (versions <= VERSIONS_STEPPED) {
      merged.next();
      return;
    }
    boolean newer = Trailer.time(merged.trailer()) > atTime;
    merged.seek(key, 0, keyLength, newer ? Trailer.seekAt(atTime) : 0);
    if (!newer && stack != null) {
      // What was passed may hold a subtree record over what comes.
      probeInto(stack, key, keyLength);
    }
  }

  /** Jumps a gap or begins a walk at the dead key; false if the cursor has only to step on. */
  private boolean passDeadForward(GapReader gaps, long record) throws IOException {
    Gap gap = gaps.find(key, 0, keyLength, true);
    if (gap != null) {
      byte[] end = gap.upper();
      if (end == null) {
        exhausted = true;
        return true;
      }
      seekForward(end);
      return true;
    }
    gaps.passedDead(isExpired(record, merged.valueArray(), merged.valueOffset()));
    if (gaps.isWalkDue() || gaps.isPublishDue()) {
      byte[] start = gaps.walkStart(Bytes.copy(key, 0, keyLength));
      gaps.endForward(start);
      if (gaps.beginWalk(true, start)) {
        seekForward(start);
        return true;
      }
    }
    return false;
  }

  private void seekForward(byte[] to) throws IOException {
    merged.seek(to, 0, to.length, Trailer.NEWEST);
    keyHandled = false;
    newerSeen = false;
    if (stack != null) {
      // What was jumped may hold subtree records over what comes.
      probeInto(stack, to, to.length);
    }
  }

  private void endWalkForward(byte[] array, int offset, int length) {
    if (gaps != null && gaps.isWalking()) {
      gaps.endForward(Bytes.copy(array, offset, length));
    }
  }

  private void noteSubtree(long record) {
    if (stack != null && KeyKind.isSubtree(Trailer.kind(record))) {
      stack.enter(key, 0, keyLength);
      stack.push(keyLength, Trailer.time(record));
    }
  }

  private void moveBackward() throws IOException {
    boolean done = false;
    try {
      if (gaps != null) {
        gaps.beginMove();
      }
      findBackward();
      done = true;
    } finally {
      if (!done && gaps != null) {
        gaps.abandon();
      }
    }
  }

  private void findBackward() throws IOException {
    valid = false;
    while (merged.valid()) {
      byte[] array = merged.keyArray();
      int offset = merged.keyOffset();
      int length = merged.keyLength();
      if (Bytes.compare(array, offset, length, lower, 0, lower.length) < 0) {
        break;
      }
      setKey(array, offset, length);
      newerSeen = false;
      covered.forget();
      boolean live = collectBackward() && isLiveBackward();
      if ((live || newerSeen) && isWalking()) {
        endWalkBackward(Bytes.copy(key, 0, keyLength));
      }
      valid = live;
      if (live) {
        covered.endRow();
        return;
      }
      if (gaps == null || newerSeen || !passDeadBackward(gaps)) {
        covered.passBackward(key, keyLength, !isWalking());
      }
    }
    if (gaps != null) {
      gaps.endAtBound(lower);
    }
  }

  /** Jumps a gap or begins a walk at the dead key that was just passed; false for neither. */
  private boolean passDeadBackward(GapReader gaps) throws IOException {
    Gap gap = gaps.find(key, 0, keyLength, false);
    if (gap != null) {
      byte[] begin = gap.lower();
      merged.seekBefore(begin, 0, begin.length, Trailer.NEWEST);
      return true;
    }
    gaps.passedDead(isExpired(trailer, valueArray, valueOffset));
    if (gaps.isWalkDue() || gaps.isPublishDue()) {
      byte[] end = gaps.walkStart(Bytes.successor(Bytes.copy(key, 0, keyLength)));
      gaps.endBackward(Bytes.copy(key, 0, keyLength));
      if (gaps.beginWalk(false, end)) {
        merged.seekBefore(end, 0, end.length, Trailer.NEWEST);
        return true;
      }
    }
    return false;
  }

  private void endWalkBackward(byte[] stop) {
    if (gaps != null) {
      gaps.endBackward(stop);
    }
  }

  /** Steps over all records of the key; keeps the newest that the reader may see. */
  private boolean collectBackward() throws IOException {
    boolean seen = false;
    versions = 0;
    do {
      if (versions == VERSIONS_STEPPED) {
        return seekNewest();
      }
      versions++;
      if (Trailer.time(merged.trailer()) <= atTime) {
        seen = true;
        take(merged.trailer());
      } else {
        newerSeen = true;
      }
      steppedOver++;
      merged.prev();
    } while (merged.valid()
        && Bytes.equal(
            merged.keyArray(), merged.keyOffset(), merged.keyLength(), key, 0, keyLength));
    return seen;
  }

  /** As {@link #collectBackward}, by seeks. */
  private boolean seekNewest() throws IOException {
    steppedOver += 2;
    merged.seek(key, 0, keyLength, Trailer.NEWEST);
    newerSeen = Trailer.time(merged.trailer()) > atTime;
    if (newerSeen) {
      merged.seek(key, 0, keyLength, Trailer.seekAt(atTime));
    }
    boolean seen =
        merged.valid()
            && Bytes.equal(
                merged.keyArray(), merged.keyOffset(), merged.keyLength(), key, 0, keyLength);
    if (seen) {
      take(merged.trailer());
    }
    merged.seekBefore(key, 0, keyLength, Trailer.NEWEST);
    return seen;
  }

  private boolean isLive(long record) {
    if (!KeyKind.isPut(Trailer.kind(record))
        || isExpired(record, merged.valueArray(), merged.valueOffset())
        || isRangeDeleted(record)) {
      return false;
    }
    if (stack == null) {
      return true;
    }
    stack.enter(key, 0, keyLength);
    return Trailer.time(record) >= stack.top();
  }

  private boolean isLiveBackward() throws IOException {
    if (!KeyKind.isPut(Trailer.kind(trailer))
        || isExpired(trailer, valueArray, valueOffset)
        || isRangeDeleted(trailer)) {
      return false;
    }
    return stack == null
        || !view.hasSubtrees()
        || Trailer.time(trailer) >= probe.newestAncestor(view, key, keyLength, atTime, subtrees);
  }

  private boolean isExpired(long record, byte[] array, int offset) {
    return KeyKind.expires(Trailer.kind(record)) && Fixed.getLong(array, offset) <= expiryTime;
  }

  private boolean isRangeDeleted(long record) {
    return covered.hides(key, keyLength, Trailer.time(record));
  }

  private void take(long record) {
    trailer = record;
    valueArray = merged.valueArray();
    valueOffset = merged.valueOffset();
    valueLength = merged.valueLength();
  }

  private void setKey(byte[] array, int offset, int length) {
    if (key.length < length) {
      key = new byte[Math.max(length, key.length * 2)];
    }
    System.arraycopy(array, offset, key, 0, length);
    keyLength = length;
    keyHandled = true;
  }
}
