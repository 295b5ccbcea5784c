package dev.siltstone.engine.read;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.MergingIterator;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The range deletes over the sources of a reader: whether one hides a record, and how to pass what
 * it hides without a look at each.
 *
 * <p>For any one key a source holds nothing newer than those before it, range deletes included
 * (invariant I9). So what a range delete of a source covers is hidden in all later sources, up to
 * the end of its fragment, and these can be sought there at once; the sources before it go on step
 * by step, since what they hold may be newer. The source itself can be sought too if all of its
 * point records are older than the range delete.
 *
 * <p>A seek costs as much as some steps, so only a row of covered keys is passed in this way.
 *
 * <p>One thread at a time.
 */
final class CoveredKeys {
  /** Covered keys in a row that are stepped over one by one. */
  static final int STEPS = 8;

  private final List<ViewSources.Tombstones> sources;
  private final InternalIterator merged;
  private final long atTime;

  /** Which of the sources hid the last record that was asked for; -1 for none. */
  private int hiding = -1;

  private long hiddenTime;
  private int row;

  /**
   * The range deletes of a reader.
   *
   * @param sources newest first
   * @param merged the records that they cover, in the order of the sources
   */
  CoveredKeys(List<ViewSources.Tombstones> sources, InternalIterator merged, long atTime) {
    this.sources = sources;
    this.merged = merged;
    this.atTime = atTime;
  }

  /** A new record is looked at. */
  void forget() {
    hiding = -1;
  }

  /** Whether a range delete hides a record of some time. */
  boolean hides(byte[] key, int length, long time) {
    for (int i = 0; i < sources.size(); i++) {
      long covering = sources.get(i).ranges().newestCovering(key, 0, length, atTime);
      if (covering > time) {
        hiding = i;
        hiddenTime = covering;
        return true;
      }
    }
    return false;
  }

  /** A live entry was found. */
  void endRow() {
    row = 0;
  }

  /**
   * Passes what is hidden with the record that was last found hidden, on which the merge stands.
   *
   * @param alsoOwn whether the source of the range delete may be sought, if its records allow it
   * @param limit exclusive end of what is read; {@code null} for none
   * @return false if the caller has to step
   */
  boolean passForward(byte[] key, int length, boolean alsoOwn, byte @Nullable [] limit)
      throws IOException {
    int from = firstHidden(alsoOwn);
    if (from < 0) {
      return false;
    }
    byte[] end = sources.get(hiding).ranges().upperCovering(key, 0, length, atTime);
    if (end == null) {
      return false;
    }
    byte[] to = limit != null && Bytes.compare(limit, end) < 0 ? limit : end;
    return MergingIterator.skipTo(merged, from, to);
  }

  /**
   * As {@link #passForward}, backward: the merge stands before all records of the hidden key, and
   * has passed them.
   */
  void passBackward(byte[] key, int length, boolean alsoOwn) throws IOException {
    int from = firstHidden(alsoOwn);
    if (from >= 0 && merged.valid()) {
      byte[] begin = sources.get(hiding).ranges().lowerCovering(key, 0, length, atTime);
      if (begin != null) {
        MergingIterator.skipBefore(merged, from, begin);
      }
    }
  }

  /** The first source that can be sought past the fragment; -1 if that is not worth it yet. */
  private int firstHidden(boolean alsoOwn) {
    if (hiding < 0 || ++row <= STEPS) {
      return -1;
    }
    ViewSources.Tombstones by = sources.get(hiding);
    boolean own = alsoOwn && by.maxPointTime() < hiddenTime;
    return own ? by.source() : by.source() + 1;
  }
}
