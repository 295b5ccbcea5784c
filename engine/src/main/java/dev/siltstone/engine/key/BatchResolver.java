package dev.siltstone.engine.key;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import java.io.IOException;
import java.util.Arrays;

/**
 * Makes a batch mean by its bytes alone what it means by its order. All records of a batch carry
 * the same time, and equal times hide nothing; so what a later range or subtree delete of the batch
 * would hide of the batch itself has to be taken out.
 *
 * <ol>
 *   <li>A point record that a later range delete or subtree record covers goes; a subtree record
 *       that a range delete covers becomes a subtree delete, since it still hides what is older
 *       below it.
 *   <li>A record that follows a subtree record of the same key becomes a subtree record itself,
 *       since the memtable keeps the last record of a key only.
 * </ol>
 *
 * <p>A batch whose keys rise from record to record, or fall without a record that covers the one
 * before it, is left as it is after one look. Else it costs O(n log n) for n records: they are
 * sorted by key, and each is painted at most once, with the last delete that covers it.
 */
public final class BatchResolver {
  private final BatchWriter batch;
  private final byte[] array;
  private final int count;

  // By record.
  private final int[] starts;
  private final int[] kinds;
  private final int[] trees;
  private final int[] keyOffsets;
  private final int[] keyLengths;
  private final int[] valueLengths;

  /** By record: index of the last range delete or subtree record that covers it, or -1. */
  private final int[] coveredBy;

  private BatchResolver(BatchWriter batch, BatchReader reader) throws IOException {
    this.batch = batch;
    this.count = batch.count();
    // A copy, since the records that stay are written over the old ones.
    this.array = Bytes.copy(batch.array(), 0, batch.bytes());
    this.starts = new int[count];
    this.kinds = new int[count];
    this.trees = new int[count];
    this.keyOffsets = new int[count];
    this.keyLengths = new int[count];
    this.valueLengths = new int[count];
    this.coveredBy = new int[count];
    Arrays.fill(coveredBy, -1);
    reader.open(array, 0, array.length);
    for (int i = 0; reader.next(); i++) {
      starts[i] = reader.recordOffset();
      kinds[i] = reader.kind();
      trees[i] = reader.treeId();
      keyOffsets[i] = reader.keyOffset();
      keyLengths[i] = reader.keyLength();
      valueLengths[i] = reader.valueLength();
    }
  }

  /** Where the bytes of a batch have gone. */
  public static final class Moves {
    private static final Moves NONE = new Moves(new int[0], new int[0]);

    private final int[] starts;
    private final int[] targets;

    private Moves(int[] starts, int[] targets) {
      this.starts = starts;
      this.targets = targets;
    }

    /** The new offset of a byte of a record; -1 if the record is gone or has lost its value. */
    public int of(int offset) {
      if (this == NONE) {
        return offset;
      }
      int index = Arrays.binarySearch(starts, offset);
      int record = index >= 0 ? index : -index - 2;
      return targets[record] < 0 ? -1 : targets[record] + offset - starts[record];
    }
  }

  /** Resolves a batch in place. The time in its header is lost. */
  public static Moves resolve(BatchWriter batch) {
    batch.seal(HybridTime.MIN);
    BatchReader reader = new BatchReader();
    try {
      reader.open(batch.array(), 0, batch.bytes());
      if (isInOrder(reader)) {
        return Moves.NONE;
      }
      BatchResolver resolver = new BatchResolver(batch, reader);
      resolver.cover();
      return resolver.rewrite();
    } catch (IOException e) {
      throw new IllegalStateException("a batch that was just built cannot be read", e);
    }
  }

  // ---- Batches in order
  // ---------------------------------------------------------------------------

  /**
   * Whether no record can meet an earlier one. Keys that rise: a range or subtree covers nothing
   * that is less than its own key. Keys that fall: if a record does not cover the one before it, it
   * covers none of those before that, which lie further away.
   */
  private static boolean isInOrder(BatchReader reader) throws IOException {
    byte[] array = reader.array();
    int direction = 0;
    int tree = -1;
    int offset = 0;
    int length = 0;
    for (int i = 0; reader.next(); i++) {
      int order = Integer.compare(tree, reader.treeId());
      if (order == 0) {
        order = Bytes.compare(array, offset, length, array, reader.keyOffset(), reader.keyLength());
        if (order > 0 && covers(reader, offset, length)) {
          return false;
        }
      }
      order = Integer.signum(order);
      if (i > 0 && (order == 0 || order == -direction)) {
        return false;
      }
      if (i > 0) {
        direction = order;
      }
      tree = reader.treeId();
      offset = reader.keyOffset();
      length = reader.keyLength();
    }
    return true;
  }

  /** Whether the record that the reader stands on covers a greater key of its tree. */
  private static boolean covers(BatchReader reader, int offset, int length) {
    byte[] array = reader.array();
    if (reader.kind() == KeyKind.RANGE_DELETE) {
      return UpperBound.isAfter(
          array, reader.valueOffset(), reader.valueLength(), array, offset, length);
    }
    int prefix = reader.keyLength();
    return KeyKind.isSubtree(reader.kind())
        && length >= prefix
        && Bytes.equal(array, offset, prefix, array, reader.keyOffset(), prefix);
  }

