package dev.siltstone.base.bytes;

import java.util.zip.CRC32C;

/**
 * CRC-32C (Castagnoli, RFC 3720 section 12.1), the checksum of every block and record on disk.
 *
 * <p>A checksum is bound to its place by {@link #bind}: bytes that were read from another file or
 * another offset then fail like damaged ones.
 */
public final class Crc32c {
  private Crc32c() {}

  /** The checksum of a range. */
  public static int of(byte[] source, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(source, offset, length);
    return (int) crc.getValue();
  }

  /**
   * Mixes a place into a checksum. The result is stored instead of the bare checksum; a reader
   * computes it anew from the bytes and from where it believes to read.
   *
   * @param checksum a bare checksum
   * @param identity what names the file: a random number or a file number
   * @param position the offset within the file
   */
  public static int bind(int checksum, long identity, long position) {
    long mixed = (identity ^ Long.rotateLeft(position, 32)) * 0x9E3779B97F4A7C15L;
    mixed ^= mixed >>> 29;
    mixed = (mixed + position) * 0xBF58476D1CE4E5B9L;
    return checksum ^ (int) (mixed >>> 32) ^ (int) mixed;
  }
}
