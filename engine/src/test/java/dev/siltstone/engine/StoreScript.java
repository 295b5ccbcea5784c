package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.spi.SubtreeLengths;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.model.ModelOperation;
import dev.siltstone.testkit.model.OrderedMapModel;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.Simulation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Runs a list of {@link StoreOperation} against a store on a simulated machine and a model. */
final class StoreScript {
  private static final Path DIRECTORY = Path.of("/store");
  private static final int TREES = 2;

  /** Every prefix of up to three bytes may carry a subtree record. */
  static final SubtreeLengths LENGTHS =
      new SubtreeLengths() {
        @Override
        public String name() {
          return "test";
        }

        @Override
        public int of(byte[] key, int offset, int length, int[] lengths) {
          int count = Math.min(length, 3);
          for (int i = 0; i < count; i++) {
            lengths[i] = i + 1;
          }
          return count;
        }
      };

  private final Options options;
  private final TreeOptions treeOptions;
  private Simulation machine;
  private Db db;
  private Tree[] trees = new Tree[TREES];
  private OrderedMapModel[] models;
  private final List<Committed> history = new ArrayList<>();
  private int synced;
  private final List<Snapshot> snapshots = new ArrayList<>();

  /** One batch that was acknowledged. */
  private record Committed(long time, List<List<ModelOperation>> byTree) {}

  private StoreScript(Seed seed) {
    SplittableRandom random = seed.random("configuration");
    this.machine = Simulation.of(seed);
    TreeOptions tree =
        TreeOptions.DEFAULT
            .withBlockBytes(256 << random.nextInt(6))
            .withFilterBitsPerKey(random.nextInt(3) * 8)
            .withCompression(random.nextBoolean() ? "lz4" : "none")
            .withRetention(random.nextInt(4) == 0 ? Duration.ofHours(1) : Duration.ZERO);
    Durability[] durabilities = Durability.values();
    this.options =
        Options.builder()
            .memoryBytes(4L << 20)
            .memtableBytes(16L << (10 + random.nextInt(3)))
            .tableBytes(16L << (10 + random.nextInt(2)))
            .levelBaseBytes(64L << 10)
            .levelFanout(2 + random.nextInt(4))
            .logSegmentBytes(64L << 10)
            .separateValueBytes(2 << 10)
            .compactionThreads(1 + random.nextInt(2))
            .automaticCompaction(random.nextInt(5) > 0)
            .gapMemo(random.nextInt(4) > 0)
            .gapDeadMin(random.nextInt(3))
            .durability(durabilities[random.nextInt(durabilities.length)])
            .defaultTree(tree)
            .build();
    this.treeOptions = tree.withSubtrees(LENGTHS);
    this.models = new OrderedMapModel[] {new OrderedMapModel(), new OrderedMapModel()};
    this.db = open();
  }

  /** Runs a script; the failure, or {@code null}. */
  static @Nullable AssertionError run(Seed seed, List<StoreOperation> operations) {
    StoreOperation current = null;
    try {
      StoreScript script = new StoreScript(seed);
      for (StoreOperation operation : operations) {
        current = operation;
        script.run(operation);
      }
      script.checkAll();
      script.db.close();
      return null;
    } catch (AssertionError | RuntimeException e) {
      return new AssertionError("at " + current + ": " + e, e);
    }
  }

  private Db open() {
    SplittableRandom ids = machine.seed().random("ids");
    Components components =
        Components.DEFAULT
            .withFileSystem(machine.fileSystem())
            .withClock(machine.clock())
            .withScheduler(machine.scheduler())
            .withRandom(ids::nextLong);
    Db opened = Db.open(DIRECTORY, options, components);
    trees[0] = opened.tree();
    trees[1] = opened.openTree("paths", treeOptions);
    return opened;
  }

  private void run(StoreOperation operation) {
    switch (operation) {
      case StoreOperation.Batch batch -> write(batch);
      case StoreOperation.OpenSnapshot _ -> snapshots.add(db.snapshot());
      case StoreOperation.CloseSnapshot(int index) -> {
        if (index < snapshots.size()) {
          snapshots.remove(index).close();
        }
      }
      case StoreOperation.Flush(int tree) -> trees[tree].flush();
      case StoreOperation.Compact(int tree, byte[] lower, byte[] upper) -> {
        if (Arrays.compareUnsigned(lower, upper) < 0) {
          trees[tree].compact(KeyRange.of(lower, upper));
        } else {
          trees[tree].compact(KeyRange.ALL);
        }
        checkTree(tree, null);
      }
      case StoreOperation.Reopen _ -> {
        db.close();
        synced = history.size();
        restart(machine.fileSystem());
        checkAll();
      }
      case StoreOperation.Kill _ -> {
        SimFileSystem left = machine.fileSystem().kill();
        machine.fileSystem().halt();
        restart(left);
        checkAll();
      }
      case StoreOperation.PowerLoss loss -> losePower(loss);
      case StoreOperation.Pass(int millis) -> machine.scheduler().advance(millis * 1_000_000L);
      case StoreOperation.Background(int tasks) -> {
        for (int i = 0; i < tasks; i++) {
          machine.scheduler().runOne();
        }
      }
      case StoreOperation.Check(int tree, byte[] key, long random) ->
          check(tree, key, new SplittableRandom(random));
    }
  }

