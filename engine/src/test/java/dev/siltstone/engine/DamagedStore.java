package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.time.SimClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A small store with something of everything: several trees, tables in the first and the last
 * level, blobs, range deletes, a log and a manifest with several edits; and a reader that tells an
 * exact answer from a refusal and from a wrong one.
 */
final class DamagedStore {
  static final Path DIRECTORY = Path.of("/home/store");
  private static final int KEYS = 24;
  private static final int APART_BYTES = 1 << 10;

  private final Options options;
  private final long ids;
  private final SimFileSystem disk;

  /** What the trees hold in the end, and what they held after each earlier write. */
  private final List<Map<String, NavigableMap<String, String>>> history = new ArrayList<>();

  private Map<String, NavigableMap<String, String>> content = new TreeMap<>();
  private long nextValue = 1;

  /** How a damaged store was met. */
  enum Outcome {
    EXACT,
    EARLIER,
    REFUSED_AT_OPEN,
    REFUSED_LATER
  }

  /** Makes the store; the same bytes for the same arguments, but for ids and checksums. */
  DamagedStore(Durability durability, long ids) {
    this.ids = ids;
    this.options =
        Options.builder()
            .memoryBytes(4L << 20)
            .memtableBytes(16L << 10)
            .tableBytes(16L << 10)
            .levelBaseBytes(64L << 10)
            .logSegmentBytes(64L << 10)
            .separateValueBytes(APART_BYTES)
            .compactionThreads(1)
            .automaticCompaction(false)
            .durability(durability)
            .build();
    this.disk = new SimFileSystem();
    build();
  }

  private void build() {
    content.put("default", new TreeMap<>());
    history.add(content);
    Db db = open(disk);
    TreeOptions small = TreeOptions.DEFAULT.withBlockBytes(512);
    for (String name : List.of("one", "two")) {
      db.openTree(name, small);
      change(() -> content.put(name, new TreeMap<>()));
    }
    for (String name : List.of("default", "one")) {
      fill(db, name, 0, KEYS, 1);
      put(db, name, "k05", APART_BYTES + 90);
      db.tree(name).flush();
      db.tree(name).compact(KeyRange.ALL);
    }
    for (String name : List.of("default", "one", "two")) {
      fill(db, name, 1, KEYS, 5);
      deleteRange(db, name, "k09", "k12");
      put(db, name, "k10", 40);
      db.tree(name).flush();
    }
    for (String name : List.of("default", "two")) {
      fill(db, name, 2, KEYS, 9);
      put(db, name, "k06", APART_BYTES + 40);
      deleteRange(db, name, "k13", "k15");
    }
    db.close();
  }

  private void fill(Db db, String tree, int first, int end, int step) {
    WriteBatch batch = db.newBatch();
    Map<String, String> added = new TreeMap<>();
    for (int i = first; i < end; i += step) {
      byte[] value = StoreContent.value(nextValue++, 9 + i);
      batch.put(db.tree(tree), "k%02d".formatted(i).getBytes(US_ASCII), value);
      added.put("k%02d".formatted(i), StoreContent.describe(value));
    }
    db.write(batch);
    change(() -> of(tree).putAll(added));
  }

  private void put(Db db, String tree, String key, int length) {
    long number = nextValue++;
    byte[] value = StoreContent.value(number, length);
    db.tree(tree).put(key.getBytes(US_ASCII), value);
    change(() -> of(tree).put(key, StoreContent.describe(value)));
  }

  private void deleteRange(Db db, String tree, String lower, String upper) {
    db.tree(tree).deleteRange(KeyRange.of(lower.getBytes(US_ASCII), upper.getBytes(US_ASCII)));
    change(() -> of(tree).subMap(lower, upper).clear());
  }

  private NavigableMap<String, String> of(String tree) {
    return content.computeIfAbsent(tree, _ -> new TreeMap<>());
  }

  private void change(Runnable change) {
    Map<String, NavigableMap<String, String>> next = new TreeMap<>();
    content.forEach((name, entries) -> next.put(name, new TreeMap<>(entries)));
    content = next;
    change.run();
    history.add(content);
  }

  /** A copy of the disk with the store, closed. */
  SimFileSystem disk() {
    return disk.kill();
  }

  Db open(FileSystem on) {
    return Db.open(DIRECTORY, options, components(on));
  }

  Db openReadOnly(FileSystem on) {
    return Db.openReadOnly(DIRECTORY, options, components(on));
  }

  private Components components(FileSystem on) {
    SimClock clock = new SimClock();
    SplittableRandom random = new SplittableRandom(ids);
    return Components.DEFAULT
        .withFileSystem(on)
        .withClock(clock)
        .withScheduler(new SimScheduler(clock, new SplittableRandom(1)))
        .withRandom(random::nextLong);
  }

