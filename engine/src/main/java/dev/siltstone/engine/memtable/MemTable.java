package dev.siltstone.engine.memtable;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.base.bytes.Varint;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.iter.PointSource;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.BatchRecord;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.key.UpperBound;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * What was written to one tree and is not in a table file yet.
 *
 * <p><b>Time.</b> Records are added with times that never fall. The time of a batch is published
 * after its records are added, by a release of the caller's; a reader that acquires it sees them
 * all. Reads ask for a time at most the published one, so that they never see a part of a batch.
 * Two records of the same key and time come from one batch; the later one takes the place of the
 * earlier.
 *
 * <p><b>Threads.</b> One thread at a time adds, each seeing what the last one did; all else may be
 * called by any number of threads beside it. Nobody waits for anybody.
 *
 * <p><b>Memory.</b> Ordinary heap objects; slices of keys and values stay valid for as long as
 * somebody holds them, whatever becomes of the memtable. All counts are exact for the writer and
 * once nobody writes any more; for others they are those of a moment ago.
 */
public final class MemTable implements PointSource {
  /** Bytes that a small record takes with its share of all structures, to size the filter. */
  private static final int RECORD_BYTES_SMALL = 64;

  /**
   * What the n-th range delete that overlaps others is charged with, times n. A flush below which
   * somebody reads at earlier times cuts them at each other's bounds, which makes up to 2n parts
   * with up to n times each: a memtable shall be full before that becomes too much.
   */
  private static final int OVERLAP_BYTES = Long.BYTES;

