package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.bytes.Varint;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.key.UpperBound;

/**
 * The bytes of the range deletes of a file: fragments in key order.
 *
 * <pre>
 *   fragment   varint length, lower bound | varint length, {@link UpperBound}
 *              | varint number of times | u64 time, strictly descending
 * </pre>
 */
final class RangeTombstoneBlock {
  private RangeTombstoneBlock() {}

  static byte[] encode(FragmentedRangeTombstones tombstones) {
    long bytes = 0;
    for (int i = 0; i < tombstones.size(); i++) {
      bytes +=
          sizeOf(tombstones.lower(i))
              + sizeOf(UpperBound.encode(tombstones.upper(i)))
              + Varint.length(tombstones.times(i).length)
              + (long) Long.BYTES * tombstones.times(i).length;
    }
    if (bytes > TableFormat.RAW_BYTES_MAX) {
      throw new IllegalArgumentException("range deletes of " + bytes + " bytes");
    }
    byte[] target = new byte[(int) bytes];
    int at = 0;
    for (int i = 0; i < tombstones.size(); i++) {
      at = put(target, at, tombstones.lower(i));
      at = put(target, at, UpperBound.encode(tombstones.upper(i)));
      long[] times = tombstones.times(i);
      at = Varint.put(target, at, times.length);
      for (long time : times) {
        Fixed.putLong(target, at, time);
        at += Long.BYTES;
      }
    }
    return target;
  }

  private static long sizeOf(byte[] key) {
    return (long) Varint.length(key.length) + key.length;
  }

  private static int put(byte[] target, int offset, byte[] key) {
    int at = Varint.put(target, offset, key.length);
    System.arraycopy(key, 0, target, at, key.length);
    return at + key.length;
  }

  /**
   * The fragments of a block.
   *
   * @param timeBase added to all times
   */
  static FragmentedRangeTombstones decode(byte[] source, int length, long timeBase)
      throws BlockStructureException {
    BlockInput in = new BlockInput(source, 0, length);
    FragmentedRangeTombstones.Builder builder = new FragmentedRangeTombstones.Builder();
    byte[] end = Bytes.EMPTY;
    while (!in.atEnd()) {
      byte[] lower = in.bytes(in.count(1));
      byte[] upper = UpperBound.decode(in.bytes(in.count(1)));
      long[] times = times(in, timeBase);
      if (Bytes.compare(end, lower) > 0 || Bytes.compare(lower, upper) >= 0) {
        throw new BlockStructureException(
            "range delete of ["
                + Bytes.hex(lower)
                + ", "
                + Bytes.hex(upper)
                + ") after "
                + Bytes.hex(end));
      }
      builder.add(lower, upper, times);
      end = upper;
    }
    return builder.build();
  }

  private static long[] times(BlockInput in, long timeBase) throws BlockStructureException {
    long[] times = new long[in.count(Long.BYTES)];
    for (int i = 0; i < times.length; i++) {
      times[i] = in.fixedLong() + timeBase;
      if (times[i] < 0 || (i > 0 && times[i] >= times[i - 1])) {
        throw new BlockStructureException("times of a range delete are not descending");
      }
    }
    if (times.length == 0) {
      throw new BlockStructureException("a range delete without a time");
    }
    return times;
  }
}
