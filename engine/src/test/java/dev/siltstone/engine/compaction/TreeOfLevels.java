package dev.siltstone.engine.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.RecordsIterator;
import dev.siltstone.engine.iter.TestRecord;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.time.SimClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.LongFunction;

/**
 * A tiny tree in memory under random writes, flushes and compactions, several of them at once and
 * ended in random order, beside a reader over all that was ever written. It takes a seed and
 * returns what is wrong, or nothing: a JDK interface, so that it can also run in a class loader of
 * its own over mutated classes.
 */
final class TreeOfLevels implements LongFunction<String> {

  private static final CompactionSettings SETTINGS =
      new CompactionSettings(3, 2, 120, 50, 120, 400, 30);

  /** A compaction that has run but is not yet installed. */
  private record Pending(Compaction compaction, List<FileMeta> outputs) {}

  private static final class Tree {
    private final Random random;
    private final MemoryTables tables = new MemoryTables();
    private final LeveledPicker picker = new LeveledPicker(SETTINGS);
    private final RandomTree.Content everything = new RandomTree.Content();
    private RandomTree.Content memtable = new RandomTree.Content();
    private List<List<FileMeta>> levels = new ArrayList<>();
    private final List<Pending> running = new ArrayList<>();
    private final Set<Compaction.Action> actions = EnumSet.noneOf(Compaction.Action.class);
    private final Set<Compaction.Reason> reasons = EnumSet.noneOf(Compaction.Reason.class);
    private long now = 1;
    private long cutoff;

    /** Never waited on: helpers run at once. */
    private final SimScheduler scheduler =
        new SimScheduler(new SimClock(), new SplittableRandom(1));

    Tree(long seed) {
      random = new Random(seed);
      for (int i = 0; i < Version.LEVELS; i++) {
        levels.add(List.of());
      }
    }

    Version version() {
      return new Version(levels);
    }

    void write() {
      now++;
      TreeSet<byte[]> keys = new TreeSet<>(Bytes::compare);
      for (int i = random.nextInt(4) + 1; i > 0; i--) {
        keys.add(RandomTree.key(random));
      }
      for (byte[] key : keys) {
        TestRecord record = record(key);
        memtable.records().add(record);
        everything.records().add(record);
      }
      if (random.nextInt(12) == 0) {
        byte[] a = RandomTree.key(random);
        byte[] b = RandomTree.key(random);
        if (Bytes.compare(a, b) < 0) {
          RandomTree.RangeDelete delete = new RandomTree.RangeDelete(a, b, now);
          memtable.rangeDeletes().add(delete);
          everything.rangeDeletes().add(delete);
        }
      }
    }

    private TestRecord record(byte[] key) {
      int kind = random.nextInt(3) == 0 ? KeyKind.DELETE : KeyKind.PUT;
      kind |= random.nextInt(8) == 0 ? KeyKind.SUBTREE : 0;
      boolean expires = KeyKind.isPut(kind) && random.nextInt(3) == 0;
      byte[] value = {};
      if (expires) {
        kind |= KeyKind.EXPIRES;
        value = new byte[KeyKind.EXPIRY_BYTES];
        Fixed.putLong(value, 0, now + random.nextInt(30));
      }
      return new TestRecord(key, Trailer.of(now, kind), value);
    }

    void flush() throws IOException {
      RandomTree.Content flushed = memtable;
      if (flushed.records().isEmpty() && flushed.rangeDeletes().isEmpty()) {
        return;
      }
      memtable = new RandomTree.Content();
      CompactionJob.Result result =
          new CompactionJob(
                  new RecordsIterator(List.copyOf(flushed.records())),
                  flushed.fragments(),
                  new VersionOlderData(version(), List.of(), 0),
                  new CompactionJob.Limits(cutoff, 50, Long.MAX_VALUE, List.of()),
                  tables,
                  JobControl.NONE,
                  null)
              .run();
      install(0, List.of(), 0, result.outputs());
    }

