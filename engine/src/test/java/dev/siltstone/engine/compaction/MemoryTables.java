package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.MergingIterator;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.iter.RecordsIterator;
import dev.siltstone.engine.iter.TestRecord;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Table files in memory: content by file number, sinks that make them, metadata that is exact.
 * Several threads may make files.
 */
final class MemoryTables implements TableSink.Factory, CompactionInputs.Files {
  /** What a record or a fragment adds to the length of a file. */
  static final long ENTRY_BYTES = 10;

  final Map<Long, RandomTree.Content> files = new ConcurrentSkipListMap<>();
  final List<Long> abandoned = new CopyOnWriteArrayList<>();
  private final AtomicLong nextNumber = new AtomicLong(1);

  /** Calls of {@link TableSink#add} until one fails; negative for never. */
  long addsLeft = -1;

  /** A file of some content. */
  FileMeta put(RandomTree.Content content) {
    long number = nextNumber.getAndIncrement();
    files.put(number, content);
    return meta(number);
  }

  /** All records of some files, merged. */
  InternalIterator iterator(List<FileMeta> of) {
    return MergingIterator.of(of.stream().map(this::records).toArray(InternalIterator[]::new));
  }

  @Override
  public InternalIterator records(FileMeta file) {
    return new RecordsIterator(List.copyOf(files.get(file.number()).records()));
  }

  @Override
  public RangeTombstones rangeTombstones(FileMeta file) {
    return files.get(file.number()).fragments();
  }

  /** All that some files hold. */
  RandomTree.Content content(List<FileMeta> of) {
    RandomTree.Content all = new RandomTree.Content();
    of.forEach(file -> all.addAll(files.get(file.number())));
    return all;
  }

  /** The metadata of a file. */
  FileMeta meta(long number) {
    RandomTree.Content content = files.get(number);
    TreeSet<byte[]> bounds = new TreeSet<>(Bytes::compare);
    TreeSet<Long> times = new TreeSet<>();
    long[] counts = new long[6];
    TestRecord before = null;
    for (TestRecord record : content.records()) {
      bounds.add(record.key());
      bounds.add(Bytes.successor(record.key()));
      times.add(record.time());
      counts[0] += KeyKind.isPut(record.kind()) ? 0 : 1;
      counts[1] += KeyKind.isSubtree(record.kind()) ? 1 : 0;
      counts[2] += before != null && Arrays.equals(before.key(), record.key()) ? 1 : 0;
      counts[3] += KeyKind.expires(record.kind()) ? 1 : 0;
      counts[4] =
          KeyKind.expires(record.kind())
              ? Math.max(counts[4], RandomTree.expiry(record))
              : counts[4];
      before = record;
    }
    content
        .fragments()
        .forEach(
            HybridTime.MIN,
            (lower, upper, fragmentTimes) -> {
              counts[5]++;
              bounds.add(lower);
              bounds.add(upper);
              for (long time : fragmentTimes) {
                times.add(time);
              }
            });
    return new FileMeta(
        number,
        (content.records().size() + counts[5]) * ENTRY_BYTES,
        bounds.first(),
        bounds.last(),
        times.first(),
        times.last(),
        content.records().size(),
        counts[0],
        counts[5],
        counts[1],
        counts[2],
        counts[3],
        counts[4],
        0,
        new long[0]);
  }

  @Override
  public TableSink create() {
    return new Sink(nextNumber.getAndIncrement());
  }

  private final class Sink implements TableSink {
    private final long number;
    private final RandomTree.Content content = new RandomTree.Content();
    private byte[] fragmentEnd = Bytes.EMPTY;

    Sink(long number) {
      this.number = number;
    }

    @Override
    public void add(
        byte[] key,
        int keyOffset,
        int keyLength,
        long trailer,
        byte[] value,
        int valueOffset,
        int valueLength)
        throws IOException {
      if (addsLeft == 0) {
        throw new IOException("planted");
      }
      addsLeft--;
      TestRecord record =
          new TestRecord(
              Bytes.copy(key, keyOffset, keyLength),
              trailer,
              Bytes.copy(value, valueOffset, valueLength));
      if (!content.records().isEmpty() && content.records().last().compareTo(record) >= 0) {
        throw new AssertionError("out of order: " + record);
      }
      content.records().add(record);
    }

    @Override
    public void addRangeTombstone(byte[] lower, byte[] upper, long[] times) {
      if (Bytes.compare(lower, fragmentEnd) < 0 || Bytes.compare(lower, upper) >= 0) {
        throw new AssertionError("out of order: " + Bytes.hex(lower) + ".." + Bytes.hex(upper));
      }
      fragmentEnd = upper;
      for (long time : times) {
        content.rangeDeletes().add(new RandomTree.RangeDelete(lower, upper, time));
      }
    }

    @Override
    public long estimatedBytes() {
      return content.records().size() * ENTRY_BYTES;
    }

    @Override
    public FileMeta finish() {
      files.put(number, content);
      return meta(number);
    }

    @Override
    public void abandon() {
      files.remove(number);
      abandoned.add(number);
    }
  }
}
