package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Varint;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import java.io.IOException;
import java.util.Arrays;

/**
 * The range deletes of a file.
 *
 * <pre>
 *   varint count, then for each fragment, in key order
 *   varint length, lower bound | varint length, upper bound | varint times | varint time ...
 * </pre>
 */
final class RangeTombstoneBlock {
  private RangeTombstoneBlock() {}

  static FragmentedRangeTombstones decode(byte[] source, int length) throws IOException {
    SectionReader reader = new SectionReader(source, 0, length);
    FragmentedRangeTombstones.Builder builder = new FragmentedRangeTombstones.Builder();
    int count = reader.count();
    for (int i = 0; i < count; i++) {
      byte[] lower = reader.bytes();
      byte[] upper = reader.bytes();
      long[] times = new long[reader.count()];
      for (int t = 0; t < times.length; t++) {
        times[t] = reader.number();
      }
      if (Arrays.compareUnsigned(lower, upper) >= 0 || times.length == 0) {
        throw new IOException("range tombstone " + i + " is empty");
      }
      builder.add(lower, upper, times);
    }
    reader.requireEnd();
    return builder.build();
  }

  /** Collects fragments. */
  static final class Writer {
    private byte[] body = new byte[256];
    private int length;
    private int count;

    boolean isEmpty() {
      return count == 0;
    }

    void add(byte[] lower, byte[] upper, long[] times) {
      long needed =
          (long) length + lower.length + upper.length + (3L + times.length) * Varint.LONG_BYTES_MAX;
      if (needed > body.length) {
        body = Arrays.copyOf(body, Math.toIntExact(Math.max(needed, 2L * body.length)));
      }
      put(lower);
      put(upper);
      length = Varint.put(body, length, times.length);
      for (long time : times) {
        length = Varint.put(body, length, time);
      }
      count++;
    }

    byte[] finish() {
      byte[] block = new byte[Varint.length(count) + length];
      int at = Varint.put(block, 0, count);
      System.arraycopy(body, 0, block, at, length);
      return block;
    }

    private void put(byte[] bytes) {
      length = Varint.put(body, length, bytes.length);
      System.arraycopy(bytes, 0, body, length, bytes.length);
      length += bytes.length;
    }
  }
}