    private void install(int level, List<FileMeta> gone, int outputLevel, List<FileMeta> added) {
      List<List<FileMeta>> next = new ArrayList<>();
      levels.forEach(files -> next.add(new ArrayList<>(files)));
      next.get(level).removeAll(gone);
      next.get(outputLevel).removeAll(gone);
      next.get(outputLevel).addAll(added);
      next.get(0).sort((a, b) -> a.isNewerThan(b) ? -1 : b.isNewerThan(a) ? 1 : 0);
      for (int i = 1; i < Version.LEVELS; i++) {
        next.get(i).sort((a, b) -> Bytes.compare(a.lower(), b.lower()));
      }
      levels = next;
    }

    /** Begins a compaction if there is one to be begun. */
    boolean begin(ManualCompaction manual) throws IOException {
      CompactionPicker.Situation situation =
          new CompactionPicker.Situation(
              version(),
              running.stream().map(Pending::compaction).toList(),
              cutoff,
              this::isCovered,
              0);
      Compaction picked = manual == null ? picker.pick(situation) : picker.pick(manual, situation);
      if (picked == null) {
        return false;
      }
      for (Pending other : running) {
        assertThat(picked.conflictsWith(other.compaction)).isFalse();
      }
      actions.add(picked.action());
      reasons.add(picked.reason());
      List<FileMeta> outputs =
          switch (picked.action()) {
            case DROP -> List.of();
            case MOVE -> picked.inputs();
            case MERGE -> merge(picked);
          };
      running.add(new Pending(picked, outputs));
      return true;
    }

    /** A merge in one piece or several. */
    private List<FileMeta> merge(Compaction picked) throws IOException {
      List<KeySpan> spans =
          CompactionSplit.of(picked, 1 + random.nextInt(4), 20, (file, _) -> keys(file));
      FragmentedRangeTombstones rangeDeletes =
          CompactionInputs.rangeTombstones(picked, tables, cutoff);
      CompactionJob.Limits limits =
          new CompactionJob.Limits(
              cutoff, SETTINGS.fileBytes(), SETTINGS.overlapBytesMax(), picked.grandparents());
      return new SpanJobs(
              spans,
              (span, control) ->
                  new CompactionJob(
                      CompactionInputs.records(picked, tables),
                      rangeDeletes,
                      new VersionOlderData(version(), picked.files(), picked.outputLevel()),
                      limits.within(span),
                      tables,
                      control,
                      null),
              JobControl.NONE,
              scheduler)
          .run(Runnable::run)
          .outputs();
    }

    private List<byte[]> keys(FileMeta file) {
      List<byte[]> keys = new ArrayList<>();
      tables.files.get(file.number()).records().forEach(record -> keys.add(record.key()));
      keys.add(file.upper());
      return keys;
    }

    /** Installs one of the compactions under way. */
    void end() {
      if (!running.isEmpty()) {
        Pending ended = running.remove(random.nextInt(running.size()));
        Compaction compaction = ended.compaction;
        install(compaction.level(), compaction.files(), compaction.outputLevel(), ended.outputs);
      }
    }

    private boolean isCovered(FileMeta file, int level, long cutoff) {
      for (int above = 0; above <= level; above++) {
        for (FileMeta other : levels.get(above)) {
          if (above < level || (level == 0 && other.isNewerThan(file))) {
            for (RandomTree.RangeDelete delete : tables.files.get(other.number()).rangeDeletes()) {
              if (delete.time() <= cutoff
                  && delete.time() > file.maxTime()
                  && Bytes.compare(delete.lower(), file.lower()) <= 0
                  && Bytes.compare(file.upper(), delete.upper()) <= 0) {
                return true;
              }
            }
          }
        }
      }
      return false;
    }

