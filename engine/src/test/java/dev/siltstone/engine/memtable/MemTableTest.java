package dev.siltstone.engine.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.BatchWriter;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: what a memtable promises beyond holding records: counts, memory, batches in place, and
 * reads that allocate nothing. Method: small cases, each for one promise.
 */
final class MemTableTest {
  private static final int TREE = Feed.TREE;

  private final MemTable table = new MemTable(7, 1 << 20);
  private final Feed feed = new Feed();

  @Test
  void emptyMemtableHasNothing() throws IOException {
    assertThat(table.isEmpty()).isTrue();
    assertThat(table.minTime()).isEqualTo(Long.MAX_VALUE);
    assertThat(table.maxTime()).isEqualTo(HybridTime.MIN);
    assertThat(table.rangeTombstones().isEmpty()).isTrue();
    assertThat(find(bytes("a"), HybridTime.MAX)).isNull();
    InternalIterator iterator = table.iterator();
    iterator.first();
    assertThat(iterator.valid()).isFalse();
    iterator.last();
    assertThat(iterator.valid()).isFalse();
    iterator.seek(bytes("a"), 0, 1, Trailer.NEWEST);
    assertThat(iterator.valid()).isFalse();
    iterator.seekBefore(bytes("a"), 0, 1, Trailer.NEWEST);
    assertThat(iterator.valid()).isFalse();
    assertThat(table).hasToString("memtable 7 (0 records, " + table.bytes() + " bytes)");
  }

  @Test
  void laterRecordOfABatchTakesThePlaceOfTheEarlier() throws IOException {
    feed.batch().add(TREE, KeyKind.DELETE | KeyKind.SUBTREE, bytes("k"), Bytes.EMPTY);
    feed.batch().addExpiring(TREE, KeyKind.PUT | KeyKind.EXPIRES, 9, bytes("k"), bytes("v"));
    feed.batch().add(TREE, KeyKind.PUT, bytes("k"), bytes("last"));
    feed.commit(table, 5);
    assertThat(find(bytes("k"), 5)).isEqualTo("last");
    assertThat(table.entries()).isEqualTo(1);
    assertThat(table.deletes()).isZero();
    assertThat(table.subtrees()).isZero();
    assertThat(table.expiring()).isZero();
  }

  @Test
  void versionsAreFoundByTime() throws IOException {
    for (int time = 10; time < 1000; time += 10) {
      feed.batch().add(TREE, KeyKind.PUT, bytes("k"), bytes("v" + time));
      feed.commit(table, time);
    }
    assertThat(find(bytes("k"), 9)).isNull();
    assertThat(find(bytes("k"), 10)).isEqualTo("v10");
    assertThat(find(bytes("k"), 515)).isEqualTo("v510");
    assertThat(find(bytes("k"), HybridTime.MAX)).isEqualTo("v990");
  }

  @Test
  void oldestTimeOfAllCanBeReadAndPassed() throws IOException {
    feed.batch().add(TREE, KeyKind.PUT, bytes("k"), bytes("v"));
    feed.commit(table, HybridTime.MIN);
    assertThat(find(bytes("k"), HybridTime.MIN)).isEqualTo("v");
    PointResult result = new PointResult();
    long hash = Hash64.of(bytes("k"), 0, 1);
    assertThat(table.find(bytes("k"), 0, 1, hash, 9, KeyKind.SUBTREE, result)).isFalse();
  }

  @Test
  void rangeDeletesAreCountedAndTheirMemoryToo() throws IOException {
    long before = table.bytes();
    feed.batch().add(TREE, KeyKind.RANGE_DELETE, bytes("a"), bytes("m"));
    feed.commit(table, 5);
    assertThat(table.isEmpty()).isFalse();
    assertThat(table.entries()).isZero();
    assertThat(table.rangeDeletes()).isEqualTo(1);
    assertThat(table.minTime()).isEqualTo(5);
    assertThat(table.bytes()).isGreaterThan(before);
    assertThat(table.rangeTombstones().newestCovering(bytes("b"), 0, 1, 5)).isEqualTo(5);
    assertThat(table.rangeTombstones().newestCovering(bytes("b"), 0, 1, 4)).isZero();
    assertThat(table.rangeTombstones().newestCovering(bytes("m"), 0, 1, 5)).isZero();
  }

  @Test
  void rangeDeletesOfOneRangeCostTheirMemory() throws IOException {
    for (int i = 1; i <= 10_000; i++) {
      feed.batch().add(TREE, KeyKind.RANGE_DELETE, number(1), number(2));
      feed.commit(table, i);
    }
    assertThat(table.bytes()).isLessThan(10_000 * 300);
    assertThat(table.rangeTombstones().newestCovering(number(1), 0, 8, 10_000)).isEqualTo(10_000);
    assertThat(table.rangeTombstones().newestCovering(number(1), 0, 8, 77)).isEqualTo(77);
  }

  @Test
  void overlappingRangeDeletesFillTheMemtableBeforeTheirPartsAreTooMany() throws IOException {
    int count = 0;
    while (table.bytes() < 1 << 20) {
      count++;
      feed.batch().add(TREE, KeyKind.RANGE_DELETE, Bytes.EMPTY, number(count));
      feed.commit(table, count);
    }
    assertThat(count).isBetween(300, 600);
  }

