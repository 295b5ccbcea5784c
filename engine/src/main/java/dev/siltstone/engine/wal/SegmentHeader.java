package dev.siltstone.engine.wal;

import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.UnsupportedFileException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The first 64 bytes of a file of log records. On disk, never change; the place of the checksum
 * holds for all later versions too.
 *
 * <pre>
 *    0  8  magic: what the file is for ({@link LogKind})
 *    8  4  format version
 *   12  4  zero
 *   16  8  store id
 *   24  8  number of the file
 *   32  8  unique id
 *   40  8  capacity
 *   48 12  zero
 *   60  4  CRC32C of bytes 0 .. 60
 * </pre>
 *
 * <p>A file gets its true name only after its header is durable. A file with a true name and a bad
 * header is therefore damaged, never half-made.
 *
 * @param kind what the file is for
 * @param storeId the random id of the store; a file of another store is told by it
 * @param number the number in the file's name; a renamed file is told by it
 * @param uniqueId random; what the checksums of the records are bound to
 * @param capacity exact length of the file in bytes, or 0 for a file that grows
 */
public record SegmentHeader(LogKind kind, long storeId, long number, long uniqueId, int capacity) {
  /** Length of a header, in bytes. */
  public static final int BYTES = 64;

  private static final int VERSION_AT = 8;
  private static final int STORE_AT = 16;
  private static final int NUMBER_AT = 24;
  private static final int UNIQUE_AT = 32;
  private static final int CAPACITY_AT = 40;
  private static final int CHECKSUM_AT = 60;

  /** The bytes of this header. */
  public byte[] encode() {
    byte[] target = new byte[BYTES];
    Fixed.putLong(target, 0, kind.code());
    Fixed.putInt(target, VERSION_AT, LogFormat.VERSION);
    Fixed.putLong(target, STORE_AT, storeId);
    Fixed.putLong(target, NUMBER_AT, number);
    Fixed.putLong(target, UNIQUE_AT, uniqueId);
    Fixed.putLong(target, CAPACITY_AT, capacity);
    Fixed.putInt(target, CHECKSUM_AT, Crc32c.of(target, 0, CHECKSUM_AT));
    return target;
  }

  /**
   * Reads the header of a file.
   *
   * @param source the first bytes of the file
   * @param length how many there are
   * @param fileBytes length of the whole file
   * @throws CorruptFileException if the header is damaged or the file is shorter or longer than it
   *     says
   * @throws UnsupportedFileException if the header is intact and of a newer version
   */
  static SegmentHeader decode(LogKind kind, Path file, byte[] source, int length, long fileBytes)
      throws CorruptFileException, UnsupportedFileException {
    if (length < BYTES) {
      throw new CorruptFileException(
          file, length, "the file ends within its header of " + BYTES + " bytes");
    }
    if (Fixed.getLong(source, 0) != kind.code()) {
      throw new CorruptFileException(
          file,
          0,
          "the magic is "
              + Long.toHexString(Fixed.getLong(source, 0))
              + ", not "
              + Long.toHexString(kind.code()));
    }
    int found = Fixed.getInt(source, CHECKSUM_AT);
    int expected = Crc32c.of(source, 0, CHECKSUM_AT);
    if (found != expected) {
      throw new CorruptFileException(
          file,
          0,
          "checksum of the header is "
              + Integer.toHexString(found)
              + ", its bytes give "
              + Integer.toHexString(expected));
    }
    int version = Fixed.getInt(source, VERSION_AT);
    if (version != LogFormat.VERSION) {
      throw new UnsupportedFileException(
          file + ": log format version " + version + ", known is " + LogFormat.VERSION);
    }
    long capacity = Fixed.getLong(source, CAPACITY_AT);
    if (fileBytes > LogFormat.FILE_BYTES_MAX || (capacity != 0 && fileBytes != capacity)) {
      throw new CorruptFileException(
          file,
          Math.min(fileBytes, capacity),
          "the file has " + fileBytes + " bytes, its header says " + capacity);
    }
    return fields(kind, source);
  }

  /**
   * What {@link #BYTES} bytes say, damaged or not. If one byte is wrong, the checksum tells which
   * it is, and how it was: then the header is what was written.
   */
  static SegmentHeader unchecked(LogKind kind, byte[] bytes) {
    byte[] source = Arrays.copyOf(bytes, BYTES);
    int expected = Fixed.getInt(source, CHECKSUM_AT);
    for (int at = 0; at < CHECKSUM_AT; at++) {
      byte found = source[at];
      for (int change = 0; change < 256; change++) {
        source[at] = (byte) (found ^ change);
        if (Crc32c.of(source, 0, CHECKSUM_AT) == expected) {
          return fields(kind, source);
        }
      }
      source[at] = found;
    }
    return fields(kind, source);
  }

  private static SegmentHeader fields(LogKind kind, byte[] source) {
    return new SegmentHeader(
        kind,
        Fixed.getLong(source, STORE_AT),
        Fixed.getLong(source, NUMBER_AT),
        Fixed.getLong(source, UNIQUE_AT),
        (int) Fixed.getLong(source, CAPACITY_AT));
  }
}
