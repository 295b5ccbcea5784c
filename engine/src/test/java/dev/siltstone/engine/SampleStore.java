package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.version.StoreState;
import dev.siltstone.engine.version.VersionSet;
import dev.siltstone.engine.wal.LogKind;
import dev.siltstone.engine.wal.SegmentReader;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A small store with something of everything, closed: several trees, one of them dropped; tables in
 * the first level and compressed ones in the last, with filters of both kinds; range deletes,
 * subtrees, values that expire, blobs in tables and in the log; two log segments.
 */
final class SampleStore {
  static final Path DIRECTORY = Path.of("/home/store");
  static final int APART_BYTES = 1 << 10;

  private final SimFileSystem disk = new SimFileSystem();
  private final Seed seed;

  SampleStore(long seed) {
    this.seed = new Seed(seed);
    try (Db db = open(disk)) {
      fill(db);
    }
    try (Db db = open(disk)) {
      put(db, "default", "only", 6, 8);
    }
    try (Db db = open(disk)) {
      for (String tree : List.of("default", "one")) {
        put(db, tree, "k07", 3, 900);
        put(db, tree, "k08", 4, APART_BYTES + 300);
        db.tree(tree).delete(key("k15"));
        db.tree(tree).deleteRange(KeyRange.of(key("k18"), key("k20")));
      }
      put(db, "log", "k01", 5, 50);
      db.tree("paths").deleteSubtree(key("c"));
      db.sync();
    }
    try {
      removeUnused();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void fill(Db db) {
    TreeOptions small = TreeOptions.DEFAULT.withBlockBytes(512).withCompression("lz4");
    db.openTree("one", small.withRetention(Duration.ofHours(1)));
    db.openTree("gone", small);
    db.openTree("log", small);
    db.openTree("empty", small);
    db.openTree("paths", small.withSubtrees(StoreScript.LENGTHS));
    for (String tree : List.of("default", "one", "gone")) {
      for (int i = 0; i < 30; i++) {
        put(db, tree, "k%02d".formatted(i), i, i == 5 ? APART_BYTES + 90 : 40 + i);
      }
      db.tree(tree).flush();
      db.tree(tree).compact(KeyRange.ALL);
      for (int i = 0; i < 30; i += 3) {
        put(db, tree, "k%02d".formatted(i), 1000 + i, 60);
      }
      db.tree(tree).put(key("soon"), StoreContent.value(1, 20), Duration.ofHours(1));
      db.tree(tree).deleteRange(KeyRange.of(key("k10"), key("k12")));
      put(db, tree, "k11", 2, APART_BYTES + 5);
      db.tree(tree).flush();
    }
    for (String prefix : List.of("a", "b", "c")) {
      for (int i = 0; i < 5; i++) {
        put(db, "paths", prefix + "x" + i, i, 30);
      }
    }
    db.tree("paths").flush();
    db.tree("paths").deleteSubtree(key("b"));
    db.tree("paths").flush();
    db.dropTree("gone");
  }

  static byte[] key(String text) {
    return text.getBytes(US_ASCII);
  }

  static void put(Db db, String tree, String key, long number, int length) {
    db.tree(tree).put(key(key), StoreContent.value(number, length));
  }

  /** A copy of the disk with the store. */
  SimFileSystem disk() {
    return disk.kill();
  }

  /** Removes the log segments that were made ready and never used. */
  private void removeUnused() throws IOException {
    for (Verification.Note note : verify(disk).notes()) {
      disk.remove(note.file());
    }
  }

  Db open(SimFileSystem on) {
    return withPaths(Db.open(DIRECTORY, options(), components(on)));
  }

  static Db withPaths(Db db) {
    if (db.treeNames().contains("paths")) {
      db.openTree("paths", TreeOptions.DEFAULT.withSubtrees(StoreScript.LENGTHS));
    }
    return db;
  }

  static Options options() {
    return Options.builder()
        .memoryBytes(4L << 20)
        .memtableBytes(16L << 10)
        .tableBytes(16L << 10)
        .levelBaseBytes(64L << 10)
        .logSegmentBytes(64L << 10)
        .separateValueBytes(APART_BYTES)
        .compactionThreads(1)
        .automaticCompaction(false)
        .durability(Durability.BUFFERED)
        .build();
  }

  Components components(SimFileSystem on) {
    SplittableRandom ids = seed.derive(on.operations()).random("ids");
    Simulation machine = Simulation.of(seed).restart(on);
    return Components.DEFAULT
        .withFileSystem(on)
        .withClock(machine.clock())
        .withScheduler(machine.scheduler())
        .withRandom(ids::nextLong);
  }

  Verification verify(SimFileSystem on) {
    return Db.verify(DIRECTORY, components(on), VerifyOptions.DEFAULT);
  }

  /** What the store holds, by tree. */
  Map<String, Map<String, String>> content(SimFileSystem on) {
    try (Db db = open(on.kill())) {
      return StoreContent.read(db);
    }
  }

  Map<String, Map<String, String>> content() {
    return content(disk);
  }

  /**
   * The names of the files whose bytes count, with how many of them do: what lies behind the last
   * record of a log that is known to be durable may be anything.
   */
  static Map<String, Integer> files(SimFileSystem disk) throws IOException {
    StoreState state = VersionSet.open(disk, DIRECTORY, () -> 1).state();
    Map<String, Integer> files = new TreeMap<>();
    for (String name : disk.list(DIRECTORY)) {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed == null) {
        continue;
      }
      switch (parsed.kind()) {
        case TABLE, BLOB -> files.put(name, (int) disk.size(DIRECTORY.resolve(name)));
        case MANIFEST -> files.put(name, used(disk, name, LogKind.MANIFEST));
        case LOG -> {
          int used = used(disk, name, LogKind.WAL);
          // One without a mark was made ready and never used.
          if (parsed.number() >= state.oldestLog() && used > 0) {
            files.put(name, used);
          }
        }
        case TEMPORARY, CURRENT, OPTIONS, LOCK -> {
          // Without content.
        }
      }
    }
    return files;
  }

  /** Offset of the last mark, which nothing vouches for. */
  private static int used(SimFileSystem disk, String name, LogKind kind) throws IOException {
    SegmentReader reader = SegmentReader.open(disk, DIRECTORY.resolve(name), kind);
    while (reader.next()) {
      // To the end.
    }
    return (int) reader.watermark();
  }
}
