package dev.siltstone.engine.key;

import dev.siltstone.base.bytes.Fixed;

/**
 * The value of a record whose bytes lie in a blob file. On disk, never change.
 *
 * <pre>
 *   0             8              12         16
 *   +-------------+--------------+----------+
 *   | file number | value length | checksum |     little-endian
 *   +-------------+--------------+----------+
 * </pre>
 *
 * <p>The checksum is the CRC-32C of the whole value, so that a blob file of the right number with
 * the wrong content is found out.
 *
 * @param fileNumber number of the blob file, greater than 0
 * @param valueLength length of the value in bytes, at least 0
 * @param checksum bare CRC-32C of the value
 */
public record BlobReference(long fileNumber, int valueLength, int checksum) {
  /** Length of the encoding. */
  public static final int BYTES = 16;

  private static final int VALUE_LENGTH_OFFSET = 8;
  private static final int CHECKSUM_OFFSET = 12;

  /** Checks the ranges. */
  public BlobReference {
    if (fileNumber <= 0 || valueLength < 0) {
      throw new IllegalArgumentException("blob " + fileNumber + " of " + valueLength + " bytes");
    }
  }

  /** Whether the {@link #BYTES} bytes at {@code offset} can be a reference. */
  public static boolean isValid(byte[] source, int offset) {
    return Fixed.getLong(source, offset) > 0
        && Fixed.getInt(source, offset + VALUE_LENGTH_OFFSET) >= 0;
  }

  /** Only the file number of an encoded reference; allocates nothing. */
  public static long fileNumber(byte[] source, int offset) {
    return Fixed.getLong(source, offset);
  }

  /** Decodes a reference for which {@link #isValid} holds. */
  public static BlobReference read(byte[] source, int offset) {
    return new BlobReference(
        Fixed.getLong(source, offset),
        Fixed.getInt(source, offset + VALUE_LENGTH_OFFSET),
        Fixed.getInt(source, offset + CHECKSUM_OFFSET));
  }

  /** Encodes into {@link #BYTES} bytes at {@code offset}. */
  public void write(byte[] target, int offset) {
    Fixed.putLong(target, offset, fileNumber);
    Fixed.putInt(target, offset + VALUE_LENGTH_OFFSET, valueLength);
    Fixed.putInt(target, offset + CHECKSUM_OFFSET, checksum);
  }
}
