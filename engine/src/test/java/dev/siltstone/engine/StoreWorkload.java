package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.Simulation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A seeded run of everything that changes a store: batches over several trees, synced and not,
 * large values, range deletes, flush, compaction, trees made and dropped, background work at any
 * point, close and open. It knows at every moment what must and what may be in the store.
 */
final class StoreWorkload {
  static final Path DIRECTORY = Path.of("/home/store");
  private static final int KEYS = 24;
  private static final int APART_BYTES = 1 << 10;
  private static final int WORLDS_MAX = 64;

  private final Seed seed;
  private final Options options;
  private final SplittableRandom random;
  private final Simulation machine;
  private final FileSystem disk;
  private @Nullable Db db;
  private int nextTree = 1;
  private long nextValue = 1;

  /** The content after so many batches, the one under way included. */
  private final List<StoreContent> states = new ArrayList<>(List.of(StoreContent.EMPTY));

  private int acknowledged;
  private int synced;
  private Map<String, Integer> names = new TreeMap<>(Map.of("default", 0));
  private Map<String, Integer> namesNext = names;

  /** Contents that are possible when batches have failed with their effect unknown. */
  private List<StoreContent> worlds = new ArrayList<>(List.of(StoreContent.EMPTY));

  private final List<Map<String, Integer>> namings = new ArrayList<>(List.of(names));
  private int failures;

  StoreWorkload(Seed seed, Simulation machine, FileSystem disk) {
    this.seed = seed;
    this.machine = machine;
    this.disk = disk;
    this.random = seed.random("workload");
    Durability[] durabilities = Durability.values();
    this.options = options(durabilities[Math.floorMod(seed.value(), durabilities.length)]);
  }

  private static Options options(Durability durability) {
    return Options.builder()
        .memoryBytes(4L << 20)
        .memtableBytes(16L << 10)
        .tableBytes(16L << 10)
        .levelBaseBytes(64L << 10)
        .levelFanout(4)
        .logSegmentBytes(64L << 10)
        .separateValueBytes(APART_BYTES)
        .compactionThreads(2)
        .durability(durability)
        .build();
  }

  /** Opens a store that lies on some disk, with a clock that goes on from now. */
  Db open(FileSystem on, Simulation with) {
    SplittableRandom ids = seed.derive(random.nextLong()).random("ids");
    Components components =
        Components.DEFAULT
            .withFileSystem(on)
            .withClock(with.clock())
            .withScheduler(with.scheduler())
            .withRandom(ids::nextLong);
    return Db.open(DIRECTORY, options, components);
  }

  void open() {
    db = open(disk, machine);
    List<String> there = db.treeNames();
    for (Map<String, Integer> naming : List.copyOf(namings)) {
      if (List.copyOf(naming.keySet()).equals(there)) {
        // Whether a tree was made or dropped when that failed is known now.
        names = naming;
        namesNext = naming;
        namings.clear();
        namings.add(naming);
      }
    }
  }

  boolean isOpen() {
    return db != null;
  }

  Db db() {
    if (db == null) {
      throw new IllegalStateException("not open");
    }
    return db;
  }

  /** One step; what it throws is the store's. */
  void step() {
    int dice = random.nextInt(100);
    if (dice < 62) {
      write(batch(), random.nextInt(5) == 0);
    } else if (dice < 68) {
      flush();
    } else if (dice < 72) {
      db().tree(anyName()).compact(KeyRange.ALL);
    } else if (dice < 75) {
      db().sync();
      synced = acknowledged;
    } else if (dice < 78) {
      makeTree();
    } else if (dice < 80) {
      dropTree();
    } else if (dice < 92) {
      machine.scheduler().runOne();
    } else if (dice < 97) {
      machine.scheduler().advance(random.nextInt(200) * 1_000_000L);
    } else {
      close();
      open();
    }
  }

  /** One step that leaves the store open. */
  void stepOpen() {
    Db before = db;
    int dice = random.nextInt(4);
    if (dice == 0) {
      flush();
    } else if (dice == 1) {
      db().tree(anyName()).compact(KeyRange.ALL);
    } else if (dice == 2) {
      machine.scheduler().runOne();
    } else {
      write(batch(), false);
    }
    assert db == before : "opened anew";
  }

  /** Puts one value, durably. */
  void writeOne() {
    write(List.of(new StoreContent.Change(0, "one", null, nextValue++, 50, false)), true);
  }

  private void flush() {
    if (random.nextBoolean()) {
      // Makes what this tree has durable, and of other trees what it happens to.
      db().tree(anyName()).flush();
    } else {
      db().flush();
      synced = acknowledged;
    }
  }

  void close() {
    Db closing = db();
    db = null;
    closing.close();
    synced = acknowledged;
  }

