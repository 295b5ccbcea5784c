package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Crc32c;
import java.util.zip.CRC32C;

/** The checksum of a stored block and the first eight bytes of its trailer, bound to its place. */
final class BlockChecksum {
  private static final int TRAILER_BYTES = 8;

  private BlockChecksum() {}

  static int of(byte[] bytes, int length, byte[] trailer, long identity, long position) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    crc.update(trailer, 0, TRAILER_BYTES);
    return Crc32c.bind((int) crc.getValue(), identity, position);
  }

  /** The same where the trailer follows the bytes in one array. */
  static int of(byte[] stored, int length, long identity, long position) {
    return Crc32c.bind(Crc32c.of(stored, 0, length + TRAILER_BYTES), identity, position);
  }
}
