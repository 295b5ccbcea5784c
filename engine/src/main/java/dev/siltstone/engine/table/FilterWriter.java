package dev.siltstone.engine.table;

import java.util.Arrays;

/**
 * Collects the keys of a partition by their hashes and makes its filter, drawn in {@link Filter}.
 * Reused from partition to partition. One thread at a time.
 */
final class FilterWriter {
  private final int bitsPerKey;
  private final boolean fuse;
  private long[] hashes = new long[1024];
  private int count;

  /**
   * A writer of filters of one kind.
   *
   * @param bitsPerKey of Bloom filters; 0 for no filters
   * @param fuse binary fuse filters, which take about 9 bits a key
   */
  FilterWriter(int bitsPerKey, boolean fuse) {
    this.bitsPerKey = bitsPerKey;
    this.fuse = fuse;
  }

  /** Adds a key; one that is added twice in a row counts once. */
  void add(long hash) {
    if (bitsPerKey == 0 || (count > 0 && hashes[count - 1] == hash)) {
      return;
    }
    if (count == hashes.length) {
      hashes = Arrays.copyOf(hashes, 2 * count);
    }
    hashes[count++] = hash;
  }

  int keys() {
    return count;
  }

  /** About how long the filter would be. */
  long estimatedBytes() {
    return (long) count * bitsPerKey / Byte.SIZE;
  }

  /** The filter of the keys added, which are forgotten; empty if there are no filters. */
  byte[] finish() {
    byte[] filter = new byte[0];
    if (count > 0) {
      filter = fuse ? FuseFilter.build(hashes, count) : null;
      if (filter == null) {
        filter = bloom();
      }
    }
    count = 0;
    return filter;
  }

  private byte[] bloom() {
    int lines = Filter.bloomLines(count, bitsPerKey);
    int probes = Filter.bloomProbes(bitsPerKey);
    int bytes = lines * Filter.LINE_BYTES;
    byte[] filter = new byte[bytes + Filter.BLOOM_TAIL_BYTES];
    for (int i = 0; i < count; i++) {
      Filter.addToBloom(filter, 0, lines, probes, hashes[i]);
    }
    filter[bytes] = (byte) probes;
    filter[bytes + 1] = Filter.BLOOM;
    return filter;
  }
}
