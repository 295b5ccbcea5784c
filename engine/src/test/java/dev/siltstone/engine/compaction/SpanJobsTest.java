package dev.siltstone.engine.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.run.Scheduler;
import dev.siltstone.base.run.ThreadScheduler;
import dev.siltstone.base.time.SystemClock;
import dev.siltstone.engine.iter.TestRecord;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// Goal: a compaction in spans comes to the same as one in one piece, whoever does them; it fails
// and
// stops whole, and never waits for a helper that has not begun.
// Method: random trees cut at random keys, with helpers that come at once, late, never, or on
// threads; planted failures; latches where threads must meet.
final class SpanJobsTest {
  private final Scheduler threads = new ThreadScheduler("test", 3, new SystemClock());

  @AfterEach
  void close() {
    threads.close();
  }

  /** A random tree without subtree records, and its files. */
  private static final class Tree {
    final MemoryTables tables = new MemoryTables();
    final List<FileMeta> inputs = new ArrayList<>();
    final RandomTree.Content before;
    final CompactionJob.Limits limits;
    final OlderData older;
    final List<KeySpan> spans = new ArrayList<>();

    Tree(Random random) {
      for (RandomTree.Content content : RandomTree.files(random, 1 + random.nextInt(4))) {
        content.records().removeIf(record -> KeyKind.isSubtree(record.kind()));
        if (!content.records().isEmpty() || !content.rangeDeletes().isEmpty()) {
          inputs.add(tables.put(content));
        }
      }
      before = tables.content(inputs);
      long fileBytes = (1 + random.nextInt(6)) * MemoryTables.ENTRY_BYTES;
      limits =
          new CompactionJob.Limits(
              random.nextInt(RandomTree.TIME_MAX + 1), fileBytes, Long.MAX_VALUE, List.of());
      older = random.nextBoolean() ? OlderData.NONE : new OlderEverywhere();
      TreeSet<byte[]> cuts = new TreeSet<>(Bytes::compare);
      for (int i = random.nextInt(5); i > 0; i--) {
        cuts.add(RandomTree.key(random));
      }
      byte[] lower = null;
      for (byte[] cut : cuts) {
        spans.add(new KeySpan(lower, cut));
        lower = cut;
      }
      spans.add(new KeySpan(lower, null));
    }

    CompactionJob open(KeySpan span, JobControl control) {
      return new CompactionJob(
          tables.iterator(inputs),
          before.fragments(),
          older,
          limits.within(span),
          tables,
          control,
          null);
    }

    SpanJobs jobs(JobControl control, Scheduler scheduler) {
      return new SpanJobs(spans, this::open, control, scheduler);
    }

    void check(long seed, CompactionJob.Result result) {
      assertThat(result.stats().entriesIn()).isEqualTo(before.records().size());
      FileMeta last = null;
      for (FileMeta output : result.outputs()) {
        if (last != null) {
          assertThat(Bytes.compare(last.upper(), output.lower())).isNotPositive();
        }
        last = output;
      }
      RandomTree.Content after = tables.content(result.outputs());
      assertThat(after.records()).hasSize((int) result.stats().entriesOut());
      for (TestRecord record : before.records()) {
        for (long time = limits.cutoff(); time <= RandomTree.READER_TIME_MAX; time++) {
          assertThat(RandomTree.visible(after, record.key(), time))
              .as("seed %s, key %s at %s", seed, Bytes.hex(record.key()), time)
              .isEqualTo(RandomTree.visible(before, record.key(), time));
        }
      }
    }
  }

