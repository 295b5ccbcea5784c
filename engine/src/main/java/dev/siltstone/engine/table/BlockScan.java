package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;

/**
 * Finds the blocks of a table in bytes to which no index leads any more. A block is told by its
 * trailer: a compression that is known, a type, a raw length that fits, and a checksum that is
 * bound to the file and to the offset of the block, so that nothing else is taken for one.
 *
 * <p>Trailers are looked for from front to back. The raw length of a block that is not compressed
 * says where it begins. One that is compressed begins where the last one found ended, or else, if
 * what lies before it is damaged, anywhere behind that: every beginning is tried, if it is no
 * longer than {@link #SEARCH_BYTES_MAX}.
 */
final class BlockScan {
  /** Longest raw block whose beginning is searched for. */
  private static final int SEARCH_BYTES_MAX = 1 << 20;

  private final byte[] bytes;
  private final long base;
  private final long identity;
  private final Compressors compressors;
  private final Found found;

  /** Is told of each block. */
  @FunctionalInterface
  interface Found {
    void block(int type, long offset, int stored);
  }

  /**
   * A scan.
   *
   * @param bytes a part of the file
   * @param base where it begins in the file
   */
  BlockScan(byte[] bytes, long base, long identity, Compressors compressors, Found found) {
    this.bytes = bytes;
    this.base = base;
    this.identity = identity;
    this.compressors = compressors;
    this.found = found;
  }

  void run() {
    int low = 0;
    int trailer = 0;
    while (trailer + TableFormat.TRAILER_BYTES <= bytes.length) {
      int start = blockBefore(trailer, low);
      if (start < 0) {
        trailer++;
        continue;
      }
      int type = bytes[trailer + TableFormat.TRAILER_TYPE];
      found.block(type, base + start, trailer - start);
      low = trailer + TableFormat.TRAILER_BYTES;
      trailer = low;
    }
  }

  /** Where the block begins whose trailer is here, not before {@code low}; -1 if there is none. */
  private int blockBefore(int trailer, int low) {
    int type = bytes[trailer + TableFormat.TRAILER_TYPE];
    int raw = Fixed.getInt(bytes, trailer + TableFormat.TRAILER_RAW_BYTES);
    int compression = bytes[trailer] & 0xFF;
    if (type < TableFormat.DATA
        || type > TableFormat.SECTIONS
        || raw <= 0
        || raw > TableFormat.RAW_BYTES_MAX) {
      return -1;
    }
    if (compression == TableFormat.NOT_COMPRESSED) {
      int start = trailer - raw;
      return start >= low && isBlock(start, trailer) ? start : -1;
    }
    if (type != TableFormat.DATA || compressors.find(compression) == null) {
      return -1;
    }
    if (trailer > low && trailer - low < raw && isBlock(low, trailer)) {
      return low;
    }
    if (raw > SEARCH_BYTES_MAX) {
      return -1;
    }
    for (int start = trailer - 1; start >= Math.max(low, trailer - raw); start--) {
      if (isBlock(start, trailer)) {
        return start;
      }
    }
    return -1;
  }

  private boolean isBlock(int start, int trailer) {
    int bare = Crc32c.of(bytes, start, trailer - start + TableFormat.TRAILER_CRC);
    return Crc32c.bind(bare, identity, base + start)
        == Fixed.getInt(bytes, trailer + TableFormat.TRAILER_CRC);
  }
}