    void checkReaders() {
      RandomTree.Content present = new RandomTree.Content();
      levels.forEach(files -> present.addAll(tables.content(files)));
      present.addAll(memtable);
      TreeSet<byte[]> keys = new TreeSet<>(Bytes::compare);
      everything.records().forEach(record -> keys.add(record.key()));
      long[] times = {cutoff, Math.min(now, cutoff + 1), cutoff + (now - cutoff) / 2, now, now + 9};
      for (byte[] key : keys) {
        for (long time : times) {
          TestRecord expected = RandomTree.visible(everything, key, time);
          TestRecord actual = RandomTree.visible(present, key, time);
          assertThat(actual).as("key %s at %s", Bytes.hex(key), time).isEqualTo(expected);
        }
      }
    }

    /** Rule 3 of {@link Version}: for any one key, deeper is older. */
    void checkOrder() {
      List<RandomTree.Content> newestFirst = new ArrayList<>();
      levels.get(0).forEach(file -> newestFirst.add(tables.files.get(file.number())));
      levels.stream().skip(1).forEach(files -> newestFirst.add(tables.content(files)));
      TreeSet<byte[]> keys = new TreeSet<>(Bytes::compare);
      newestFirst.forEach(content -> content.records().forEach(r -> keys.add(r.key())));
      for (byte[] key : keys) {
        long least = Long.MAX_VALUE;
        for (RandomTree.Content content : newestFirst) {
          List<Long> times = new ArrayList<>();
          content.records().stream()
              .filter(record -> Arrays.equals(record.key(), key))
              .forEach(record -> times.add(record.time()));
          content.rangeDeletes().stream()
              .filter(delete -> delete.covers(key))
              .forEach(delete -> times.add(delete.time()));
          for (long time : times) {
            assertThat(time).as("key %s", Bytes.hex(key)).isLessThanOrEqualTo(least);
          }
          least = times.stream().mapToLong(Long::longValue).min().orElse(least);
        }
      }
    }
  }

  final Set<Compaction.Action> actions = EnumSet.noneOf(Compaction.Action.class);
  final Set<Compaction.Reason> reasons = EnumSet.noneOf(Compaction.Reason.class);

  @Override
  public String apply(long seed) {
    Tree tree = new Tree(seed);
    try {
      run(tree);
    } catch (AssertionError | RuntimeException | IOException e) {
      return "seed " + seed + ": " + e;
    }
    actions.addAll(tree.actions);
    reasons.addAll(tree.reasons);
    return null;
  }

  private static void run(Tree tree) throws IOException {
    for (int step = 0; step < 150; step++) {
      switch (tree.random.nextInt(10)) {
        case 0 -> tree.flush();
        case 1, 2 -> tree.begin(null);
        case 3 -> tree.end();
        case 4 -> tree.cutoff += tree.random.nextLong(tree.now - tree.cutoff + 1);
        case 5 -> tree.begin(new ManualCompaction(RandomTree.key(tree.random), null, false));
        default -> tree.write();
      }
      if (step % 10 == 0) {
        tree.checkReaders();
        tree.checkOrder();
      }
    }
    finish(tree);
  }

  /** Lets all work end, then asks for a compaction of everything. */
  private static void finish(Tree tree) throws IOException {
    tree.flush();
    // A reader in the far future: all that can expire has.
    tree.now += 100;
    tree.cutoff = tree.now;
    int steps = 0;
    do {
      while (!tree.running.isEmpty()) {
        tree.end();
      }
      assertThat(steps++).as("the picker finds no end").isLessThan(500);
    } while (tree.begin(null));
    tree.checkReaders();
    tree.checkOrder();
    ManualCompaction manual = new ManualCompaction(Bytes.EMPTY, null, false);
    while (tree.begin(manual)) {
      tree.end();
      assertThat(steps++).as("the manual compaction finds no end").isLessThan(500);
    }
    assertThat(manual.isDone()).isTrue();
    tree.checkReaders();
    tree.checkOrder();
    RandomTree.Content left = new RandomTree.Content();
    tree.levels.forEach(files -> left.addAll(tree.tables.content(files)));
    assertThat(left.rangeDeletes()).isEmpty();
    for (TestRecord record : left.records()) {
      assertThat(RandomTree.visible(left, record.key(), tree.now)).isEqualTo(record);
    }
  }
}
