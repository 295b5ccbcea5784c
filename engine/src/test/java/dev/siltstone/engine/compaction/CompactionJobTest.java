package dev.siltstone.engine.compaction;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.MergingIterator;
import dev.siltstone.engine.iter.RecordsIterator;
import dev.siltstone.engine.iter.TestRecord;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.spi.CompactionFilter;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

// Goal: a job writes what the drop rule leaves, cut into files that keep the promises of a level;
// it fails whole, stops when told to and counts what it does.
// Method: random trees and grandparents, in-memory files; planted failures.
final class CompactionJobTest {
  private static final CompactionJob.Limits ONE_FILE =
      new CompactionJob.Limits(100, Long.MAX_VALUE, Long.MAX_VALUE, List.of());

  @Test
  void readersSeeTheSameInOutputsThatShareNoKey() throws IOException {
    for (long seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      MemoryTables tables = new MemoryTables();
      List<FileMeta> inputs = new ArrayList<>();
      for (RandomTree.Content content : RandomTree.files(random, 1 + random.nextInt(4))) {
        if (!content.records().isEmpty() || !content.rangeDeletes().isEmpty()) {
          inputs.add(tables.put(content));
        }
      }
      RandomTree.Content before = tables.content(inputs);
      long cutoff = random.nextInt(RandomTree.TIME_MAX + 1);
      long fileBytes = (1 + random.nextInt(6)) * MemoryTables.ENTRY_BYTES;
      List<FileMeta> grandparents = grandparents(random);
      long overlapMax = 100 * (1 + random.nextInt(4));
      CompactionJob.Limits limits =
          new CompactionJob.Limits(cutoff, fileBytes, overlapMax, grandparents);
      OlderData older = random.nextBoolean() ? OlderData.NONE : new OlderEverywhere();
      CompactionJob.Result result =
          new CompactionJob(
                  tables.iterator(inputs),
                  before.fragments(),
                  older,
                  limits,
                  tables,
                  JobControl.NONE,
                  null)
              .run();
      checkFiles(seed, tables, result.outputs(), limits);
      JobStats stats = result.stats();
      assertThat(stats.entriesIn()).isEqualTo(before.records().size());
      assertThat(stats.entriesIn() - stats.dropped()).isEqualTo(stats.entriesOut());
      RandomTree.Content after = tables.content(result.outputs());
      assertThat(after.records()).hasSize((int) stats.entriesOut());
      TreeSet<byte[]> keys = new TreeSet<>(Bytes::compare);
      before.records().forEach(record -> keys.add(record.key()));
      for (byte[] key : keys) {
        for (long time = cutoff; time <= RandomTree.READER_TIME_MAX; time++) {
          assertThat(RandomTree.visible(after, key, time))
              .as("seed %s, key %s at %s", seed, Bytes.hex(key), time)
              .isEqualTo(RandomTree.visible(before, key, time));
        }
      }
    }
  }

  private static void checkFiles(
      long seed, MemoryTables tables, List<FileMeta> outputs, CompactionJob.Limits limits) {
    FileMeta last = null;
    for (FileMeta output : outputs) {
      String where = "seed " + seed + ", output " + output;
      if (last != null) {
        assertThat(Bytes.compare(last.upper(), output.lower())).as(where).isNotPositive();
      }
      RandomTree.Content content = tables.files.get(output.number());
      TreeSet<byte[]> keys = new TreeSet<>(Bytes::compare);
      content.records().forEach(record -> keys.add(record.key()));
      long beforeLast =
          content.records().stream()
              .filter(record -> Bytes.compare(record.key(), keys.last()) < 0)
              .count();
      assertThat(beforeLast * MemoryTables.ENTRY_BYTES).as(where).isLessThan(limits.fileBytes());
      // One more than the limit when the last grandparent is only touched.
      long overlap = 0;
      long most = 0;
      for (FileMeta grandparent : limits.grandparents()) {
        if (grandparent.overlaps(output.lower(), output.upper())) {
          overlap += grandparent.bytes();
          most = Math.max(most, grandparent.bytes());
        }
      }
      assertThat(overlap).as(where).isLessThan(limits.overlapBytesMax() + most + 1);
      last = output;
    }
  }