  private void restart(SimFileSystem disk) {
    snapshots.clear();
    machine = machine.restart(disk);
    db = open();
  }

  private void write(StoreOperation.Batch operation) {
    WriteBatch batch = db.newBatch();
    List<List<ModelOperation>> byTree = List.of(new ArrayList<>(), new ArrayList<>());
    for (StoreOperation.Write write : operation.writes()) {
      add(batch, write, byTree.get(write.tree()));
    }
    if (batch.isEmpty()) {
      return;
    }
    db.write(batch, operation.sync() ? WriteOptions.SYNC : WriteOptions.DEFAULT);
    long time;
    try (Snapshot now = db.snapshot()) {
      time = now.hybridTime();
    }
    assertThat(time).isGreaterThan(lastTime());
    Committed committed = new Committed(time, byTree);
    history.add(committed);
    apply(models, committed);
    if (operation.sync() || options.durability() == Durability.SYNC) {
      synced = history.size();
    }
  }

  private static void apply(OrderedMapModel[] models, Committed committed) {
    for (int tree = 0; tree < TREES; tree++) {
      models[tree].apply(committed.time, committed.byTree.get(tree));
    }
  }

  private void add(WriteBatch batch, StoreOperation.Write write, List<ModelOperation> model) {
    Tree tree = trees[write.tree()];
    byte[] key = write.key();
    byte[] value = write.value();
    switch (write.kind()) {
      case PUT -> {
        batch.put(tree, key, value);
        model.add(new ModelOperation.Put(key, value, ModelOperation.NEVER));
      }
      case PUT_EXPIRING -> {
        long micros = HybridTime.toUnixMicros(now()) + write.ttlMillis() * 1_000L;
        batch.put(tree, key, value, Duration.ofMillis(write.ttlMillis()));
        model.add(new ModelOperation.Put(key, value, HybridTime.ofUnixMicros(micros)));
      }
      case DELETE -> {
        batch.delete(tree, key);
        model.add(new ModelOperation.Delete(key));
      }
      case DELETE_RANGE -> {
        if (Arrays.compareUnsigned(key, write.upper()) < 0) {
          batch.deleteRange(tree, KeyRange.of(key, write.upper()));
          model.add(new ModelOperation.DeleteRange(key, write.upper()));
        }
      }
      case DELETE_SUBTREE -> {
        batch.deleteSubtree(tree, key);
        model.add(new ModelOperation.DeleteSubtree(key));
      }
      case PUT_SUBTREE -> {
        batch.putSubtree(tree, key, value);
        model.add(new ModelOperation.PutSubtree(key, value, ModelOperation.NEVER));
      }
    }
  }

  /** What is there after a power loss must be what some first so many batches made. */
  private void losePower(StoreOperation.PowerLoss loss) {
    SimFileSystem left = machine.fileSystem().crash(new SplittableRandom(loss.seed()), loss.mode());
    machine.fileSystem().halt();
    restart(left);
    List<Map<String, String>> found = new ArrayList<>();
    for (Tree tree : trees) {
      found.add(text(scan(tree, null, true)));
    }
    // Of prefixes that read the same the shortest: what is not there may not have been kept.
    for (int kept = synced; kept <= history.size(); kept++) {
      OrderedMapModel[] prefix = {new OrderedMapModel(), new OrderedMapModel()};
      for (Committed committed : history.subList(0, kept)) {
        apply(prefix, committed);
      }
      boolean same = true;
      for (int tree = 0; tree < TREES && same; tree++) {
        same = text(prefix[tree].view(HybridTime.MAX, now())).equals(found.get(tree));
      }
      if (same) {
        models = prefix;
        history.subList(kept, history.size()).clear();
        synced = history.size();
        checkAll();
        return;
      }
    }
    throw new AssertionError(
        "no prefix of at least " + synced + " of " + history.size() + " batches gives " + found);
  }