  private static final VarHandle BYTES;
  private static final VarHandle ENTRIES;
  private static final VarHandle MAX_POINT_TIME;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      BYTES = lookup.findVarHandle(MemTable.class, "bytes", long.class);
      ENTRIES = lookup.findVarHandle(MemTable.class, "entries", long.class);
      MAX_POINT_TIME = lookup.findVarHandle(MemTable.class, "maxPointTime", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long id;
  private final Records records;
  private final HeadTree tree;
  private final KeyFilter filter;
  private final LiveRangeTombstones ranges = new LiveRangeTombstones();

  private long bytes;
  private long entries;
  private long deletes;
  private long subtrees;
  private long expiring;
  private long rangeDeletes;
  private volatile long minTime = Long.MAX_VALUE;
  private long maxTime = HybridTime.MIN;
  private long maxPointTime = HybridTime.MIN;

  /** Blob file numbers, ended by a zero or the end of the array; set anew after each addition. */
  private volatile long[] blobs = {};

  private int blobCount;

  /**
   * An empty memtable.
   *
   * @param id the caller's number for it
   * @param bytesBudget at about how many bytes it will be given up; sizes the filter only
   */
  public MemTable(long id, long bytesBudget) {
    this.id = id;
    this.records = new Records();
    this.filter = new KeyFilter(bytesBudget / RECORD_BYTES_SMALL);
    this.tree = new HeadTree(records);
    account();
  }

  /** The caller's number. */
  public long id() {
    return id;
  }

  // ---- Writing
  // ------------------------------------------------------------------------------------

  /** Adds the record that a reader stands on. Its bytes are copied. */
  public void add(BatchReader source) {
    noteTime(source.time());
    if (source.kind() == KeyKind.RANGE_DELETE) {
      addRange(source);
    } else {
      int ref = records.append(source);
      addPoint(ref, source.array(), source.keyOffset(), source.keyLength());
    }
    account();
  }

  private void addPoint(int ref, byte[] array, int keyOffset, int keyLength) {
    // Before the record can be found, so that whoever has found it knows of its time.
    MAX_POINT_TIME.setOpaque(this, maxTime);
    int replaced = tree.insert(ref);
    filter.add(Hash64.of(array, keyOffset, keyLength));
    if (replaced == HeadTree.NONE) {
      ENTRIES.setOpaque(this, entries + 1);
    } else {
      count(Trailer.kind(records.trailer(replaced)), -1);
    }
    int kind = Trailer.kind(records.trailer(ref));
    if (kind != KeyKind.PUT) {
      count(kind, 1);
      noteBlob(ref, kind);
    }
  }

  private void count(int kind, int change) {
    deletes += KeyKind.base(kind) == KeyKind.DELETE ? change : 0;
    subtrees += KeyKind.isSubtree(kind) ? change : 0;
    expiring += KeyKind.expires(kind) ? change : 0;
  }

  private void noteBlob(int ref, int kind) {
    if (!KeyKind.isSeparated(kind)) {
      return;
    }
    byte[] array = records.array(ref);
    int value = valueOffset(array, records.record(ref));
    int reference = value + (KeyKind.expires(kind) ? KeyKind.EXPIRY_BYTES : 0);
    long[] numbers = blobs;
    if (blobCount == numbers.length) {
      numbers = Arrays.copyOf(numbers, Math.max(8, 2 * blobCount));
    }
    numbers[blobCount++] = BlobReference.fileNumber(array, reference);
    blobs = numbers;
  }

  private void addRange(BatchReader source) {
    byte[] array = source.array();
    byte[] lower = Bytes.copy(array, source.keyOffset(), source.keyLength());
    byte[] upper = UpperBound.decode(array, source.valueOffset(), source.valueLength());
    ranges.add(lower, upper, source.time());
    rangeDeletes++;
  }

  private void noteTime(long time) {
    assert time >= maxTime : "time falls from " + maxTime + " to " + time;
    if (minTime == Long.MAX_VALUE) {
      minTime = time;
    }
    maxTime = time;
  }

  private void account() {
    long sum = records.bytes() + tree.bytes() + filter.bytes() + ranges.bytes();
    long charge = OVERLAP_BYTES / 2 * ranges.overlapping() * ranges.overlapping();
    BYTES.setOpaque(this, sum + charge + (long) Long.BYTES * blobs.length);
  }

  // ---- Reading
  // ------------------------------------------------------------------------------------

  @Override
  public boolean find(
      byte[] key, int offset, int length, long hash, long atTime, int flags, PointResult result) {
    if (!filter.mayContain(hash)) {
      return false;
    }
    long trailer = Trailer.seekAt(atTime);
    while (true) {
      int ref = tree.ceiling(key, offset, length, trailer);
      if (ref == HeadTree.NONE || records.compareKey(ref, key, offset, length) != 0) {
        return false;
      }
      long found = records.trailer(ref);
      if ((Trailer.kind(found) & flags) == flags) {
        show(ref, found, result);
        return true;
      }
      if (Trailer.time(found) == HybridTime.MIN) {
        return false;
      }
      trailer = Trailer.seekAt(Trailer.time(found) - 1);
    }
  }

  private void show(int ref, long trailer, PointResult result) {
    byte[] array = records.array(ref);
    int lengths = BatchRecord.lengths(array, records.record(ref));
    int keyLength = Varint.getInt(array, lengths);
    int at = lengths + Varint.length(keyLength);
    int valueLength = Varint.getInt(array, at);
    int value = at + Varint.length(valueLength) + keyLength;
    result.set(trailer, array, value, valueLength);
  }

  private static int valueOffset(byte[] array, int record) {
    int lengths = BatchRecord.lengths(array, record);
    int keyLength = Varint.getInt(array, lengths);
    return BatchRecord.keyOffset(array, lengths, keyLength) + keyLength;
  }

  @Override
  public RangeTombstones rangeTombstones() {
    return ranges;
  }

  /**
   * A new iterator over the point records. It returns every record that was added before it was
   * placed, and may return later ones, which the caller knows by their time. It takes no lock and
   * holds nothing but memory.
   */
  public InternalIterator iterator() {
    return new MemTableIterator(records, tree);
  }

  // ---- Counts
  // -------------------------------------------------------------------------------------

  /** Memory of everything, in bytes, and a charge for range deletes that have become slow. */
  public long bytes() {
    return (long) BYTES.getOpaque(this);
  }

  /** Whether nothing was added. */
  public boolean isEmpty() {
    return entries() == 0 && rangeDeletes == 0;
  }

  /** Number of point records. */
  public long entries() {
    return (long) ENTRIES.getOpaque(this);
  }

  /** Point records whose base is DELETE. */
  public long deletes() {
    return deletes;
  }

  /** Records with the SUBTREE flag. */
  public long subtrees() {
    return subtrees;
  }

  /** Records with the EXPIRES flag. */
  public long expiring() {
    return expiring;
  }

  /** Range deletes added. */
  public long rangeDeletes() {
    return rangeDeletes;
  }

  /** Smallest time added; {@link Long#MAX_VALUE} if there is none. */
  public long minTime() {
    return minTime;
  }

  /**
   * Greatest time of a point record; {@link HybridTime#MIN} if there is none. Exact for all records
   * of published times.
   */
  public long maxPointTime() {
    return (long) MAX_POINT_TIME.getOpaque(this);
  }

  /** Greatest time added; {@link HybridTime#MIN} if there is none. */
  public long maxTime() {
    return maxTime;
  }

  /**
   * Passes on the numbers of the blob files that records refer to, or referred to until they were
   * replaced; a number may come more than once.
   */
  public void forEachBlob(LongConsumer consumer) {
    for (long number : blobs) {
      if (number == 0) {
        return;
      }
      consumer.accept(number);
    }
  }

  @Override
  public String toString() {
    return "memtable " + id + " (" + entries() + " records, " + bytes() + " bytes)";
  }
}