  // ---- Others
  // -------------------------------------------------------------------------------------

  private void cover() {
    int[] sorted = pointsByKey();
    // next[p] leads to the first place at or after p that is not painted yet.
    int[] next = new int[sorted.length + 1];
    for (int p = 0; p <= sorted.length; p++) {
      next[p] = p;
    }
    for (int i = count - 1; i >= 0; i--) {
      boolean range = kinds[i] == KeyKind.RANGE_DELETE;
      if (!range && !KeyKind.isSubtree(kinds[i])) {
        continue;
      }
      int from = rank(sorted, i, false);
      int to = rank(sorted, i, true);
      for (int p = find(next, from); p < to; p = find(next, p)) {
        coveredBy[sorted[p]] = i;
        next[p] = p + 1;
      }
    }
    // Only now: what a record inherits, it does not hide at its own place in the batch.
    inheritSubtrees(sorted);
  }

  /** Indices of the point records by tree and key; those of one key in the order of the batch. */
  private int[] pointsByKey() {
    int[] sorted = new int[count];
    int points = 0;
    for (int i = 0; i < count; i++) {
      if (kinds[i] != KeyKind.RANGE_DELETE) {
        sorted[points++] = i;
      }
    }
    int[] source = Arrays.copyOf(sorted, points);
    int[] target = new int[points];
    for (int width = 1; width < points; width *= 2) {
      for (int from = 0; from < points; from += 2 * width) {
        merge(source, target, from, width);
      }
      int[] merged = target;
      target = source;
      source = merged;
    }
    return source;
  }

  /** Merges two neighbouring runs of {@code width}; on ties the left one goes first. */
  private void merge(int[] source, int[] target, int from, int width) {
    int middle = Math.min(from + width, source.length);
    int end = Math.min(middle + width, source.length);
    int left = from;
    int right = middle;
    for (int at = from; at < end; at++) {
      boolean takeLeft =
          right == end || (left < middle && compare(source[left], source[right]) <= 0);
      target[at] = takeLeft ? source[left++] : source[right++];
    }
  }

  private int compare(int a, int b) {
    if (trees[a] != trees[b]) {
      return Integer.compare(trees[a], trees[b]);
    }
    return Bytes.compare(array, keyOffsets[a], keyLengths[a], array, keyOffsets[b], keyLengths[b]);
  }

  private void inheritSubtrees(int[] sorted) {
    for (int p = 1; p < sorted.length; p++) {
      int before = sorted[p - 1];
      int record = sorted[p];
      if (KeyKind.isSubtree(kinds[before]) && compare(before, record) == 0) {
        kinds[record] |= KeyKind.SUBTREE;
      }
    }
  }

  /**
   * Number of point records before the range that a delete covers, or, for its end, before that.
   */
  private int rank(int[] sorted, int delete, boolean end) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (end ? endsAfter(delete, sorted[middle]) : compare(sorted[middle], delete) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Whether a record lies before the end of what a delete covers. */
  private boolean endsAfter(int delete, int record) {
    if (trees[record] != trees[delete]) {
      return trees[record] < trees[delete];
    }
    int length = keyLengths[record];
    if (kinds[delete] == KeyKind.RANGE_DELETE) {
      int upper = keyOffsets[delete] + keyLengths[delete];
      return UpperBound.isAfter(
          array, upper, valueLengths[delete], array, keyOffsets[record], length);
    }
    // All that begins with the prefix, and all before it.
    int prefix = keyLengths[delete];
    return Bytes.compare(
            array, keyOffsets[record], Math.min(length, prefix), array, keyOffsets[delete], prefix)
        <= 0;
  }

  private static int find(int[] next, int place) {
    int end = place;
    while (next[end] != end) {
      end = next[end];
    }
    for (int p = place; next[p] != end; ) {
      int after = next[p];
      next[p] = end;
      p = after;
    }
    return end;
  }

  private Moves rewrite() {
    int[] targets = new int[count];
    batch.clear();
    for (int i = 0; i < count; i++) {
      boolean covered = coveredBy[i] > i;
      boolean byRange = covered && kinds[coveredBy[i]] == KeyKind.RANGE_DELETE;
      targets[i] = -1;
      if (covered && byRange && KeyKind.isSubtree(kinds[i])) {
        int kind = KeyKind.DELETE | KeyKind.SUBTREE;
        batch.add(trees[i], kind, array, keyOffsets[i], keyLengths[i], array, 0, 0);
      } else if (!covered) {
        targets[i] = batch.bytes();
        int value = keyOffsets[i] + keyLengths[i];
        batch.add(
            trees[i], kinds[i], array, keyOffsets[i], keyLengths[i], array, value, valueLengths[i]);
      }
    }
    return new Moves(starts, targets);
  }
}
