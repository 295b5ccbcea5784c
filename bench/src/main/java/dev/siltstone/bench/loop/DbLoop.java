package dev.siltstone.bench.loop;

import dev.siltstone.bench.run.Directories;
import dev.siltstone.bench.work.Values;
import dev.siltstone.engine.Cursor;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.KeyRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Calls of the API on a compacted store that is all in the cache. */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first.
public class DbLoop {
  private static final int ENTRIES = 100_000;

  private Path folder;
  private Db db;
  private Cursor forward;
  private Cursor backward;
  private Cursor seeking;
  private byte[][] keys;
  private byte[][] missing;
  private int next;

  /** Fills and compacts the store. */
  @Setup
  public void setUp() throws IOException {
    folder = Files.createTempDirectory("siltstone-loop-");
    db = Db.open(folder.resolve("store"));
    keys = LoopData.keys(ENTRIES);
    missing = LoopData.missing(ENTRIES);
    Values values = new Values(LoopData.VALUE_BYTES);
    for (int i = 0; i < ENTRIES; i++) {
      db.put(keys[i], values.value(i, 0));
    }
    db.compact(KeyRange.ALL);
    forward = db.cursor();
    forward.first();
    backward = db.cursor();
    backward.last();
    seeking = db.cursor();
  }

  /** Closes and deletes the store. */
  @TearDown
  public void tearDown() throws IOException {
    forward.close();
    backward.close();
    seeking.close();
    db.close();
    Directories.delete(folder);
  }

  /** A get of a key that is there, its value copied. */
  @Benchmark
  public byte @Nullable [] get() {
    return db.get(keys[index()]);
  }

  /** A get of a key that is not there. */
  @Benchmark
  public byte @Nullable [] getMissing() {
    return db.get(missing[index()]);
  }

  /** A step of a cursor to the next entry; key and value are left alone. */
  @Benchmark
  public boolean cursorNext() {
    return forward.next() || forward.first();
  }

  /** A step of a cursor to the entry before. */
  @Benchmark
  public boolean cursorPrev() {
    return backward.prev() || backward.last();
  }

  /** A seek of a cursor that is open. */
  @Benchmark
  public boolean cursorSeek() {
    return seeking.seek(keys[index()]);
  }

  private int index() {
    next = next + 1 == ENTRIES ? 0 : next + 1;
    return next;
  }
}
