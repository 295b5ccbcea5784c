package dev.siltstone.engine.memtable;

/**
 * A blocked Bloom filter over key hashes: all bits of a key lie in one cache line of 64 bytes. It
 * spares a lookup the way down the tree when the key is not there.
 *
 * <p>One thread adds; a reader sees the bits of every key whose write was published before it took
 * its time. Bits are only ever set.
 *
 * <p>Source: Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters" (WEA 2007).
 */
final class MemTableFilter {
  private static final int LINE_LONGS = 8;
  private static final int PROBES = 6;

  private final long[] bits;
  private final int lines;

  /** A filter of about so many bytes, a whole number of lines. */
  MemTableFilter(int bytes) {
    this.lines = Math.max(1, bytes / (LINE_LONGS * Long.BYTES));
    this.bits = new long[lines * LINE_LONGS];
  }

  long bytes() {
    return (long) bits.length * Long.BYTES;
  }

  void add(long hash) {
    int line = line(hash);
    int probe = (int) hash;
    for (int i = 0; i < PROBES; i++) {
      // Nine bits choose a bit of the line; the multiplication brings fresh ones up.
      probe *= 0x9E3779B9;
      int bit = probe >>> 23;
      bits[line + (bit >>> 6)] |= 1L << bit;
    }
  }

  boolean mayContain(long hash) {
    int line = line(hash);
    int probe = (int) hash;
    for (int i = 0; i < PROBES; i++) {
      probe *= 0x9E3779B9;
      int bit = probe >>> 23;
      if ((bits[line + (bit >>> 6)] & (1L << bit)) == 0) {
        return false;
      }
    }
    return true;
  }

  private int line(long hash) {
    return (int) (((hash >>> 32) * lines) >>> 32) * LINE_LONGS;
  }
}