  @Test
  void spansComeToTheSameAsOnePiece() throws IOException {
    for (long seed = 0; seed < 3_000; seed++) {
      Random random = new Random(seed);
      Tree tree = new Tree(random);
      List<Runnable> late = new ArrayList<>();
      SpanJobs.Helpers helpers =
          switch (random.nextInt(3)) {
            case 0 -> Runnable::run;
            case 1 -> late::add;
            default ->
                task ->
                    (random.nextBoolean() ? List.of(task) : List.<Runnable>of())
                        .forEach(Runnable::run);
          };
      CompactionJob.Result result = tree.jobs(JobControl.NONE, threads).run(helpers);
      tree.check(seed, result);
      CompactionJob.Result whole = tree.open(KeySpan.ALL, JobControl.NONE).run();
      assertThat(tree.tables.content(result.outputs()).records())
          .isEqualTo(tree.tables.content(whole.outputs()).records());
      // There is nothing left for those who come late.
      int files = tree.tables.files.size();
      late.forEach(Runnable::run);
      assertThat(tree.tables.files).hasSize(files);
    }
  }

  @Test
  void threadsShareTheSpans() throws IOException {
    for (long seed = 0; seed < 300; seed++) {
      Tree tree = new Tree(new Random(seed));
      tree.check(seed, tree.jobs(JobControl.NONE, threads).run(threads::execute));
    }
  }

  @Test
  void theEndWaitsForHelpersThatHaveBegun() throws IOException {
    Tree tree = treeOfTwoSpans();
    CountDownLatch begun = new CountDownLatch(1);
    SpanJobs jobs =
        new SpanJobs(
            tree.spans,
            (span, control) -> {
              if (span.equals(tree.spans.getFirst())) {
                begun.countDown();
                // The thread that runs the compaction is done before this one has begun to write.
                while (Thread.currentThread() != runner() && !waits()) {
                  Thread.onSpinWait();
                }
              }
              return tree.open(span, control);
            },
            JobControl.NONE,
            threads);
    runner = Thread.currentThread();
    CompactionJob.Result result =
        jobs.run(
            task -> {
              threads.execute(task);
              await(begun);
            });
    tree.check(0, result);
  }

  private volatile Thread runner = Thread.currentThread();

  private Thread runner() {
    return runner;
  }

  /** Whether the thread that runs the compaction has nothing left to do. */
  private boolean waits() {
    return runner.getState() == Thread.State.WAITING;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Tree treeOfTwoSpans() {
    for (long seed = 0; ; seed++) {
      Tree tree = new Tree(new Random(seed));
      if (tree.spans.size() == 2) {
        return tree;
      }
    }
  }

  @Test
  void aFailureOfOneJobAbandonsTheOutputsOfAll() {
    int failed = 0;
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      Tree tree = new Tree(random);
      tree.tables.addsLeft = random.nextInt(4);
      SpanJobs jobs = tree.jobs(JobControl.NONE, threads);
      try {
        jobs.run(random.nextBoolean() ? Runnable::run : _ -> {});
      } catch (IOException e) {
        assertThat(e).hasMessage("planted");
        assertThat(tree.tables.files).hasSize(tree.inputs.size());
        failed++;
      }
    }
    assertThat(failed).isPositive();
  }

  @Test
  void aJobThatCannotBeOpenedFailsTheCompaction() {
    Tree tree = treeOfTwoSpans();
    for (Throwable planted :
        List.of(
            new IOException("planted"), new IllegalStateException("a bug"), new Error("dire"))) {
      SpanJobs jobs =
          new SpanJobs(
              tree.spans,
              (span, control) -> {
                if (span.equals(tree.spans.getLast())) {
                  switch (planted) {
                    case IOException e -> throw e;
                    case RuntimeException e -> throw e;
                    default -> throw (Error) planted;
                  }
                }
                return tree.open(span, control);
              },
              JobControl.NONE,
              threads);
      assertThatThrownBy(() -> jobs.run(_ -> {})).isSameAs(planted);
      assertThat(tree.tables.files).hasSize(tree.inputs.size());
    }
  }

  @Test
  void cancellingEndsAllJobs() {
    Tree tree = treeOfTwoSpans();
    int[] asked = new int[1];
    SpanJobs jobs = tree.jobs(_ -> asked[0]++ == 0, threads);
    assertThatThrownBy(() -> jobs.run(_ -> {})).isInstanceOf(JobCancelledException.class);
    assertThat(tree.tables.files).hasSize(tree.inputs.size());
  }
}
