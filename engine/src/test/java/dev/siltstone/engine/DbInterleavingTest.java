package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.FilterFileSystem;
import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.time.SimClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: races between two operations that chance hardly ever brings about end well. Method: one
 * operation is stopped at a file operation, and the other runs there, to its end.
 */
final class DbInterleavingTest {
  private static final Options OPTIONS =
      Options.builder()
          .memtableBytes(16 << 10)
          .tableBytes(16 << 10)
          .levelBaseBytes(64 << 10)
          .logSegmentBytes(64 << 10)
          .separateValueBytes(1 << 10)
          .build();
  private static final byte[] KEY = {'k'};

  /** Besides a plain write, the ways in which a group gets to the log. */
  private static final DiskOperation[] LOG_WRITES = {
    DiskOperation.MAPPED_WRITE, DiskOperation.FORCE, DiskOperation.SYNC
  };

  @TempDir Path directory;

  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock, new SplittableRandom(1));

  private Db open(FileSystem on) {
    return Db.open(
        directory,
        OPTIONS,
        Components.DEFAULT.withFileSystem(on).withClock(clock).withScheduler(scheduler));
  }

  private void overwriteAndSweep(Db db, byte[] value) {
    db.put(KEY, value);
    db.flush();
    db.compact(KeyRange.ALL);
    scheduler.runAll();
  }

  @Test
  void blobThatIsSweptWhileItIsReadIsNoDamage() {
    FaultFileSystem disk = new FaultFileSystem(new SimFileSystem());
    try (Db db = open(disk)) {
      db.put(KEY, StoreContent.value(1, 3_000));
      db.flush();
      byte[] next = StoreContent.value(2, 3_000);
      Fault pause =
          disk.add(
              Fault.on(DiskOperation.OPEN)
                  .name(".*\\.blob")
                  .pausing(() -> overwriteAndSweep(db, next)));
      assertThat(db.get(KEY)).isEqualTo(next);
      assertThat(pause.fired()).isTrue();
    }
  }

  /** Knows which files are open for reading. */
  private static final class OpenFiles extends FilterFileSystem {
    private final Set<Path> open = ConcurrentHashMap.newKeySet();

    OpenFiles(FileSystem delegate) {
      super(delegate);
    }

    @Override
    public ReadableFile open(Path file) throws IOException {
      ReadableFile opened = super.open(file);
      open.add(file);
      return new ReadableFile() {
        @Override
        public int read(long position, byte[] target, int offset, int length) throws IOException {
          return opened.read(position, target, offset, length);
        }

        @Override
        public long size() {
          return opened.size();
        }

        @Override
        public void close() throws IOException {
          open.remove(file);
          opened.close();
        }
      };
    }
  }

  @Test
  void tableThatIsRemovedWhileItIsOpenedDoesNotStayOpen() {
    OpenFiles files = new OpenFiles(new OsFileSystem());
    FaultFileSystem disk = new FaultFileSystem(files);
    try (Db db = open(disk)) {
      db.put(KEY, StoreContent.value(1, 100));
      db.flush();
    }
    try (Db db = open(disk)) {
      byte[] next = StoreContent.value(2, 100);
      Fault pause =
          disk.add(
              Fault.on(DiskOperation.READ)
                  .name(".*\\.table")
                  .pausing(() -> overwriteAndSweep(db, next)));
      assertThat(db.get(KEY)).isEqualTo(next);
      assertThat(pause.fired()).isTrue();
      assertThat(files.open).isNotEmpty().allMatch(Files::exists);
    }
    assertThat(files.open).isEmpty();
  }

  /** More than a segment of the log, and all of it goes to tables. */
  private static void turnOver(Db db) {
    for (int i = 0; i < 150; i++) {
      db.put(new byte[] {'x', (byte) i}, StoreContent.value(i, 900));
    }
    db.flush();
  }

  @Test
  void readerThatIsOvertakenAFewTimesBeginsAnew() {
    SimFileSystem disk = new SimFileSystem();
    FaultFileSystem reading = new FaultFileSystem(disk);
    AtomicInteger left = new AtomicInteger(6);
    try (Db db = open(disk)) {
      db.put(KEY, KEY);
      turnOver(db);
      reading.add(
          Fault.on(DiskOperation.LIST)
              .always()
              .pausing(
                  () -> {
                    if (left.getAndDecrement() > 0) {
                      turnOver(db);
                    }
                  }));
      try (Db reader =
          Db.openReadOnly(
              directory, OPTIONS, Components.DEFAULT.withFileSystem(reading).withClock(clock))) {
        assertThat(reader.get(KEY)).isEqualTo(KEY);
        assertThat(reader.get(new byte[] {'x', 1})).hasSize(900);
      }
      assertThat(left.get()).isNegative();
    }
  }

  @Test
  void readerThatIsAlwaysOvertakenSaysSoAndNothingOfDamage() {
    SimFileSystem disk = new SimFileSystem();
    FaultFileSystem reading = new FaultFileSystem(disk);
    try (Db db = open(disk)) {
      turnOver(db);
      reading.add(Fault.on(DiskOperation.LIST).always().pausing(() -> turnOver(db)));
      Components components = Components.DEFAULT.withFileSystem(reading).withClock(clock);
      assertThatThrownBy(() -> Db.openReadOnly(directory, OPTIONS, components))
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessageContaining(directory.toString())
          .hasMessageContaining("changed by its writer");
    }
  }

  @Test
  void valueStoredApartIsCompleteBeforeCloseReturns() throws Exception {
    FaultFileSystem disk = new FaultFileSystem(new OsFileSystem());
    Db db = Db.open(directory, OPTIONS, Components.DEFAULT.withFileSystem(disk));
    AtomicBoolean complete = new AtomicBoolean();
    AtomicBoolean completeAtClose = new AtomicBoolean();
    Thread closer =
        Thread.ofPlatform()
            .unstarted(
                () -> {
                  db.close();
                  completeAtClose.set(complete.get());
                });
    disk.add(
        Fault.on(DiskOperation.CREATE)
            .name(".*\\.blob")
            .pausing(
                () -> {
                  closer.start();
                  // The close has got so far that no write can begin.
                  while (!isClosed(db)) {
                    Thread.onSpinWait();
                  }
                }));
    disk.add(Fault.on(DiskOperation.SYNC).name(".*\\.blob").pausing(() -> complete.set(true)));
    assertThatThrownBy(() -> db.put(KEY, new byte[3_000])).isInstanceOf(DbException.Closed.class);
    closer.join();
    assertThat(completeAtClose).isTrue();
  }

  private static boolean isClosed(Db db) {
    try {
      db.treeNames();
      return false;
    } catch (DbException.Closed e) {
      return true;
    }
  }

  /** An error of the leader must not look like success to those it works for. */
  @Test
  void errorInTheLeaderAcknowledgesNobody() throws Exception {
    FaultFileSystem disk = new FaultFileSystem(new OsFileSystem());
    Options options = Options.builder().durability(Durability.SYNC).build();
    int threads = 6;
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<Integer> acknowledged = new ConcurrentLinkedQueue<>();
    Db db = Db.open(directory, options, Components.DEFAULT.withFileSystem(disk));
    List<Thread> writers = new ArrayList<>();
    // The background prepares segments of its own meanwhile.
    Predicate<Path> byFirst = _ -> Thread.currentThread() == writers.getFirst();
    Predicate<Path> byOthers = _ -> writers.lastIndexOf(Thread.currentThread()) > 0;
    CountDownLatch leading = new CountDownLatch(1);
    for (int i = 0; i < threads; i++) {
      int number = i;
      writers.add(
          Thread.ofPlatform()
              .unstarted(
                  () -> {
                    try {
                      db.put(new byte[] {(byte) number}, KEY);
                      acknowledged.add(number);
                    } catch (DbException | StackOverflowError e) {
                      failures.add(e);
                    }
                  }));
    }
    disk.add(
        Fault.on(DiskOperation.WRITE, LOG_WRITES)
            .path(byFirst)
            .pausing(
                () -> {
                  leading.countDown();
                  // The others are in the queue once they wait, and will be one group.
                  for (Thread writer : writers.subList(1, threads)) {
                    while (writer.getState() != Thread.State.WAITING) {
                      Thread.onSpinWait();
                    }
                  }
                }));
    disk.add(
        Fault.on(DiskOperation.WRITE, LOG_WRITES).path(byOthers).throwing(StackOverflowError::new));
    writers.getFirst().start();
    while (leading.getCount() > 0 && writers.getFirst().isAlive()) {
      Thread.onSpinWait();
    }
    writers.subList(1, threads).forEach(Thread::start);
    for (Thread writer : writers) {
      writer.join();
    }
    db.close();
    assertThat(acknowledged).containsExactly(0);
    assertThat(failures).hasSize(threads - 1).hasAtLeastOneElementOfType(StackOverflowError.class);
    assertThat(failures.stream().filter(DbException.Unavailable.class::isInstance))
        .hasSize(threads - 2);
  }

  @Test
  void secondOpenIsRefusedWithTheOwnersName() {
    Db db = Db.open(directory);
    assertThatThrownBy(() -> Db.open(directory))
        .isInstanceOf(DbException.Busy.class)
        .hasMessageContaining("process " + ProcessHandle.current().pid());
    Thread.currentThread().interrupt();
    db.close();
    try (Db again = Db.open(directory)) {
      // An interrupt does not keep the owner from its file.
      assertThat(directory.resolve("LOCK.owner")).exists();
      assertThat(Thread.interrupted()).isTrue();
      again.put("a".getBytes(US_ASCII), KEY);
    }
  }
}