  /** The names of all files, with their bytes; {@code null} for a directory. */
  static Map<String, byte @Nullable []> files(SimFileSystem on) {
    Map<String, byte @Nullable []> files = new TreeMap<>();
    try {
      for (String name : on.list(DIRECTORY)) {
        Path path = DIRECTORY.resolve(name);
        byte[] bytes = null;
        try {
          bytes = on.bytes(path);
        } catch (IOException e) {
          // A directory.
        }
        files.put(name, bytes);
      }
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Opens a damaged store for writing and reads all of it.
   *
   * @param mayBeEarlier whether the end of the log or of the manifest was taken, so that an earlier
   *     content as a whole is as good
   * @param compact whether to compact it then, and read again
   */
  Outcome meet(SimFileSystem damaged, boolean mayBeEarlier, boolean compact) {
    Map<String, byte @Nullable []> before = files(damaged);
    Db db;
    try {
      db = open(damaged);
    } catch (DbException.Corrupt | DbException.Unsupported e) {
      checkMessage(e);
      assertUnchanged(before, files(damaged));
      return Outcome.REFUSED_AT_OPEN;
    }
    Outcome outcome = read(db, mayBeEarlier);
    if (compact) {
      compact(db);
      Outcome again = read(db, mayBeEarlier);
      if (outcome != Outcome.REFUSED_LATER) {
        // A damaged filter, on the other hand, is gone when its file was compacted.
        assertThat(again).isEqualTo(outcome);
      }
    }
    db.close();
    return outcome;
  }

  /** As {@link #meet}, open for reading only. */
  Outcome meetReadOnly(SimFileSystem damaged, boolean mayBeEarlier) {
    Map<String, byte @Nullable []> before = files(damaged);
    Outcome outcome;
    try (Db db = openReadOnly(damaged)) {
      outcome = read(db, mayBeEarlier);
    } catch (DbException.Corrupt | DbException.Unsupported e) {
      checkMessage(e);
      outcome = Outcome.REFUSED_AT_OPEN;
    }
    assertUnchanged(before, files(damaged));
    return outcome;
  }

  private static void assertUnchanged(
      Map<String, byte @Nullable []> before, Map<String, byte @Nullable []> after) {
    Map<String, byte @Nullable []> left = new HashMap<>(after);
    left.remove("LOCK");
    Map<String, byte @Nullable []> expected = new HashMap<>(before);
    expected.remove("LOCK");
    assertThat(left.keySet()).isEqualTo(expected.keySet());
    expected.forEach((name, bytes) -> assertThat(left.get(name)).as(name).isEqualTo(bytes));
  }

  private static void compact(Db db) {
    for (String name : db.treeNames()) {
      try {
        db.tree(name).compact(KeyRange.ALL);
      } catch (DbException.Corrupt | DbException.Unsupported e) {
        checkMessage(e);
      }
    }
  }

  private Outcome read(Db db, boolean mayBeEarlier) {
    List<String> names = db.treeNames();
    AssertionError wrong = null;
    int first = mayBeEarlier ? latestEqual(db) : history.size() - 1;
    for (int i = first; i >= (mayBeEarlier ? 0 : first); i--) {
      Map<String, NavigableMap<String, String>> expected = history.get(i);
      try {
        assertThat(names).containsExactlyElementsOf(expected.keySet());
        boolean refused = false;
        for (String name : names) {
          refused |= new Reader(db.tree(name), expected.get(name)).refusesAny();
        }
        return refused
            ? Outcome.REFUSED_LATER
            : i == history.size() - 1 ? Outcome.EXACT : Outcome.EARLIER;
      } catch (AssertionError e) {
        wrong = wrong == null ? e : wrong;
      }
    }
    throw wrong == null ? new AssertionError("no history") : wrong;
  }

  /** Where in the history a store most likely is; the end if that cannot be told so easily. */
  private int latestEqual(Db db) {
    try {
      int at = history.lastIndexOf(StoreContent.read(db));
      return at < 0 ? history.size() - 1 : at;
    } catch (DbException.Corrupt | DbException.Unsupported e) {
      return history.size() - 1;
    }
  }

  static void checkMessage(DbException e) {
    assertThat(e.getMessage()).contains(DIRECTORY.toString());
    if (e instanceof DbException.Corrupt corrupt) {
      assertThat(corrupt.file().startsWith(DIRECTORY)).as("%s", corrupt.file()).isTrue();
      assertThat(corrupt.getMessage()).startsWith(corrupt.file().toString());
      if (corrupt.offset() >= 0) {
        assertThat(corrupt.getMessage()).contains("at offset " + corrupt.offset());
      }
    }
  }

  /** Asks everything of a tree; each answer is right, or a refusal. */
  private static final class Reader {
    private final Tree tree;
    private final NavigableMap<String, String> expected;
    private boolean refused;

    Reader(Tree tree, NavigableMap<String, String> expected) {
      this.tree = tree;
      this.expected = expected;
    }

    boolean refusesAny() {
      for (int i = 0; i < KEYS; i++) {
        String key = "k%02d".formatted(i);
        ask(
            () -> {
              byte[] value = tree.get(key.getBytes(US_ASCII));
              String found = value == null ? null : StoreContent.describe(value);
              assertThat(found).as(key).isEqualTo(expected.get(key));
            });
      }
      ask(this::forwards);
      ask(this::backwards);
      return refused;
    }

    private void forwards() {
      List<String> keys = new ArrayList<>(expected.keySet());
      int at = 0;
      try (Cursor cursor = tree.cursor()) {
        for (boolean more = cursor.first(); more; more = cursor.next()) {
          String key = new String(cursor.key(), US_ASCII);
          assertThat(key).isEqualTo(at < keys.size() ? keys.get(at) : "the end");
          at++;
          ask(
              () ->
                  assertThat(StoreContent.describe(cursor.value()))
                      .as(key)
                      .isEqualTo(expected.get(key)));
        }
      }
      assertThat(at).isEqualTo(keys.size());
    }

    private void backwards() {
      List<String> keys = new ArrayList<>(expected.keySet());
      int at = keys.size();
      try (Cursor cursor = tree.cursor()) {
        for (boolean more = cursor.last(); more; more = cursor.prev()) {
          at--;
          assertThat(new String(cursor.key(), US_ASCII))
              .isEqualTo(at >= 0 ? keys.get(at) : "the start");
        }
      }
      assertThat(at).isZero();
    }

    private void ask(Runnable question) {
      try {
        question.run();
      } catch (DbException.Corrupt | DbException.Unsupported e) {
        checkMessage(e);
        refused = true;
      }
    }
  }
}
