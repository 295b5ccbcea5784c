package dev.siltstone.engine.blob;

/**
 * The layout of a blob file.
 *
 * <pre>
 *   header   0   u64   magic "SILTBLOB"
 *            8   u32   format version, 1
 *            12  u32   length of the value, in bytes
 *            16  u64   store id
 *            24  u64   file number
 *            32  u32   CRC-32C of the 32 bytes before
 *   chunks       up to 1 MiB of the value each, the last one shorter, every chunk followed by
 *                u32   CRC-32C of the chunk, bound to file number and offset of the chunk
 * </pre>
 *
 * <p>The length of the file follows from the length of the value. Integers are little-endian.
 */
final class BlobFormat {
  static final long MAGIC = 0x424F4C42544C4953L;
  static final int VERSION = 1;
  static final int HEADER_BYTES = 36;
  static final int CHUNK_BYTES = 1 << 20;
  static final int CHECKSUM_BYTES = 4;

  private BlobFormat() {}

  /** Length of the file of a value. */
  static long fileBytes(int valueLength) {
    long chunks = (valueLength + (long) CHUNK_BYTES - 1) / CHUNK_BYTES;
    return HEADER_BYTES + valueLength + chunks * CHECKSUM_BYTES;
  }
}
