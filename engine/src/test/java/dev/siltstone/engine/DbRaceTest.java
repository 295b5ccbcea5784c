package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: whatever threads do with a store at once, each answer is right, and when it is closed in
 * the midst of it, every call ends with {@link DbException.Closed} and no other, close returns, and
 * neither a thread nor a file handle is left. Interrupts change none of this. Method: writers,
 * readers, cursors, flushes, compactions, and trees that come and go, on a real disk; each batch
 * puts one number to all keys of a group, so that half a batch and an old value are noticed.
 */
final class DbRaceTest {
  private static final int ROUNDS = Integer.getInteger("siltstone.race.rounds", 12);
  private static final int OPERATIONS = 400;
  private static final int GROUPS = 6;
  private static final int GROUP_KEYS = 4;

  @TempDir Path directory;

  private final Map<Integer, Long> acknowledged = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Throwable> wrong = new ConcurrentLinkedQueue<>();

  private static Options options(Durability durability) {
    return Options.builder()
        .memtableBytes(16 << 10)
        .tableBytes(16 << 10)
        .levelBaseBytes(64 << 10)
        .logSegmentBytes(64 << 10)
        .separateValueBytes(1 << 10)
        .maxOpenFiles(16)
        .durability(durability)
        .build();
  }

  @Test
  void closeInTheMidstOfEverything() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      Durability[] all = Durability.values();
      runAndClose(options(all[round % all.length]), round, false);
    }
  }

  @Test
  void interruptsEndNothing() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      Durability[] all = Durability.values();
      runAndClose(options(all[round % all.length]), 100 + round, true);
    }
  }

  /** One step of a thread. */
  @FunctionalInterface
  private interface Step {
    void run(SplittableRandom random);
  }

  private void runAndClose(Options options, long seed, boolean interrupting) throws Exception {
    Db db = Db.open(directory, options);
    Handles handles = new Handles(db);
    checkGroups(db, true);
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < GROUPS / 2; i++) {
      int writer = i;
      steps.add(random -> write(db, 2 * writer + random.nextInt(2), random));
    }
    steps.add(random -> readGroup(db, random.nextInt(GROUPS)));
    steps.add(random -> readGroup(db, random.nextInt(GROUPS)));
    steps.add(_ -> checkGroups(db, false));
    steps.add(_ -> db.flush());
    steps.add(random -> compact(db, random));
    steps.add(_ -> makeAndDrop(db, "comes"));
    steps.add(_ -> makeAndDrop(db, "comes"));
    steps.add(_ -> assertThat(db.stats().batches()).isNotNegative());
    AtomicInteger operations = new AtomicInteger();
    CountDownLatch enough = new CountDownLatch(OPERATIONS);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      SplittableRandom random = new SplittableRandom(seed * 31 + i);
      Runnable loop = () -> loop(step, random, enough, operations);
      threads.add(i % 2 == 0 ? Thread.ofPlatform().start(loop) : Thread.ofVirtual().start(loop));
    }
    if (interrupting) {
      SplittableRandom random = new SplittableRandom(seed);
      while (enough.getCount() > 0) {
        threads.get(random.nextInt(threads.size())).interrupt();
        Thread.onSpinWait();
      }
      Thread.currentThread().interrupt();
    } else {
      enough.await();
    }
    db.close();
    assertThat(Thread.interrupted()).isEqualTo(interrupting);
    for (Thread thread : threads) {
      thread.join();
    }
    wrong.forEach(Throwable::printStackTrace);
    assertThat(wrong).isEmpty();
    handles.checkClosed();
    checkNothingLeft();
    try (Db again = Db.open(directory, options)) {
      checkGroups(again, true);
    }
  }

  @SuppressWarnings("CatchingUnchecked") // Whatever it is, it is what is looked for.
  private void loop(
      Step step, SplittableRandom random, CountDownLatch enough, AtomicInteger operations) {
    try {
      while (true) {
        step.run(random);
        // Reads block nowhere, and a virtual thread that does not block gives its carrier to
        // nobody:
        // a writer that all others wait for might never come to it.
        Thread.yield();
        operations.incrementAndGet();
        enough.countDown();
      }
    } catch (DbException.Closed e) {
      // The store was closed: the end.
      if (!e.getMessage().startsWith("the store")) {
        wrong.add(e);
      }
    } catch (RuntimeException | Error e) {
      wrong.add(e);
    } finally {
      while (enough.getCount() > 0 && !wrong.isEmpty()) {
        enough.countDown();
      }
    }
  }

  private static byte[] key(int group, int i) {
    return "g%d.%d".formatted(group, i).getBytes(US_ASCII);
  }

  /** Writers share no group, so the greatest number acknowledged is the last. */
  private void write(Db db, int group, SplittableRandom random) {
    long number = acknowledged.getOrDefault(group, 0L) + 1;
    WriteBatch batch = db.newBatch();
    int length = random.nextInt(3) == 0 ? 1_100 : 100;
    for (int i = 0; i < GROUP_KEYS; i++) {
      batch.put(key(group, i), StoreContent.value(number, length));
    }
    // Known before it is acknowledged, so that readers can tell the future from nonsense.
    db.write(batch, random.nextInt(20) == 0 ? WriteOptions.SYNC : WriteOptions.DEFAULT);
    acknowledged.put(group, number);
  }

  private static long number(byte[] value) {
    return Long.parseLong(StoreContent.describe(value).split(":")[0]);
  }

  private void readGroup(Db db, int group) {
    long least = acknowledged.getOrDefault(group, 0L);
    for (int i = 0; i < GROUP_KEYS; i++) {
      byte[] value = db.get(key(group, i));
      long found = value == null ? 0 : number(value);
      if (found < least) {
        throw new AssertionError("group " + group + ": " + found + " after " + least);
      }
      least = found;
    }
  }

  /**
   * Walks all groups at a snapshot.
   *
   * @param exact whether nobody writes meanwhile
   */
  private void checkGroups(Db db, boolean exact) {
    Map<Integer, Long> before = Map.copyOf(acknowledged);
    try (Snapshot snapshot = db.snapshot();
        Cursor cursor = db.tree().cursor(ReadOptions.DEFAULT.withSnapshot(snapshot))) {
      boolean more = cursor.first();
      for (int group = 0; group < GROUPS; group++) {
        long least = before.getOrDefault(group, 0L);
        if (least == 0 && !(more && new String(cursor.key(), US_ASCII).startsWith("g" + group))) {
          continue;
        }
        long first = -1;
        for (int i = 0; i < GROUP_KEYS; i++) {
          assertThat(more).isTrue();
          assertThat(cursor.key()).isEqualTo(key(group, i));
          long found = number(cursor.value());
          first = i == 0 ? found : first;
          assertThat(found).as("half a batch").isEqualTo(first);
          byte[] got = db.get(cursor.key(), snapshot);
          assertThat(got).isNotNull();
          assertThat(number(got)).isEqualTo(first);
          more = cursor.next();
        }
        assertThat(first).isGreaterThanOrEqualTo(least);
        if (exact) {
          // One that failed with Closed may have been written, too.
          assertThat(first).isLessThanOrEqualTo(least + 1);
          acknowledged.put(group, first);
        }
      }
      assertThat(more).isFalse();
    }
  }

  private static void compact(Db db, SplittableRandom random) {
    if (random.nextBoolean()) {
      db.compact(KeyRange.ALL);
    } else {
      db.awaitQuiet();
    }
  }

  /** Two do this at once with one name, so the tree may be gone at any moment. */
  private static void makeAndDrop(Db db, String name) {
    Tree tree = db.openTree(name, TreeOptions.DEFAULT);
    try {
      for (int i = 0; i < 20; i++) {
        tree.put(key(0, i), new byte[1_500]);
      }
      tree.flush();
      tree.compact(KeyRange.ALL);
      assertThat(tree.count(KeyRange.ALL)).isLessThanOrEqualTo(20);
      db.dropTree(name);
    } catch (DbException.Closed e) {
      if (!e.getMessage().startsWith("tree '" + name + "'")) {
        throw e;
      }
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageStartingWith("no tree '" + name + "'");
    }
  }

  /** One handle of each kind, taken before the close. */
  private static final class Handles {
    private final Db db;
    private final Tree tree;
    private final Cursor cursor;
    private final Cursor placed;
    private final Snapshot snapshot;
    private final WriteBatch batch;

    Handles(Db db) {
      this.db = db;
      this.tree = db.tree();
      tree.put(key(9, 0), StoreContent.value(1, 2_000));
      this.cursor = tree.cursor();
      this.placed = tree.cursor();
      assertThat(placed.seek(key(9, 0))).isTrue();
      this.snapshot = db.snapshot();
      tree.delete(key(9, 0));
      this.batch = db.newBatch().put(key(9, 1), new byte[2_000]);
    }

    void checkClosed() {
      byte[] key = key(0, 0);
      List<Runnable> calls =
          List.of(
              () -> db.get(key),
              () -> db.get(key, snapshot),
              () -> db.put(key, key),
              () -> db.put(key, new byte[2_000]),
              () -> db.delete(key),
              () -> db.deleteRange(KeyRange.ALL),
              () -> db.cursor().close(),
              () -> db.write(batch),
              () -> db.write(db.newBatch(), WriteOptions.SYNC),
              () -> db.snapshot().close(),
              () -> db.asOf(snapshot.time()).close(),
              db::sync,
              db::flush,
              () -> db.compact(KeyRange.ALL),
              db::awaitQuiet,
              db::stats,
              db::treeNames,
              () -> db.tree("default"),
              () -> db.openTree("default", TreeOptions.DEFAULT),
              () -> db.openTree("other", TreeOptions.DEFAULT),
              () -> db.dropTree("default"),
              () -> tree.getSegment(key),
              () -> tree.contains(key),
              () -> tree.count(KeyRange.ALL),
              () -> tree.approximateBytes(KeyRange.ALL),
              tree::flush,
              tree::stats,
              cursor::first,
              () -> cursor.seek(key),
              placed::next,
              placed::prev,
              placed::key,
              placed::value,
              placed::keySegment,
              placed::valueSegment,
              placed::writeTime);
      for (int i = 0; i < calls.size(); i++) {
        assertThatThrownBy(calls.get(i)::run)
            .as("call " + i)
            .isInstanceOf(DbException.Closed.class)
            .hasMessageStartingWith("the store");
      }
      assertThat(placed.valid()).isFalse();
      cursor.close();
      placed.close();
      snapshot.close();
      db.close();
    }
  }

  private void checkNothingLeft() throws IOException {
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("siltstone-"));
    Path descriptors = Path.of("/proc/self/fd");
    if (!Files.isDirectory(descriptors)) {
      return;
    }
    List<String> open = new ArrayList<>();
    try (Stream<Path> links = Files.list(descriptors)) {
      for (Path link : links.toList()) {
        try {
          open.add(Files.readSymbolicLink(link).toString());
        } catch (IOException e) {
          // Closed since it was listed.
        }
      }
    }
    assertThat(open).noneMatch(file -> file.startsWith(directory.toString()));
    assertThat(Files.readAllLines(Path.of("/proc/self/maps")))
        .noneMatch(line -> line.contains(directory.toString()));
  }
}
