package dev.siltstone.engine.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

// Goal: nothing is allocated per record: by a lookup or a step in cached blocks, nor by adding.
// Method: bytes allocated by this thread, the least of some rounds, over many records.
final class TableAllocationTest {
  private static final int RECORDS = 20_000;
  private static final int ROUNDS = 6;

  private final TableFixture fixture = new TableFixture();
  private final byte[][] keys = new byte[RECORDS][];

  TableAllocationTest() throws IOException {
    for (int i = 0; i < RECORDS; i++) {
      keys[i] = "key %08d".formatted(i).getBytes(StandardCharsets.US_ASCII);
    }
    fixture.write(TableWriterOptions.defaults(), this::addAll);
  }

  private void addAll(TableWriter writer) throws IOException {
    long trailer = Trailer.of(5, KeyKind.PUT);
    for (byte[] key : keys) {
      writer.add(key, 0, key.length, trailer, key, 0, key.length);
    }
  }

  /** What is measured. */
  private interface Work {
    void run() throws IOException;
  }

  private static long leastAllocated(Work work) throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      work.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  @Test
  void lookupsAllocateNothing() throws IOException {
    TableReader table = fixture.open();
    PointResult result = new PointResult();
    long allocated =
        leastAllocated(
            () -> {
              for (byte[] key : keys) {
                long hash = Hash64.of(key, 0, key.length);
                if (!table.find(key, 0, key.length, hash, 5, 0, result)) {
                  throw new AssertionError(Bytes.hex(key));
                }
                table.find(key, 0, key.length - 1, hash, 5, 0, result);
              }
            });
    assertThat(allocated).isLessThan(RECORDS);
  }

  @Test
  void stepsAndSeeksAllocateNothing() throws IOException {
    TableReader table = fixture.open();
    InternalIterator iterator = table.iterator(true);
    long[] sum = new long[1];
    long allocated =
        leastAllocated(
            () -> {
              for (iterator.first(); iterator.valid(); iterator.next()) {
                sum[0] += iterator.keyLength() + iterator.valueLength() + iterator.trailer();
              }
              for (iterator.last(); iterator.valid(); iterator.prev()) {
                sum[0] += iterator.keyOffset() + iterator.valueOffset();
              }
              for (byte[] key : keys) {
                iterator.seek(key, 0, key.length, Trailer.NEWEST);
              }
            });
    assertThat(allocated).isLessThan(RECORDS);
    assertThat(sum[0]).isPositive();
  }

  @Test
  void addingAllocatesForBlocksAndFiltersOnly() throws IOException {
    long[] added = new long[1];
    leastAllocated(() -> added[0] = allocatedByAdding());
    // Hashes take 8 bytes a key and grow by doubling; buffers are made once.
    assertThat(added[0]).isLessThan(40L * RECORDS + (1 << 20));
  }

  private long allocatedByAdding() throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (WritableFile file = new NullFile()) {
      long before = threads.getCurrentThreadAllocatedBytes();
      TableWriter writer =
          new TableWriter(file, 1, TableFixture.STORE, TableWriterOptions.defaults());
      addAll(writer);
      return threads.getCurrentThreadAllocatedBytes() - before;
    }
  }

  /** Takes bytes and forgets them. */
  private static final class NullFile implements WritableFile {
    private long size;

    @Override
    public void write(byte[] source, int offset, int length) {
      size += length;
    }

    @Override
    public void sync() {
      // Nothing is kept.
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }
}
