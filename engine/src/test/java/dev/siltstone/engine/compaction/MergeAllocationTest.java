package dev.siltstone.engine.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.MergingIterator;
import dev.siltstone.engine.iter.TestRecord;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.table.TableWriterOptions;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

// Goal: a merge of table files into a table file allocates nothing per record, whether blocks are
// copied or records written one by one: what it allocates are the pieces of files that it reads.
// Method: bytes allocated by this thread, the least of some rounds, for short records without
// filters, into a file that keeps nothing.
final class MergeAllocationTest {
  private static final int RECORDS = 100_000;
  private static final int ROUNDS = 5;

  /** Buffers of the writer and the iterators, whatever the number of records. */
  private static final long FIXED_BYTES = 1_000_000;

  private final StoredTables tables = new StoredTables();

  MergeAllocationTest() throws IOException {
    tables.options = TableWriterOptions.defaults().withFilters(0, false);
  }

  @Test
  void recordsThatAreMergedAllocateNothing() throws IOException {
    FileMeta even = file(0, 2);
    FileMeta odd = file(1, 2);
    assertThat(leastAllocated(even, odd, 0)).isLessThan(even.bytes() + odd.bytes() + FIXED_BYTES);
  }

  @Test
  void blocksThatAreCopiedAllocateNothing() throws IOException {
    FileMeta first = file(0, 1);
    FileMeta second = file(RECORDS, 1);
    // One key and what leads to it, for each block.
    long blocks = (first.bytes() + second.bytes()) / 10;
    assertThat(leastAllocated(first, second, 2 * RECORDS - 2_000))
        .isLessThan(first.bytes() + second.bytes() + blocks + FIXED_BYTES);
  }

  private FileMeta file(int from, int step) throws IOException {
    RandomTree.Content content = new RandomTree.Content();
    for (int i = 0; i < RECORDS; i++) {
      content.records().add(TestRecord.of("%08d".formatted(from + i * step), 5, KeyKind.PUT));
    }
    return tables.put(content);
  }

  private long leastAllocated(FileMeta a, FileMeta b, long copiedMin) throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      JobStats stats = merge(a, b);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      assertThat(stats.entriesOut()).isEqualTo(2 * RECORDS);
      assertThat(stats.copied()).isBetween(copiedMin, copiedMin == 0 ? 0 : stats.entriesOut());
    }
    return least;
  }

  private JobStats merge(FileMeta a, FileMeta b) throws IOException {
    InternalIterator records = MergingIterator.of(tables.records(a), tables.records(b));
    return new CompactionJob(
            records,
            new FragmentedRangeTombstones.Builder().build(),
            OlderData.NONE,
            new CompactionJob.Limits(100, Long.MAX_VALUE, Long.MAX_VALUE, List.of()),
            () -> new WriterSink(new Nowhere(), 1, 1, tables.options),
            JobControl.NONE,
            null)
        .run()
        .stats();
  }

  /** Keeps nothing. */
  private static final class Nowhere implements WritableFile {
    private long size;

    @Override
    public void write(byte[] source, int offset, int length) {
      size += length;
    }

    @Override
    public void sync() {
      // Nothing to keep.
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public void close() {
      // Nothing to close.
    }
  }
}