  private static List<FileMeta> grandparents(Random random) {
    List<FileMeta> files = new ArrayList<>();
    byte[] lower = Bytes.EMPTY;
    TreeSet<byte[]> cuts = new TreeSet<>(Bytes::compare);
    for (int i = random.nextInt(12); i > 0; i--) {
      cuts.add(RandomTree.key(random));
    }
    for (byte[] cut : cuts) {
      if (Bytes.compare(lower, cut) < 0 && random.nextInt(4) > 0) {
        files.add(TestFiles.file(1_000 + files.size(), lower, cut, 1));
      }
      lower = cut;
    }
    return files;
  }

  @Test
  void aWideRangeDeleteIsCutWhereGrandparentsEnd() throws IOException {
    MemoryTables tables = new MemoryTables();
    RandomTree.Content content = new RandomTree.Content();
    content.rangeDeletes().add(new RandomTree.RangeDelete(bytes("b"), bytes("y"), 7));
    content.records().add(TestRecord.of("m", 8, KeyKind.PUT));
    FileMeta input = tables.put(content);
    List<FileMeta> grandparents = new ArrayList<>();
    for (char c = 'a'; c < 'z'; c++) {
      grandparents.add(TestFiles.file(100 + c, bytes("" + c), bytes("" + (char) (c + 1)), 1));
    }
    CompactionJob.Result result =
        new CompactionJob(
                tables.iterator(List.of(input)),
                content.fragments(),
                new OlderEverywhere(),
                new CompactionJob.Limits(9, 1_000, 600, grandparents),
                tables,
                JobControl.NONE,
                null)
            .run();
    assertThat(result.outputs())
        .extracting(file -> text(file.lower()) + ".." + text(file.upper()))
        .containsExactly("b..h", "h..n", "n..t", "t..y");
  }

  @Test
  void nothingLeftGivesNoFile() throws IOException {
    MemoryTables tables = new MemoryTables();
    RecordsIterator records = new RecordsIterator(List.of(TestRecord.of("a", 3, KeyKind.DELETE)));
    CompactionJob.Result result = job(records, ONE_FILE, tables, JobControl.NONE, null).run();
    assertThat(result.outputs()).isEmpty();
    assertThat(result.stats().deletes()).isEqualTo(1);
    assertThat(records.closed()).isTrue();
  }

  @Test
  void aFailureAbandonsAllOutputsTheFinishedOnesToo() {
    List<TestRecord> input = many(50);
    for (int moves = 0; moves < 50; moves++) {
      MemoryTables tables = new MemoryTables();
      RecordsIterator records = new RecordsIterator(input);
      if (moves % 2 == 0) {
        records.failAfter(moves);
      } else {
        tables.addsLeft = moves;
      }
      CompactionJob.Limits limits = new CompactionJob.Limits(100, 100, 1_000, List.of());
      CompactionJob job = job(records, limits, tables, JobControl.NONE, null);
      assertThatThrownBy(job::run).isInstanceOf(IOException.class).hasMessage("planted");
      assertThat(tables.files).isEmpty();
      assertThat(records.closed()).isTrue();
    }
  }

  @Test
  void aJobThatIsToldToStopStopsWithinAThousandRecordsAndLeavesNothing() {
    MemoryTables tables = new MemoryTables();
    CompactionJob job =
        job(
            new RecordsIterator(many(5_000)),
            new CompactionJob.Limits(100, 1_000, 1_000, List.of()),
            tables,
            stats -> stats.entriesIn() < 2_000,
            null);
    assertThatThrownBy(job::run).isInstanceOf(JobCancelledException.class);
    assertThat(job.stats().entriesIn()).isBetween(2_000L, 3_100L);
    assertThat(tables.files).isEmpty();
    assertThat(tables.abandoned).isNotEmpty();
  }

