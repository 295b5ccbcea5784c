package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Fixed;
import java.io.IOException;
import java.util.Arrays;

/**
 * A blocked Bloom filter: says for a key's hash that the key is surely not there, or may be.
 *
 * <pre>
 *   u8   1: blocked Bloom       on disk, never change
 *   u8   probes
 *   u16  0
 *   u32  lines
 *   64 bytes a line; all bits of a key lie in one line
 * </pre>
 *
 * <p>A probe multiplies the low half of the hash by 0x9E3779B9 once more each time; its top nine
 * bits choose the bit. The line is the high half of the hash scaled to the number of lines.
 *
 * <p>Source: Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters" (WEA 2007).
 */
final class FilterBlock {
  private static final int KIND = 1;
  private static final int HEADER_BYTES = 8;
  private static final int LINE_BYTES = 64;
  private static final int PROBES_MAX = 24;

  private final byte[] data;
  private final int probes;
  private final int lines;

  /** A filter in the first {@code length} bytes of an array. */
  FilterBlock(byte[] data, int length) throws IOException {
    if (length < HEADER_BYTES || data[0] != KIND) {
      throw new IOException("filter of " + length + " bytes and kind " + data[0]);
    }
    this.data = data;
    this.probes = data[1] & 0xFF;
    this.lines = Fixed.getInt(data, 4);
    if (lines <= 0 || probes > PROBES_MAX || HEADER_BYTES + (long) lines * LINE_BYTES != length) {
      throw new IOException("filter of " + length + " bytes with " + lines + " lines");
    }
  }

  /** Memory taken, about. */
  int bytes() {
    return data.length + 32;
  }

  /** False only if no key with this hash was added. */
  boolean mayContain(long hash) {
    int line = HEADER_BYTES + line(hash, lines);
    int probe = (int) hash;
    for (int i = 0; i < probes; i++) {
      probe *= 0x9E3779B9;
      int bit = probe >>> 23;
      if ((data[line + (bit >>> 3)] & (1 << (bit & 7))) == 0) {
        return false;
      }
    }
    return true;
  }

  private static int line(long hash, int lines) {
    return (int) (((hash >>> 32) * lines) >>> 32) * LINE_BYTES;
  }

  /** Collects hashes and builds the filter of a partition. */
  static final class Writer {
    private final int bitsPerKey;
    private long[] hashes = new long[1_024];
    private int count;

    Writer(int bitsPerKey) {
      this.bitsPerKey = bitsPerKey;
    }

    void add(long hash) {
      if (count == hashes.length) {
        hashes = Arrays.copyOf(hashes, 2 * count);
      }
      hashes[count++] = hash;
    }

    int count() {
      return count;
    }

    /** The filter of all hashes added since the last call. */
    byte[] finish() {
      long bits = Math.max(1, (long) count * bitsPerKey);
      int lines = Math.toIntExact((bits + LINE_BYTES * 8 - 1) / (LINE_BYTES * 8));
      int probes = Math.max(1, Math.min(PROBES_MAX, (int) Math.round(bitsPerKey * 0.6)));
      byte[] data = new byte[HEADER_BYTES + lines * LINE_BYTES];
      data[0] = KIND;
      data[1] = (byte) probes;
      Fixed.putInt(data, 4, lines);
      for (int k = 0; k < count; k++) {
        int line = HEADER_BYTES + line(hashes[k], lines);
        int probe = (int) hashes[k];
        for (int i = 0; i < probes; i++) {
          probe *= 0x9E3779B9;
          int bit = probe >>> 23;
          data[line + (bit >>> 3)] |= (byte) (1 << (bit & 7));
        }
      }
      count = 0;
      return data;
    }
  }
}