  /** Writes a batch; what is known of it afterwards follows from what it throws. */
  void write(List<StoreContent.Change> changes, boolean sync) {
    WriteBatch batch = db().newBatch();
    for (StoreContent.Change change : changes) {
      add(batch, db().tree(nameOf(change.tree())), change);
    }
    states.add(states.getLast().apply(changes));
    try {
      db().write(batch, sync ? WriteOptions.SYNC : WriteOptions.DEFAULT);
    } catch (DbException | Error e) {
      states.removeLast();
      failures++;
      if (!String.valueOf(e.getMessage()).startsWith("writes are refused")) {
        addWorlds(changes);
      }
      throw e;
    }
    acknowledged++;
    worlds.replaceAll(world -> world.apply(changes));
    if (sync || options.durability() == Durability.SYNC) {
      synced = acknowledged;
    }
  }

  private void addWorlds(List<StoreContent.Change> changes) {
    for (StoreContent world : List.copyOf(worlds)) {
      StoreContent with = world.apply(changes);
      if (worlds.size() < WORLDS_MAX && !worlds.contains(with)) {
        worlds.add(with);
      }
    }
  }

  private void add(WriteBatch batch, Tree tree, StoreContent.Change change) {
    byte[] key = change.key().getBytes(US_ASCII);
    if (change.upper() != null) {
      batch.deleteRange(tree, KeyRange.of(key, change.upper().getBytes(US_ASCII)));
    } else if (change.delete()) {
      batch.delete(tree, key);
    } else {
      batch.put(tree, key, StoreContent.value(change.number(), change.length()));
    }
  }

  private void makeTree() {
    if (names.size() > 4) {
      return;
    }
    String name = "tree" + random.nextInt(6);
    if (names.containsKey(name)) {
      return;
    }
    Map<String, Integer> next = new TreeMap<>(names);
    next.put(name, nextTree++);
    rename(next, () -> db().openTree(name, TreeOptions.DEFAULT.withBlockBytes(512)));
  }

  private void dropTree() {
    String name = anyName();
    if (name.equals("default")) {
      return;
    }
    Map<String, Integer> next = new TreeMap<>(names);
    next.remove(name);
    rename(next, () -> db().dropTree(name));
  }

  private void rename(Map<String, Integer> next, Runnable change) {
    namesNext = next;
    namings.add(next);
    try {
      change.run();
      names = next;
      namings.removeIf(naming -> naming != next);
    } finally {
      namesNext = names;
    }
  }

  private List<StoreContent.Change> batch() {
    List<StoreContent.Change> changes = new ArrayList<>();
    int count = random.nextInt(12) == 0 ? 30 : 1 + random.nextInt(5);
    for (int i = 0; i < count; i++) {
      int tree = names.get(anyName());
      String key = "k" + (10 + random.nextInt(KEYS));
      int dice = random.nextInt(20);
      if (dice < 13) {
        int length = dice == 0 ? APART_BYTES + random.nextInt(2_000) : random.nextInt(700);
        changes.add(new StoreContent.Change(tree, key, null, nextValue++, length, false));
      } else if (dice < 19) {
        changes.add(new StoreContent.Change(tree, key, null, 0, 0, true));
      } else {
        changes.add(new StoreContent.Change(tree, key, key + "~", 0, 0, true));
      }
    }
    return changes;
  }

  private String anyName() {
    List<String> all = List.copyOf(names.keySet());
    return all.get(random.nextInt(all.size()));
  }

  private String nameOf(int tree) {
    for (Map.Entry<String, Integer> entry : names.entrySet()) {
      if (entry.getValue() == tree) {
        return entry.getKey();
      }
    }
    throw new IllegalStateException("no tree " + tree);
  }

  /** Batches that are acknowledged. */
  int acknowledged() {
    return acknowledged;
  }

  /** Batches that are acknowledged as durable. */
  int synced() {
    return synced;
  }

  /** Writes that failed. */
  int failures() {
    return failures;
  }

  /** Checks that a store holds what at least {@code least} first batches have made, all whole. */
  void checkPrefix(Map<String, Map<String, String>> found, int least) {
    for (int kept = states.size() - 1; kept >= least; kept--) {
      StoreContent state = states.get(kept);
      if (found.equals(state.named(names)) || found.equals(state.named(namesNext))) {
        return;
      }
    }
    throw new AssertionError(
        "no prefix of at least "
            + least
            + " of "
            + (states.size() - 1)
            + " batches gives "
            + found
            + ", all give "
            + states.getLast().named(namesNext));
  }

  /**
   * Checks that a store holds all that was acknowledged, and failed batches whole or not at all.
   */
  void checkWorlds(Map<String, Map<String, String>> found) {
    for (StoreContent world : worlds) {
      for (Map<String, Integer> naming : namings) {
        if (found.equals(world.named(naming))) {
          return;
        }
      }
    }
    throw new AssertionError(
        "found " + found + ", expected " + worlds.getFirst().named(names) + " or a failed batch");
  }
}