  @Test
  void theFilterSeesOnlyLiveValuesAtOrBeforeTheCutoff() throws IOException {
    List<TestRecord> input =
        List.of(
            TestRecord.of("a", 101, KeyKind.PUT),
            TestRecord.of("a", 5, KeyKind.PUT),
            TestRecord.of("a", 4, KeyKind.PUT),
            TestRecord.of("b", 5, KeyKind.DELETE),
            TestRecord.of("c", 5, KeyKind.PUT | KeyKind.SEPARATED),
            TestRecord.of("d", 5, KeyKind.PUT),
            TestRecord.of("e", 5, KeyKind.PUT));
    List<String> seen = new ArrayList<>();
    CompactionFilter filter =
        entry -> {
          String text = new String(entry.keyArray(), entry.keyOffset(), entry.keyLength(), UTF_8);
          seen.add(text + entry.hybridTime() + "=" + entry.valueLength());
          if (text.equals("a")) {
            // Counts for nothing, as the verdict is another.
            entry.replaceValue(new byte[9], 0, 9);
          }
          if (text.equals("d")) {
            entry.replaceValue(new byte[] {1, 2, 3}, 1, 2);
            return CompactionFilter.Verdict.REPLACE;
          }
          return text.equals("e") ? CompactionFilter.Verdict.DROP : CompactionFilter.Verdict.KEEP;
        };
    MemoryTables tables = new MemoryTables();
    CompactionJob.Result result =
        job(new RecordsIterator(input), ONE_FILE, tables, JobControl.NONE, filter).run();
    assertThat(seen).containsExactly("a5=0", "d5=0", "e5=0");
    assertThat(tables.content(result.outputs()).records())
        .containsExactly(
            input.get(0),
            input.get(1),
            input.get(4),
            new TestRecord(bytes("d"), input.get(5).trailer(), new byte[] {2, 3}));
    assertThat(result.stats().filtered()).isEqualTo(1);
    assertThat(result.stats().shadowed()).isEqualTo(1);
  }

  @Test
  void whatTheFilterDropsGoesOnHidingOlderDataElsewhere() throws IOException {
    MemoryTables tables = new MemoryTables();
    CompactionJob.Result result =
        new CompactionJob(
                new RecordsIterator(List.of(TestRecord.of("a", 5, KeyKind.PUT | KeyKind.SUBTREE))),
                FragmentedRangeTombstones.union(List.of(), HybridTime.MIN),
                new OlderEverywhere(),
                ONE_FILE,
                tables,
                JobControl.NONE,
                _ -> CompactionFilter.Verdict.DROP)
            .run();
    assertThat(tables.content(result.outputs()).records())
        .containsExactly(TestRecord.of("a", 5, KeyKind.DELETE | KeyKind.SUBTREE));
  }

  @Test
  void valuesInBlobFilesAreReportedWhenTheyDoNotLiveOn() throws IOException {
    List<TestRecord> input = new ArrayList<>();
    for (int time = 1; time <= 3; time++) {
      input.add(
          new TestRecord(
              bytes("a"),
              Trailer.of(time, KeyKind.PUT | KeyKind.SEPARATED),
              new byte[] {(byte) time}));
    }
    List<Integer> dropped = new ArrayList<>();
    JobControl control =
        new JobControl() {
          @Override
          public boolean proceed(JobStats stats) {
            return true;
          }

          @Override
          public void separatedDropped(long trailer, byte[] value, int offset, int length) {
            dropped.add((int) value[offset]);
          }
        };
    job(new RecordsIterator(input), ONE_FILE, new MemoryTables(), control, null).run();
    assertThat(dropped).containsExactly(2, 1);
  }

  @Test
  void mergingAndJudgingAllocateNothingPerRecord() throws IOException {
    int count = 100_000;
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long allocated = Long.MAX_VALUE;
    for (int round = 0; round < 3; round++) {
      InternalIterator[] sources = new InternalIterator[4];
      for (int i = 0; i < sources.length; i++) {
        sources[i] = new CountingIterator(i, sources.length, count);
      }
      CompactionJob job =
          new CompactionJob(
              MergingIterator.of(sources),
              FragmentedRangeTombstones.union(List.of(), HybridTime.MIN),
              new OlderEverywhere(),
              new CompactionJob.Limits(1_000, Long.MAX_VALUE, Long.MAX_VALUE, List.of()),
              CountingSink::new,
              JobControl.NONE,
              null);
      long before = threads.getCurrentThreadAllocatedBytes();
      JobStats stats = job.run().stats();
      allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
      assertThat(stats.shadowed()).isPositive();
      assertThat(stats.hidden()).isPositive();
      assertThat(stats.entriesIn()).isEqualTo(4L * count);
    }
    // Statistics every thousand records, and what is there once.
    assertThat(allocated).isLessThan(4L * count / 4);
  }

  private static CompactionJob job(
      RecordsIterator records,
      CompactionJob.Limits limits,
      MemoryTables tables,
      JobControl control,
      CompactionFilter filter) {
    return new CompactionJob(
        records,
        FragmentedRangeTombstones.union(List.of(), HybridTime.MIN),
        OlderData.NONE,
        limits,
        tables,
        control,
        filter);
  }

  private static List<TestRecord> many(int count) {
    List<TestRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(TestRecord.of("key" + (10_000 + i), 1 + i % 50, KeyKind.PUT));
    }
    return records;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }
}
