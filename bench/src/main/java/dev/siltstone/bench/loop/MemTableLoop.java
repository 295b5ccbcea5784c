package dev.siltstone.bench.loop;

import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.memtable.MemTable;
import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Puts into and gets from a memtable. */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first.
public class MemTableLoop {
  private static final int ENTRIES = 100_000;
  private static final long TIME = 1 << 20;

  private byte[][] keys;
  private byte[][] missing;
  private MemTable filled;
  private final PointResult result = new PointResult();
  private int next;

  /** Fills the memtable that is read. */
  @Setup
  public void setUp() throws IOException {
    keys = LoopData.keys(ENTRIES);
    missing = LoopData.missing(ENTRIES);
    filled = LoopData.memTable(keys, TIME);
  }

  /** A put in random order, decoding of its batch included; each time into a new memtable. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public MemTable put() throws IOException {
    return LoopData.memTable(keys, TIME);
  }

  /** A get of a key that is there. */
  @Benchmark
  public boolean get() {
    return find(keys[index()]);
  }

  /** A get of a key that is not there. */
  @Benchmark
  public boolean getMissing() {
    return find(missing[index()]);
  }

  private int index() {
    next = next + 1 == ENTRIES ? 0 : next + 1;
    return next;
  }

  private boolean find(byte[] key) {
    long hash = Hash64.of(key, 0, key.length);
    return filled.find(key, 0, key.length, hash, Long.MAX_VALUE >>> 8, 0, result);
  }
}
