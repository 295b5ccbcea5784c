package dev.siltstone.bench.loop;

import dev.siltstone.bench.work.Keys;
import dev.siltstone.bench.work.Scramble;
import dev.siltstone.bench.work.Values;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.BatchWriter;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.memtable.MemTable;
import java.io.IOException;

/** Keys, values and memtables for the loops. */
final class LoopData {
  /** Bytes of a value. */
  static final int VALUE_BYTES = 100;

  /** Memory that a memtable is made for. */
  static final long MEMTABLE_BYTES = 64L << 20;

  private static final int TREE = 1;
  private static final int SEED = 1;
  private static final int BATCH = 100;

  private LoopData() {}

  /** Keys 0 to count - 1 in random order. */
  static byte[][] keys(int count) {
    return keys(count, 1, 0);
  }

  /** Keys of numbers that leave a remainder on division, in random order. */
  static byte[][] keys(int count, int divisor, int remainder) {
    Scramble order = new Scramble(count, SEED);
    byte[][] keys = new byte[count][];
    for (int i = 0; i < count; i++) {
      keys[i] = Keys.key(order.at(i) * divisor + remainder);
    }
    return keys;
  }

  /** Keys that lie between those of {@link #keys}, in random order. */
  static byte[][] missing(int count) {
    Scramble order = new Scramble(count, SEED);
    byte[][] keys = new byte[count][];
    for (int i = 0; i < count; i++) {
      keys[i] = Keys.missing(order.at(i));
    }
    return keys;
  }

  /** A memtable that holds keys, in the order given, from a time on. */
  static MemTable memTable(byte[][] keys, long fromTime) throws IOException {
    MemTable memTable = new MemTable(1, MEMTABLE_BYTES);
    Values values = new Values(VALUE_BYTES);
    BatchWriter writer = new BatchWriter();
    for (int i = 0; i < keys.length; i++) {
      writer.add(TREE, KeyKind.PUT, keys[i], values.value(i, 0));
      if (writer.count() == BATCH || i == keys.length - 1) {
        add(memTable, writer, fromTime + i);
      }
    }
    return memTable;
  }

  /** Adds a batch to a memtable as a commit does, and empties it. */
  static void add(MemTable memTable, BatchWriter writer, long time) throws IOException {
    writer.seal(time);
    BatchReader reader = new BatchReader();
    reader.open(writer.array(), 0, writer.bytes());
    while (reader.next()) {
      memTable.add(reader);
    }
    writer.clear();
  }
}
