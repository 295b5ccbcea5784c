package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.run.Scheduler;
import dev.siltstone.engine.spi.EventListener;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.time.SimClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Goal: the background deals with each failure as ARCHITECTURE says, and nothing of a failed job
 * stays behind. Method: a store on a simulated machine whose disk, scheduler or listener fails at
 * one place; time goes by, and the store is asked what happened.
 */
final class BackgroundWorkTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final long FIRST_RETRY_NANOS = 100_000_000L;
  private static final byte[] KEY = {'k'};

  /** A segment is made under the first name, and the faults know it by that. */
  private static final String LOG = ".*\\.tmp|.*\\.wal";

  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock, new SplittableRandom(1));
  private final SimFileSystem files = new SimFileSystem();
  private final FaultFileSystem disk = new FaultFileSystem(files);
  private final List<String> told = new ArrayList<>();

  private Components components() {
    return Components.DEFAULT
        .withFileSystem(disk)
        .withClock(clock)
        .withScheduler(scheduler)
        .withListener(
            new EventListener() {
              @Override
              public void retrying(String job, @Nullable Throwable cause) {
                told.add("retrying");
              }

              @Override
              public void failed(Throwable cause) {
                told.add("failed");
              }
            });
  }

  private static Options options(boolean automaticCompaction) {
    return Options.builder()
        .memtableBytes(16 << 10)
        .tableBytes(16 << 10)
        .levelBaseBytes(64 << 10)
        .logSegmentBytes(64 << 10)
        .automaticCompaction(automaticCompaction)
        .build();
  }

  private Db open() {
    return Db.open(DIRECTORY, options(true), components());
  }

  /** Makes a memtable full, so that its flush is due; runs nothing. */
  private static void fill(Tree tree) {
    long sealed = tree.stats().sealedMemtables();
    for (int i = 0; tree.stats().sealedMemtables() == sealed; i++) {
      tree.put(new byte[] {'f', (byte) i}, new byte[1_000]);
    }
  }

  @Test
  void pauseAfterAFailureIsNotEndedByAnothersSuccess() {
    try (Db db = open()) {
      Tree one = db.openTree("one", TreeOptions.DEFAULT);
      Tree two = db.openTree("two", TreeOptions.DEFAULT);
      scheduler.runAll();
      fill(one);
      fill(two);
      Fault fault = disk.add(Fault.on(DiskOperation.CREATE).name(".*\\.table"));
      scheduler.runAll();
      assertThat(fault.fired()).isTrue();
      assertThat(fault.matched()).as("one has failed, one has not").isEqualTo(2);
      assertThat(told).containsExactly("retrying");
      scheduler.advance(FIRST_RETRY_NANOS - 1);
      assertThat(fault.matched()).isEqualTo(2);
      scheduler.advance(1);
      assertThat(fault.matched()).isEqualTo(3);
      assertThat(db.stats().flushes()).isEqualTo(2);
    }
  }

  @Test
  void pausesGrowUntilAJobSucceeds() {
    try (Db db = open()) {
      scheduler.runAll();
      fill(db.tree());
      Fault fault = disk.add(Fault.on(DiskOperation.CREATE).name(".*\\.table").always());
      scheduler.runAll();
      scheduler.advance(FIRST_RETRY_NANOS);
      assertThat(fault.matched()).isEqualTo(2);
      scheduler.advance(2 * FIRST_RETRY_NANOS - 1);
      assertThat(fault.matched()).isEqualTo(2);
      scheduler.advance(60_000_000_000L);
      assertThat(fault.matched()).as("about one in 5 s at last").isBetween(14L, 20L);
      disk.clear();
      scheduler.advance(5_000_000_000L);
      assertThat(db.stats().flushes()).isEqualTo(1);
      db.awaitQuiet();
    }
  }

  @Test
  void sweepThatFailsFailsNoJob() {
    try (Db db = open()) {
      disk.add(Fault.on(DiskOperation.REMOVE).always());
      for (int i = 0; i < 5; i++) {
        db.put(KEY, new byte[100 + i]);
        db.flush();
        db.compact(KeyRange.ALL);
        scheduler.runAll();
      }
      db.awaitQuiet();
      assertThat(db.get(KEY)).hasSize(104);
      assertThat(told).contains("retrying").doesNotContain("failed");
    }
  }

  @Test
  void manualCompactionThatFailedIsNotDoneLater() {
    try (Db db = Db.open(DIRECTORY, options(false), components())) {
      for (int i = 0; i < 3; i++) {
        db.put(KEY, new byte[100 + i]);
        db.put(new byte[] {(byte) i}, KEY);
        db.flush();
      }
      scheduler.runAll();
      disk.add(Fault.on(DiskOperation.CREATE).name(".*\\.table"));
      assertThatThrownBy(() -> db.compact(KeyRange.ALL))
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessageContaining("injected");
      scheduler.advance(10_000_000_000L);
      assertThat(db.stats().compactions()).isZero();
      db.compact(KeyRange.ALL);
      assertThat(db.stats().compactions()).isEqualTo(1);
    }
  }

  @Test
  void brokenManifestIsNotTriedForEver() {
    Db db = open();
    db.put(KEY, KEY);
    disk.add(
        Fault.on(DiskOperation.CREATE, DiskOperation.WRITE, DiskOperation.SYNC)
            .name("MANIFEST.*|.*\\.tmp")
            .always());
    assertThatThrownBy(db::flush).isInstanceOf(DbException.Unavailable.class);
    Fault tables = disk.add(Fault.on(DiskOperation.CREATE).name(".*\\.table").at(1_000));
    scheduler.advance(60_000_000_000L);
    assertThat(tables.matched()).isZero();
    assertThat(told).contains("failed");
    assertThatThrownBy(() -> db.put(KEY, KEY)).hasMessageStartingWith("writes are refused");
    assertThat(db.get(KEY)).isEqualTo(KEY);
    disk.clear();
    db.close();
    try (Db again = open()) {
      assertThat(again.get(KEY)).isEqualTo(KEY);
    }
  }

  @Test
  void listenerThatThrowsChangesNothing() {
    EventListener throwing =
        new EventListener() {
          @Override
          public void flushed(String tree, long bytes, long nanos) {
            throw new IllegalStateException("a listener's own fault");
          }

          @Override
          public void compacted(String tree, int from, int to, long bytesIn, long bytesOut) {
            throw new AssertionError("a listener's own fault");
          }

          @Override
          public void retrying(String job, @Nullable Throwable cause) {
            told.add("retrying");
            throw new IllegalStateException("a listener's own fault");
          }

          @Override
          public void failed(Throwable cause) {
            told.add("failed");
            throw new AssertionError("a listener's own fault");
          }
        };
    Components components = components().withListener(throwing);
    try (Db db = Db.open(DIRECTORY, options(true), components)) {
      for (int i = 0; i < 2; i++) {
        db.put(KEY, new byte[100 + i]);
        db.flush();
        db.compact(KeyRange.ALL);
      }
      disk.add(Fault.on(DiskOperation.CREATE).name(".*\\.table"));
      db.put(KEY, KEY);
      assertThatThrownBy(db::flush).isInstanceOf(DbException.Unavailable.class);
      scheduler.advance(FIRST_RETRY_NANOS);
      db.flush();
      db.awaitQuiet();
      assertThat(told).containsExactly("retrying");
      assertThat(db.get(KEY)).isEqualTo(KEY);
      db.put(KEY, KEY);
      disk.add(Fault.on(DiskOperation.FORCE).name(LOG));
      assertThatThrownBy(db::sync).isInstanceOf(DbException.DurabilityLost.class);
      assertThat(told).containsExactly("retrying", "failed");
      assertThat(db.get(KEY)).isEqualTo(KEY);
    }
  }

  @Test
  void whateverCloseThrowsTheStoreCanBeOpenedAgain() {
    for (DiskOperation operation : List.of(DiskOperation.FORCE, DiskOperation.MAPPED_WRITE)) {
      Db db = open();
      db.put(KEY, KEY);
      // A segment that is being prepared would meet the fault first.
      scheduler.runAll();
      disk.add(Fault.on(operation).name(LOG).throwing(StackOverflowError::new));
      assertThatThrownBy(db::close, operation.toString())
          .isInstanceOf(DbException.DurabilityLost.class)
          .hasMessageContaining("StackOverflowError");
      disk.clear();
      assertThatCode(db::close).doesNotThrowAnyException();
      assertThatThrownBy(() -> db.get(KEY)).isInstanceOf(DbException.Closed.class);
      try (Db again = open()) {
        assertThat(again.get(KEY)).isEqualTo(KEY);
      }
    }
  }

  /** Refuses every task from some moment on. */
  private static final class RefusingScheduler implements Scheduler {
    private final Scheduler delegate;
    private boolean refuses;

    RefusingScheduler(Scheduler delegate) {
      this.delegate = delegate;
    }

    @Override
    public void execute(Runnable task) {
      if (refuses) {
        throw new RejectedExecutionException("shut down");
      }
      delegate.execute(task);
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      delegate.schedule(task, delayNanos);
    }

    @Override
    public void await(Condition condition, long nanos) {
      delegate.await(condition, nanos);
    }

    @Override
    public void pause(long nanos) {
      delegate.pause(nanos);
    }

    @Override
    public void close() {
      delegate.close();
    }
  }

  @Test
  void schedulerThatRefusesJobsHangsNothing() {
    RefusingScheduler refusing = new RefusingScheduler(scheduler);
    Components components = components().withScheduler(refusing);
    Db db = Db.open(DIRECTORY, options(true), components);
    Tree tree = db.openTree("tree", TreeOptions.DEFAULT);
    scheduler.runAll();
    tree.put(KEY, KEY);
    refusing.refuses = true;
    assertThatThrownBy(tree::flush)
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageContaining("shut down");
    assertThatThrownBy(() -> tree.compact(KeyRange.ALL)).isInstanceOf(DbException.class);
    assertThatThrownBy(() -> db.dropTree("tree")).isInstanceOf(DbException.class);
    assertThat(tree.get(KEY)).isEqualTo(KEY);
    db.close();
    refusing.refuses = false;
    try (Db again = Db.open(DIRECTORY, options(true), components)) {
      assertThat(again.tree("tree").get(KEY)).isEqualTo(KEY);
      again.flush();
    }
  }

  @Test
  void writersThatStopAreCounted() {
    try (Db db = open()) {
      for (int i = 0; db.stats().stallNanos().isEmpty(); i++) {
        assertThat(db.tree().stats().sealedMemtables()).isLessThanOrEqualTo(StallPolicy.SEALED_MAX);
        db.put(new byte[] {(byte) (i >> 8), (byte) i}, new byte[1_000]);
      }
      assertThat(db.stats().stallNanos()).containsOnlyKeys("memtables");
      assertThat(db.stats().flushes()).isPositive();
    }
  }

  @Test
  void flushesOfLargeMemtablesGiveMemoryBackOneByOne() {
    Options options = Options.builder().memoryBytes(4 << 20).memtableBytes(512 << 10).build();
    try (Db db = Db.open(DIRECTORY, options, components())) {
      fillLarge(db.tree());
      fillLarge(db.tree());
      assertThat(db.tree().stats().sealedMemtables()).isEqualTo(2);
      scheduler.runAll();
      assertThat(db.stats().flushes()).isEqualTo(2);
      assertThat(db.tree().stats().levels().getFirst().files()).isEqualTo(2);
      assertThat(db.get(new byte[] {1})).isEqualTo(new byte[100_000]);
    }
  }

  private static void fillLarge(Tree tree) {
    long sealed = tree.stats().sealedMemtables();
    for (int i = 0; tree.stats().sealedMemtables() == sealed; i++) {
      tree.put(new byte[] {(byte) i}, new byte[100_000]);
    }
  }

  /** The picker asks for range deletes that nobody has read since the open. */
  @Test
  void filesUnderARangeDeleteAreDroppedUnread() {
    try (Db db = Db.open(DIRECTORY, options(false), components())) {
      for (int i = 0; i < 20; i++) {
        db.put(new byte[] {1, (byte) i}, new byte[500]);
      }
      db.flush();
      db.compact(KeyRange.ALL);
      db.deleteRange(KeyRange.of(new byte[] {1}, new byte[] {2}));
      db.flush();
    }
    try (Db db = open()) {
      Fault reads = disk.add(Fault.on(DiskOperation.READ).name(".*\\.table").at(1_000_000));
      db.awaitQuiet();
      assertThat(reads.matched()).isPositive();
      assertThat(db.stats().filesDropped()).isPositive();
      assertThat(db.tree().count(KeyRange.ALL)).isZero();
    }
  }
}