  @Test
  void blobsAreNamed() throws IOException {
    byte[] reference = new byte[BlobReference.BYTES];
    byte[] expiring = new byte[KeyKind.EXPIRY_BYTES + BlobReference.BYTES];
    for (int i = 1; i <= 20; i++) {
      new BlobReference(i, 9, 0).write(reference, 0);
      feed.batch().add(TREE, KeyKind.PUT | KeyKind.SEPARATED, number(i), reference);
      new BlobReference(100 + i, 9, 0).write(expiring, KeyKind.EXPIRY_BYTES);
      int kind = KeyKind.PUT | KeyKind.SEPARATED | KeyKind.EXPIRES;
      feed.batch().add(TREE, kind, number(100 + i), expiring);
      feed.commit(table, i);
    }
    List<Long> blobs = new ArrayList<>();
    table.forEachBlob(blobs::add);
    assertThat(blobs).hasSize(40).contains(1L, 20L, 101L, 120L);
  }

  @Test
  void sequentialLoadsFillTheirLeaves() throws IOException {
    MemTable ascending = load(1, 1 << 20);
    MemTable descending = load(-1, 1 << 20);
    MemTable shuffled = load(611_953, 1 << 20);
    long full = 100_000 * 12L;
    long perRecord = 48;
    assertThat(ascending.bytes() - 100_000 * perRecord).isLessThan(full * 3 / 2);
    assertThat(descending.bytes() - 100_000 * perRecord).isLessThan(full * 3 / 2);
    assertThat(shuffled.bytes()).isGreaterThan(ascending.bytes() + full / 4);
  }

  private MemTable load(int step, long budget) throws IOException {
    MemTable loaded = new MemTable(1, budget);
    long at = step < 0 ? 100_000 : 0;
    for (int i = 0; i < 100_000; i++) {
      feed.batch().add(TREE, KeyKind.PUT, number(at), bytes("a value of 20 bytes!"));
      feed.commit(loaded, i + 1);
      at = step > 1 ? (at + step) % 1_000_003 : at + step;
    }
    assertThat(loaded.entries()).isEqualTo(100_000);
    return loaded;
  }

  @Test
  void readingAllocatesNothing() throws IOException {
    for (int i = 0; i < 50_000; i++) {
      feed.batch().add(TREE, KeyKind.PUT, number(i * 7919L % 50_000), bytes("value"));
      feed.commit(table, i + 1);
    }
    InternalIterator iterator = table.iterator();
    PointResult result = new PointResult();
    byte[] key = new byte[8];
    long sum = 0;
    for (int warm = 0; warm < 3; warm++) {
      sum += readAll(iterator, result, key);
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    sum += readAll(iterator, result, key);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(sum).isEqualTo(4 * 250_000L);
    assertThat(allocated).isLessThan(1000);
  }

  /** Reads every record by scans both ways, find and seeks; returns how many were found. */
  private long readAll(InternalIterator iterator, PointResult result, byte[] key)
      throws IOException {
    long found = 0;
    for (iterator.first(); iterator.valid(); iterator.next()) {
      found++;
    }
    for (iterator.last(); iterator.valid(); iterator.prev()) {
      found++;
    }
    for (int i = 0; i < 50_000; i++) {
      Bytes.putHead(key, 0, i, 8);
      long hash = Hash64.of(key, 0, 8);
      found += table.find(key, 0, 8, hash, HybridTime.MAX, 0, result) ? 1 : 0;
      iterator.seek(key, 0, 8, Trailer.NEWEST);
      found += iterator.valid() ? 1 : 0;
      iterator.seekBefore(key, 0, 8, 0);
      found += iterator.valid() ? 1 : 0;
    }
    return found;
  }

  @Test
  void addingAllocatesOnlyChunksAndNodes() throws IOException {
    BatchWriter writer = new BatchWriter();
    for (int i = 0; i < 20_000; i++) {
      writer.add(TREE, KeyKind.PUT, number(i * 7919L % 20_000), bytes("value"));
    }
    writer.seal(5);
    BatchReader reader = new BatchReader();
    for (int warm = 0; warm < 3; warm++) {
      addAll(new MemTable(1, 1 << 20), reader, writer);
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    MemTable measured = new MemTable(1, 1 << 20);
    long before = threads.getCurrentThreadAllocatedBytes();
    addAll(measured, reader, writer);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(allocated).isLessThan(measured.bytes() + measured.bytes() / 10);
  }

  private static void addAll(MemTable target, BatchReader reader, BatchWriter writer)
      throws IOException {
    reader.open(writer.array(), 0, writer.bytes());
    while (reader.next()) {
      target.add(reader);
    }
  }

  private String find(byte[] key, long time) throws IOException {
    PointResult result = new PointResult();
    if (!table.find(key, 0, key.length, Hash64.of(key, 0, key.length), time, 0, result)) {
      return null;
    }
    return new String(
        result.valueArray(), result.valueOffset(), result.valueLength(), StandardCharsets.US_ASCII);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] number(long number) {
    return ByteBuffer.allocate(8).putLong(number).array();
  }
}
