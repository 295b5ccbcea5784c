package dev.siltstone.engine.key;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Varint;
import dev.siltstone.base.time.HybridTime;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;

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
 * <p>Costs O(n log n) for n records: each record is painted at most once, with the last delete that
 * covers it.
 */
public final class BatchResolver {
  private final BatchWriter batch;
  private final int count;
  private final int[] starts;
  private final int[] ends;
  private final int[] kinds;
  private final int[] trees;
  private final byte[][] keys;

  /** By record: index of the last range delete or subtree record that covers it, or -1. */
  private final int[] coveredBy;

  private BatchResolver(BatchWriter batch) throws IOException {
    this.batch = batch;
    this.count = batch.count();
    this.starts = new int[count];
    this.ends = new int[count];
    this.kinds = new int[count];
    this.trees = new int[count];
    this.keys = new byte[count][];
    this.coveredBy = new int[count];
    Arrays.fill(coveredBy, -1);
    batch.seal(HybridTime.MIN);
    BatchReader reader = new BatchReader();
    reader.open(batch.array(), 0, batch.bytes());
    for (int i = 0; reader.next(); i++) {
      starts[i] = reader.recordOffset();
      ends[i] = reader.recordOffset() + reader.recordLength();
      kinds[i] = reader.kind();
      trees[i] = reader.treeId();
      keys[i] = Bytes.copy(reader.array(), reader.keyOffset(), reader.keyLength());
    }
  }

  /** Where the bytes of a batch have gone. */
  public static final class Moves {
    private final int[] starts;
    private final int[] targets;

    private Moves(int[] starts, int[] targets) {
      this.starts = starts;
      this.targets = targets;
    }

    /** The new offset of a byte of a record; -1 if the record is gone or has lost its value. */
    public int of(int offset) {
      int index = Arrays.binarySearch(starts, offset);
      int record = index >= 0 ? index : -index - 2;
      return targets[record] < 0 ? -1 : targets[record] + offset - starts[record];
    }
  }

  /** Resolves a batch in place. */
  public static Moves resolve(BatchWriter batch) {
    try {
      BatchResolver resolver = new BatchResolver(batch);
      resolver.cover();
      return resolver.rewrite();
    } catch (IOException e) {
      throw new IllegalStateException("a batch that was just built cannot be read", e);
    }
  }

  private void cover() {
    Integer[] sorted = pointsByKey();
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
      byte[] upper = range ? value(i) : Bytes.prefixEnd(keys[i]);
      int from = rank(sorted, trees[i], keys[i]);
      int to =
          upper == null ? rank(sorted, trees[i] + 1, Bytes.EMPTY) : rank(sorted, trees[i], upper);
      for (int p = find(next, from); p < to; p = find(next, p)) {
        coveredBy[sorted[p]] = i;
        next[p] = p + 1;
      }
    }
    // Only now: what a record inherits, it does not hide at its own place in the batch.
    inheritSubtrees(sorted);
  }

  private Integer[] pointsByKey() {
    int points = 0;
    Integer[] sorted = new Integer[count];
    for (int i = 0; i < count; i++) {
      if (kinds[i] != KeyKind.RANGE_DELETE) {
        sorted[points++] = i;
      }
    }
    Integer[] trimmed = Arrays.copyOf(sorted, points);
    Comparator<Integer> byTree = Comparator.comparingInt(i -> trees[i]);
    Arrays.sort(trimmed, byTree.thenComparing((a, b) -> Bytes.compare(keys[a], keys[b])));
    return trimmed;
  }

  /** The sort is stable, so the records of one key are in the order of the batch. */
  private void inheritSubtrees(Integer[] sorted) {
    for (int p = 1; p < sorted.length; p++) {
      int before = sorted[p - 1];
      int record = sorted[p];
      if (KeyKind.isSubtree(kinds[before])
          && trees[before] == trees[record]
          && Arrays.equals(keys[before], keys[record])) {
        kinds[record] |= KeyKind.SUBTREE;
      }
    }
  }

  private int rank(Integer[] sorted, int tree, byte[] key) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int record = sorted[middle];
      int order = Integer.compare(trees[record], tree);
      if (order == 0) {
        order = Bytes.compare(keys[record], key);
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
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

  private byte[] value(int record) {
    byte[] array = batch.array();
    int length = valueLength(array, record);
    return Bytes.copy(array, ends[record] - length, length);
  }

  private int valueLength(byte[] array, int record) {
    int at = starts[record] + 1 + Varint.length(trees[record]);
    return Varint.getInt(array, at + Varint.length(keys[record].length));
  }

  private Moves rewrite() {
    int[] targets = new int[count];
    byte[] before = Bytes.copy(batch.array(), 0, batch.bytes());
    batch.clear();
    for (int i = 0; i < count; i++) {
      boolean covered = coveredBy[i] > i;
      boolean byRange = covered && kinds[coveredBy[i]] == KeyKind.RANGE_DELETE;
      targets[i] = -1;
      if (covered && byRange && KeyKind.isSubtree(kinds[i])) {
        int kind = KeyKind.DELETE | KeyKind.SUBTREE;
        batch.add(trees[i], kind, keys[i], 0, keys[i].length, Bytes.EMPTY, 0, 0);
      } else if (!covered) {
        targets[i] = batch.bytes();
        int value = valueLength(before, i);
        batch.add(trees[i], kinds[i], keys[i], 0, keys[i].length, before, ends[i] - value, value);
      }
    }
    return new Moves(starts, targets);
  }
}
