package dev.siltstone.engine.table;

/**
 * The layout of a table file, format version 1. All fixed integers are little-endian.
 *
 * <pre>
 *   file      data block ... filter block, index block | data block ... filter block, index block
 *             | ... | top index block | range tombstone block | properties block | section table
 *             | footer
 *
 *   block     stored bytes | trailer
 *   trailer    0  u8   compression id; 0 none
 *              1  u8   block type
 *              2  u32  raw length: bytes after decompression
 *              6  u32  CRC32C of stored bytes and trailer bytes 0..5, bound to the identity of the
 *                      file and the offset of the block
 *
 *   handle    varint offset | varint stored length, trailer not counted
 *
 *   footer     0  u64  offset of the section table
 *              8  u32  stored length of the section table
 *             12  u32  format version
 *             16  u64  store id
 *             24  u64  file number
 *             32  u64  length of the file
 *             40  u32  feature bits that a reader must know; bit 0: the records have no
 *                      times of their own, the properties have one for all
 *             44  u32  0
 *             48  u32  CRC32C of bytes 0..47, bound like a block's
 *             52  u32  0
 *             56  u64  magic
 *
 *   section table, for each section:
 *              0  u16  id
 *              2  u16  version of the section's layout
 *              4  u32  flags; bit 0: a reader that does not know the section may ignore it
 *              8  u64  offset of its block
 *             16  u32  stored length of its block
 *             20  u32  0
 * </pre>
 *
 * <p>Data, index and top index blocks are record blocks, drawn in {@link Block}. A
 * <em>partition</em> is a run of data blocks with one index block for them and one filter block of
 * their keys. An index block maps separators to handles of data blocks, the top index maps the last
 * separator of a partition to two handles: index block, filter block. A handle of length 0 stands
 * for no filter.
 *
 * <p>A separator is a record (key, trailer) that is not before the last record of its block and
 * before the first record of the next block, in internal order. Its key is the shortest such key.
 * Its trailer is 0 unless the versions of one key go on in the next block: then it is the last
 * record's own.
 */
public final class TableFormat {
  /** The last eight bytes of a table file: the text "SILTTABL". On disk, never change. */
  public static final long MAGIC = 0x4C42_4154_544C_4953L;

  /** The version of this layout. */
  public static final int VERSION = 1;

  /** Length of the footer. */
  public static final int FOOTER_BYTES = 64;

  /** Longest key, in bytes. */
  public static final int KEY_BYTES_MAX = 1 << 16;

  /** Longest value, in bytes. */
  public static final int VALUE_BYTES_MAX = 1 << 30;

  static final int FOOTER_SECTIONS_OFFSET = 0;
  static final int FOOTER_SECTIONS_BYTES = 8;
  static final int FOOTER_VERSION = 12;
  static final int FOOTER_STORE_ID = 16;
  static final int FOOTER_FILE_NUMBER = 24;
  static final int FOOTER_FILE_BYTES = 32;
  static final int FOOTER_FEATURES = 40;
  static final int FOOTER_CRC = 48;
  static final int FOOTER_MAGIC = 56;

  /** All times in the blocks are 0; the true one is the time base of the properties. */
  static final int FEATURE_UNDATED = 1;

  static final int TRAILER_BYTES = 10;
  static final int TRAILER_TYPE = 1;
  static final int TRAILER_RAW_BYTES = 2;
  static final int TRAILER_CRC = 6;

  /** Longest raw block: one value and key of the greatest length, and the block around them. */
  static final int RAW_BYTES_MAX = VALUE_BYTES_MAX + KEY_BYTES_MAX + 1024;

  static final int NOT_COMPRESSED = 0;

  // Block types. On disk, never change.
  static final int DATA = 1;
  static final int INDEX = 2;
  static final int TOP_INDEX = 3;
  static final int FILTER = 4;
  static final int RANGE_TOMBSTONES = 5;
  static final int PROPERTIES = 6;
  static final int SECTIONS = 7;

  static final int SECTION_BYTES = 24;
  static final int SECTION_VERSION = 1;
  static final int SECTION_MAY_IGNORE = 1;

  // Section ids. On disk, never change.
  static final int TOP_INDEX_SECTION = 1;
  static final int RANGE_TOMBSTONES_SECTION = 2;
  static final int PROPERTIES_SECTION = 3;

  private TableFormat() {}

  /**
   * What checksums of a file are bound to. The factor spreads file numbers, so that no two files of
   * a store, nor of two stores, have the same identity by a coincidence of small numbers.
   */
  static long identity(long storeId, long fileNumber) {
    return storeId ^ fileNumber * 0x9E37_79B9_7F4A_7C15L;
  }

  /** The name of a block type, for messages. */
  static String typeName(int type) {
    return switch (type) {
      case DATA -> "data";
      case INDEX -> "index";
      case TOP_INDEX -> "top index";
      case FILTER -> "filter";
      case RANGE_TOMBSTONES -> "range tombstone";
      case PROPERTIES -> "properties";
      case SECTIONS -> "section table";
      default -> "unknown (" + type + ")";
    };
  }
}