  private void checkAll() {
    for (int tree = 0; tree < TREES; tree++) {
      checkTree(tree, null);
      for (Snapshot snapshot : snapshots) {
        checkTree(tree, snapshot);
      }
    }
  }

  private void check(int tree, byte[] key, SplittableRandom random) {
    Snapshot snapshot =
        snapshots.isEmpty() || random.nextBoolean()
            ? null
            : snapshots.get(random.nextInt(snapshots.size()));
    NavigableMap<byte[], byte[]> view = view(tree, snapshot);
    assertThat(trees[tree].get(key, snapshot)).isEqualTo(view.get(key));
    try (Cursor cursor = trees[tree].cursor(ReadOptions.DEFAULT.withSnapshot(snapshot))) {
      byte[] at = place(cursor, view, key, random.nextInt(4));
      for (int i = 0; i < 12 && at != null; i++) {
        assertThat(cursor.key()).isEqualTo(at);
        assertThat(cursor.value()).isEqualTo(view.get(at));
        boolean forward = random.nextInt(3) > 0;
        at = forward ? view.higherKey(at) : view.lowerKey(at);
        assertThat(forward ? cursor.next() : cursor.prev()).isEqualTo(at != null);
      }
    }
    if (random.nextInt(8) == 0) {
      checkTree(tree, snapshot);
    }
  }

  private static byte @Nullable [] place(
      Cursor cursor, NavigableMap<byte[], byte[]> view, byte[] key, int how) {
    byte[] at =
        switch (how) {
          case 0 -> view.isEmpty() ? null : view.firstKey();
          case 1 -> view.isEmpty() ? null : view.lastKey();
          case 2 -> view.ceilingKey(key);
          default -> view.floorKey(key);
        };
    boolean placed =
        switch (how) {
          case 0 -> cursor.first();
          case 1 -> cursor.last();
          case 2 -> cursor.seek(key);
          default -> cursor.seekForPrev(key);
        };
    assertThat(placed).isEqualTo(at != null);
    return at;
  }

  private void checkTree(int tree, @Nullable Snapshot snapshot) {
    NavigableMap<byte[], byte[]> view = view(tree, snapshot);
    Map<String, String> expected = text(view);
    assertThat(text(scan(trees[tree], snapshot, true))).isEqualTo(expected);
    assertThat(text(scan(trees[tree], snapshot, false))).isEqualTo(expected);
    // In an order that is not theirs, with keys that are not there, and some of them twice.
    List<byte[]> asked = new ArrayList<>();
    for (byte[] key : models[tree].keys()) {
      assertThat(trees[tree].get(key, snapshot)).isEqualTo(view.get(key));
      asked.addFirst(key);
      asked.add(asked.size() / 2, Bytes.successor(key));
      if (asked.size() % 3 == 0) {
        asked.add(key);
      }
    }
    byte[] @Nullable [] values = trees[tree].getAll(asked, snapshot);
    for (int i = 0; i < values.length; i++) {
      assertThat(values[i]).isEqualTo(view.get(asked.get(i)));
    }
  }

  private NavigableMap<byte[], byte[]> view(int tree, @Nullable Snapshot snapshot) {
    return snapshot == null
        ? models[tree].view(HybridTime.MAX, now())
        : models[tree].view(snapshot.hybridTime(), snapshot.expiryTime());
  }

  private static NavigableMap<byte[], byte[]> scan(
      Tree tree, @Nullable Snapshot snapshot, boolean forward) {
    NavigableMap<byte[], byte[]> found = new java.util.TreeMap<>(Arrays::compareUnsigned);
    byte[] before = null;
    try (Cursor cursor = tree.cursor(ReadOptions.DEFAULT.withSnapshot(snapshot))) {
      for (boolean more = forward ? cursor.first() : cursor.last();
          more;
          more = forward ? cursor.next() : cursor.prev()) {
        byte[] key = cursor.key();
        if (before != null) {
          int order = Arrays.compareUnsigned(before, key);
          assertThat(forward ? order : -order).isNegative();
        }
        before = key;
        found.put(key, cursor.value());
      }
    }
    return found;
  }

  private static Map<String, String> text(NavigableMap<byte[], byte[]> entries) {
    Map<String, String> text = new java.util.TreeMap<>();
    entries.forEach(
        (key, value) ->
            text.put(
                dev.siltstone.base.bytes.Bytes.hex(key),
                value.length + ":" + Arrays.hashCode(value)));
    return text;
  }

  private long lastTime() {
    return history.isEmpty() ? HybridTime.MIN : history.getLast().time;
  }

  /** The present as the store sees it. */
  private long now() {
    return Math.max(HybridTime.ofUnixMicros(machine.clock().wallMicros()), lastTime());
  }
}
