package dev.siltstone.engine.memtable;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.iter.PointSource;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The newest records of one tree, in memory.
 *
 * <p>One thread adds, any number read. A reader sees every record that was added before the time it
 * reads at was published, and perhaps later ones, which it tells by their time.
 *
 * <p>Memory: the records as in their batch and 8 bytes, about 19 bytes a record for the tree, and
 * the filter, which is made when the memtable holds {@link #FILTER_ENTRIES_MIN} records.
 */
public final class MemTable implements PointSource {
  /** Smaller memtables are searched without a filter. */
  static final int FILTER_ENTRIES_MIN = 1_024;

  /** The filter's share of the memtable, as a divisor: about 8 bits for each 64 bytes. */
  private static final int FILTER_DIVISOR = 64;

  private final long id;
  private final long bytesExpected;
  private final Records records = new Records();
  private final HeadTree tree = new HeadTree(records);
  private final MemTableRangeTombstones rangeTombstones = new MemTableRangeTombstones();
  private volatile @Nullable MemTableFilter filter;
  private volatile int entries;
  private volatile int subtrees;
  private volatile long minTime = Long.MAX_VALUE;
  private volatile long maxTime;
  private volatile long[] blobs = new long[0];

  /**
   * An empty memtable.
   *
   * @param id tells memtables apart in messages
   * @param bytesExpected about how large it will grow, to size the filter
   */
  public MemTable(long id, long bytesExpected) {
    this.id = id;
    this.bytesExpected = bytesExpected;
  }

  /** Adds the record that a batch reader stands on. The bytes are copied. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
  public void add(BatchReader record) {
    long time = record.time();
    if (entries == 0 && rangeTombstones.isEmpty()) {
      minTime = time;
    }
    maxTime = Math.max(maxTime, time);
    int kind = record.kind();
    byte[] array = record.array();
    int offset = record.keyOffset();
    int length = record.keyLength();
    if (kind == KeyKind.RANGE_DELETE) {
      rangeTombstones.add(
          Bytes.copy(array, offset, length),
          Bytes.copy(array, record.valueOffset(), record.valueLength()),
          time);
      return;
    }
    if (KeyKind.isSeparated(kind)) {
      noteBlob(record);
    }
    addToFilter(Hash64.of(array, offset, length));
    tree.insert(records.append(record), array, offset, length, Trailer.of(time, kind));
    if (KeyKind.isSubtree(kind)) {
      subtrees = subtrees + 1;
    }
    entries = entries + 1;
  }

  @Override
  public boolean find(
      byte[] key, int offset, int length, long hash, long atTime, int flags, PointResult result) {
    MemTableFilter mayContain = filter;
    if (entries == 0 || (mayContain != null && !mayContain.mayContain(hash))) {
      return false;
    }
    HeadTree.Position position = new HeadTree.Position(false);
    long from = Trailer.seekAt(atTime);
    while (true) {
      int ref = tree.firstAtOrAfter(key, offset, length, from, position);
      if (ref < 0 || !records.keyEquals(ref, key, offset, length)) {
        return false;
      }
      long trailer = records.trailer(ref);
      if ((Trailer.kind(trailer) & flags) == flags) {
        byte[] chunk = records.chunk(ref);
        int at = records.keyOffset(ref) + length;
        result.set(trailer, chunk, at, records.valueLength(ref));
        return true;
      }
      from = (trailer & ~0xFFL) - 1;
    }
  }

  @Override
  public RangeTombstones rangeTombstones() {
    return rangeTombstones;
  }

  /** A new iterator over the point records. */
  public InternalIterator iterator() {
    return new HeadTreeIterator(tree, records);
  }

  /** Whether nothing was added. */
  public boolean isEmpty() {
    return entries == 0 && rangeTombstones.isEmpty();
  }

  /** Memory taken, in bytes. */
  public long bytes() {
    MemTableFilter present = filter;
    return records.bytes()
        + tree.bytes()
        + rangeTombstones.bytes()
        + (present == null ? 0 : present.bytes());
  }

  /** Point records added. */
  public long entries() {
    return entries;
  }

  /** Records with the SUBTREE flag. */
  public long subtrees() {
    return subtrees;
  }

  /** Smallest time of a record; {@link Long#MAX_VALUE} if there is none. */
  public long minTime() {
    return minTime;
  }

  /** Greatest time of a record; 0 if there is none. */
  public long maxTime() {
    return maxTime;
  }

  /** Passes on the numbers of the blob files that records refer to. */
  public void forEachBlob(LongConsumer consumer) {
    for (long blob : blobs) {
      consumer.accept(blob);
    }
  }

  @Override
  public String toString() {
    return "memtable " + id + " (" + entries + " records, " + bytes() + " bytes)";
  }

  private void noteBlob(BatchReader record) {
    int skip = KeyKind.expires(record.kind()) ? KeyKind.EXPIRY_BYTES : 0;
    long[] longer = Arrays.copyOf(blobs, blobs.length + 1);
    longer[blobs.length] = BlobReference.fileNumber(record.array(), record.valueOffset() + skip);
    blobs = longer;
  }

  private void addToFilter(long hash) {
    MemTableFilter present = filter;
    if (present != null) {
      present.add(hash);
    } else if (entries >= FILTER_ENTRIES_MIN) {
      MemTableFilter made =
          new MemTableFilter((int) Math.min(1 << 28, bytesExpected / FILTER_DIVISOR));
      for (HeadTreeIterator all = first(); all.valid(); all.next()) {
        made.add(Hash64.of(all.keyArray(), all.keyOffset(), all.keyLength()));
      }
      made.add(hash);
      filter = made;
    }
  }

  private HeadTreeIterator first() {
    HeadTreeIterator all = new HeadTreeIterator(tree, records);
    all.first();
    return all;
  }
}
