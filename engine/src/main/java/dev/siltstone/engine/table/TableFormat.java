package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Crc32c;

/**
 * The layout of a table file. All fixed integers are little-endian.
 *
 * <pre>
 *   data blocks of partition 0 | filter 0 | index 0
 *   data blocks of partition 1 | filter 1 | index 1 ...
 *   top index
 *   range tombstones           if there are any
 *   properties
 *   section table
 *   footer                     the last 64 bytes
 *
 *   A block, stored:
 *     bytes                    compressed or not
 *     u8   compression id      0 for none
 *     u8   block type
 *     u16  0
 *     u32  raw length
 *     u32  CRC-32C over all before, bound to store id, file number and offset of the block
 *
 *   Footer:
 *     0    u64  magic "SILTABLE"
 *     8    u32  format version, 1
 *     12   u32  stored length of the section table
 *     16   u64  offset of the section table
 *     24   u64  store id
 *     32   u64  file number
 *     40   24 bytes of zero
 *     60   u32  CRC-32C of the 60 bytes before
 *          (the stored length counts the 12 bytes of the block's trailer)
 *
 *   Section table, a block:
 *     varint count, then for each section
 *     varint id | u8 1 if a reader that does not know it may ignore it | varint offset
 *     | varint stored length
 *
 *   Data and index blocks: see BlockWriter. Values of index blocks: varint offset, varint stored
 *   length of a data block. Values of the top index: the same for the index block and then for the
 *   filter block of a partition; stored length 0 means no filter.
 *
 *   An index entry's key is a separator: (key, trailer) not before the last record of its block
 *   and not after the first record of the next one. Where two user keys meet it is the shortest
 *   prefix of the second that is greater than the first, with the greatest trailer; where versions
 *   of one user key are cut apart it is the last record's own key and trailer.
 * </pre>
 */
final class TableFormat {
  static final long MAGIC = 0x454C4241544C4953L;
  static final int VERSION = 1;
  static final int FOOTER_BYTES = 64;
  static final int BLOCK_TRAILER_BYTES = 12;

  /** Longest raw block: a value that is not stored apart, and some. */
  static final int RAW_BYTES_MAX = (1 << 30) + (1 << 20);

  /** Block types, on disk, never change. */
  static final int DATA = 1;

  static final int INDEX = 2;
  static final int FILTER = 3;
  static final int TOP_INDEX = 4;
  static final int RANGE_TOMBSTONES = 5;
  static final int PROPERTIES = 6;
  static final int SECTIONS = 7;

  private TableFormat() {}

  /** The checksum of a stored block. */
  static int checksum(byte[] block, int offset, int length, long identity, long position) {
    return Crc32c.bind(Crc32c.of(block, offset, length), identity, position);
  }

  /** What binds a block to its file. */
  static long identity(long storeId, long fileNumber) {
    return storeId + fileNumber * 0x9E3779B97F4A7C15L;
  }
}
