package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.MergingIterator;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.iter.TestRecord;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.table.Compressors;
import dev.siltstone.engine.table.TableWriterOptions;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.LongFunction;

/**
 * Merges random table files twice, once with blocks that may be copied and once without, and
 * compares what comes out. It takes a seed and returns what is wrong, or nothing: a JDK interface,
 * so that it can also run in a class loader of its own over mutated classes.
 */
final class BlockCopyChecker implements LongFunction<String> {
  private static final int KEYS = 3_000;
  private static final int TIME_MAX = 1_000;

  /** Records that were copied, of all seeds. */
  long copied;

  /** Seeds in which some were copied beside deletes of some kind. */
  int mixed;

  @Override
  public String apply(long seed) {
    try {
      return check(new Random(seed));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String check(Random random) throws IOException {
    StoredTables tables = new StoredTables();
    List<FileMeta> inputs = new ArrayList<>();
    boolean plain = random.nextInt(3) == 0;
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      tables.options = options(random);
      inputs.add(tables.put(source(random, i, plain)));
    }
    if (random.nextInt(4) == 0) {
      inputs.add(tables.put(comb(random)));
    }
    tables.options = options(random);
    OlderData older = random.nextBoolean() ? OlderData.NONE : new OlderEverywhere();
    CompactionJob.Limits limits = limits(random);
    CompactionJob.Result copying = run(tables, inputs, older, limits, true);
    CompactionJob.Result single = run(tables, inputs, older, limits, false);
    JobStats stats = copying.stats();
    copied += stats.copied();
    mixed += stats.copied() > 0 && stats.dropped() > 0 ? 1 : 0;
    String wrong = difference(tables, copying, single);
    for (FileMeta output : copying.outputs()) {
      List<String> faults = tables.faults(output);
      wrong = wrong == null && !faults.isEmpty() ? faults.getFirst() : wrong;
      wrong = wrong == null ? overlap(output, limits) : wrong;
    }
    tables.close();
    return wrong;
  }

  private static TableWriterOptions options(Random random) {
    return TableWriterOptions.of(
            256 << random.nextInt(3),
            random.nextInt(4) == 0 ? 0 : 10,
            random.nextBoolean() ? null : new Compressors().find("lz4"))
        .withPartitionBytes(128 << random.nextInt(3));
  }

  /** Runs of keys, most of them of their own; puts only, or now and then something else. */
  private static RandomTree.Content source(Random random, int number, boolean plain) {
    RandomTree.Content content = new RandomTree.Content();
    int odd = plain ? 0 : 1 + random.nextInt(40);
    for (int run = 2 + random.nextInt(8); run > 0; run--) {
      int from = random.nextInt(KEYS);
      boolean alone = !plain && random.nextInt(4) == 0;
      int to = Math.min(KEYS, from + 1 + (alone ? 0 : random.nextInt(200)));
      int oddHere = alone ? 500 : odd;
      for (int key = from; key < to; key++) {
        add(content, record(random, key, number, random.nextInt(1_000) < oddHere));
        while (random.nextInt(1_000) < odd) {
          add(content, record(random, key, number, random.nextBoolean()));
        }
      }
    }
    if (!plain && random.nextInt(4) == 0) {
      int from = random.nextInt(KEYS);
      byte[] upper = key(from + 1 + random.nextInt(100));
      content
          .rangeDeletes()
          .add(new RandomTree.RangeDelete(key(from), upper, time(random, number)));
    }
    return content;
  }

  /** Deletes of keys far from each other, so that some meet the first record of a block alone. */
  private static RandomTree.Content comb(Random random) {
    RandomTree.Content content = new RandomTree.Content();
    for (int key = 0; key < KEYS; key += 10 + random.nextInt(50)) {
      long trailer = Trailer.of(time(random, 0), KeyKind.DELETE);
      content.records().add(new TestRecord(key(key), trailer, Bytes.EMPTY));
    }
    return content;
  }

  /** Adds a record unless there is one of its key and time. */
  private static void add(RandomTree.Content content, TestRecord record) {
    TestRecord newest = new TestRecord(record.key(), Trailer.seekAt(record.time()), Bytes.EMPTY);
    TestRecord next = content.records().ceiling(newest);
    if (next == null || next.time() != record.time() || !Arrays.equals(next.key(), record.key())) {
      content.records().add(record);
    }
  }

  private static TestRecord record(Random random, int key, int source, boolean odd) {
    byte[] value = new byte[random.nextInt(40)];
    Arrays.fill(value, (byte) random.nextInt());
    long time = time(random, source);
    byte[] bytes = key(key);
    if (!odd) {
      return new TestRecord(bytes, Trailer.of(time, KeyKind.PUT), value);
    }
    return switch (random.nextInt(5)) {
      case 0, 1 -> new TestRecord(bytes, Trailer.of(time, KeyKind.DELETE), Bytes.EMPTY);
      case 2, 3 -> {
        byte[] expiring = new byte[Long.BYTES + value.length];
        Fixed.putLong(expiring, 0, random.nextInt(2 * TIME_MAX));
        yield new TestRecord(bytes, Trailer.of(time, KeyKind.PUT | KeyKind.EXPIRES), expiring);
      }
      default -> {
        byte[] prefix = Arrays.copyOf(bytes, 5 + random.nextInt(2));
        int base = random.nextBoolean() ? KeyKind.PUT : KeyKind.DELETE;
        yield new TestRecord(
            prefix,
            Trailer.of(time, base | KeyKind.SUBTREE),
            base == KeyKind.PUT ? value : Bytes.EMPTY);
      }
    };
  }

  /** Times of different sources differ, and say nothing about which source is newer. */
  private static long time(Random random, int source) {
    return 1 + 4L * random.nextInt(TIME_MAX / 4) + source % 4;
  }

  private static byte[] key(int number) {
    return ("row-" + (char) ('a' + number / 100) + "%02d".formatted(number % 100))
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  private static CompactionJob.Limits limits(Random random) {
    long cutoff = random.nextInt(3) == 0 ? TIME_MAX + 1 : random.nextInt(TIME_MAX);
    List<FileMeta> grandparents = new ArrayList<>();
    int at = random.nextInt(400);
    while (at < KEYS && random.nextInt(8) > 0) {
      int end = at + 1 + random.nextInt(300);
      grandparents.add(
          TestFiles.file(10_000 + grandparents.size(), key(at), key(end), 1 + random.nextInt(9)));
      at = end + random.nextInt(30);
    }
    CompactionJob.Limits limits =
        new CompactionJob.Limits(
            cutoff, 2_000 + random.nextInt(20_000), 5 + random.nextInt(20), grandparents);
    int from = random.nextInt(KEYS);
    return random.nextInt(4) > 0
        ? limits
        : limits.within(new KeySpan(key(from), key(from + 1 + random.nextInt(1_000))));
  }

  private static CompactionJob.Result run(
      StoredTables tables,
      List<FileMeta> inputs,
      OlderData older,
      CompactionJob.Limits limits,
      boolean copies)
      throws IOException {
    tables.offersBlocks = copies;
    InternalIterator[] sources = new InternalIterator[inputs.size()];
    List<RangeTombstones> tombstones = new ArrayList<>();
    for (int i = 0; i < sources.length; i++) {
      sources[i] = tables.records(inputs.get(i));
      tombstones.add(tables.rangeTombstones(inputs.get(i)));
    }
    return new CompactionJob(
            MergingIterator.of(sources),
            FragmentedRangeTombstones.union(tombstones, limits.cutoff()),
            older,
            limits,
            tables,
            JobControl.NONE,
            null)
        .run();
  }

  private static String difference(
      StoredTables tables, CompactionJob.Result copying, CompactionJob.Result single)
      throws IOException {
    RandomTree.Content found = tables.content(copying.outputs());
    RandomTree.Content expected = tables.content(single.outputs());
    if (!found.records().equals(expected.records())) {
      return found.records().size() + " records, not the " + expected.records().size();
    }
    for (TestRecord record : expected.records()) {
      if (covering(found, record.key()) != covering(expected, record.key())) {
        return "other range deletes over " + record;
      }
    }
    FileMeta last = null;
    for (FileMeta output : copying.outputs()) {
      if (last != null && Bytes.compare(last.upper(), output.lower()) > 0) {
        return last + " and " + output + " share keys";
      }
      last = output;
    }
    JobStats stats = copying.stats();
    return stats.entriesIn() == single.stats().entriesIn()
            && stats.rawBytesIn() == single.stats().rawBytesIn()
            && stats.entriesOut() == single.stats().entriesOut()
            && stats.rawBytesOut() == single.stats().rawBytesOut()
            && stats.dropped() == single.stats().dropped()
            && single.stats().copied() == 0
        ? null
        : stats + ", not " + single.stats();
  }

  private static long covering(RandomTree.Content content, byte[] key) {
    return content.rangeDeletes().stream()
        .filter(delete -> delete.covers(key))
        .mapToLong(RandomTree.RangeDelete::time)
        .sum();
  }

  private static String overlap(FileMeta output, CompactionJob.Limits limits) {
    long overlap = 0;
    long most = 0;
    for (FileMeta grandparent : limits.grandparents()) {
      if (grandparent.overlaps(output.lower(), output.upper())) {
        overlap += grandparent.bytes();
        most = Math.max(most, grandparent.bytes());
      }
    }
    return overlap < limits.overlapBytesMax() + most + 1 ? null : output + " overlaps " + overlap;
  }
}
