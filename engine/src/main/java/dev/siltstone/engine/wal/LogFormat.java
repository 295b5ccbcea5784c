package dev.siltstone.engine.wal;

import dev.siltstone.base.bytes.Fixed;

/**
 * The bytes of a log file: a header ({@link SegmentHeader}), then records without gaps, each at an
 * offset divisible by eight. All numbers little-endian. On disk, never change.
 *
 * <pre>
 *   record
 *    0  4  checksum: CRC32C of bytes 4 .. 16 + n, bound to (unique id of the file, offset)
 *    4  4  n, length of the payload
 *    8  8  watermark &lt;&lt; 8 | type
 *   16  n  payload
 *       p  zero bytes up to the next offset divisible by eight
 *
 *   payload of a HEAD record ({@link SegmentHead})
 *    0  8  number of the preceding segment; 0 for none
 *    8  8  its final length: the offset after its last record that counts
 *   16  8  its running checksum
 *   24  8  its watermark when this record was written
 * </pre>
 *
 * <p>The <em>watermark</em> is an offset in the same file: all bytes before it were known to be
 * durable when the record was written. It is divisible by eight and at most the record's own
 * offset. A watermark above zero also says that all preceding segments are durable to their end.
 *
 * <p>The <em>running checksum</em> of a file is a hash over the checksums of its records in order.
 *
 * <p>Types from 128 on may be skipped by readers that do not know them; an unknown type below
 * refuses. Type 0 is never written, so that zero bytes are no record.
 *
 * <p>The checksum is bound to the file's random unique id and to the offset, so that what a
 * recycled file held in an earlier life never parses, nor does a record that was moved.
 */
public final class LogFormat {
  /** Version of the layout of headers and records. */
  public static final int VERSION = 1;

  /** Bytes of a record before its payload. */
  public static final int RECORD_HEADER_BYTES = 16;

  /** First record of a log segment: names the predecessor. */
  public static final int HEAD = 1;

  /** A record with the payload of the caller. */
  public static final int DATA = 2;

  /** Types from here on may be skipped by a reader that does not know them. */
  public static final int SKIPPABLE = 128;

  /** A record without payload that only carries a watermark. */
  public static final int MARK = 128;

  /** Longest file of log records, in bytes. */
  public static final int FILE_BYTES_MAX = Integer.MAX_VALUE & -4096;

  /** Longest payload, in bytes: what fits a file of its own beside header, HEAD and MARK. */
  public static final int PAYLOAD_BYTES_MAX = FILE_BYTES_MAX - 4096;

  /** Bytes of a record without payload. */
  static final int MARK_RECORD_BYTES = RECORD_HEADER_BYTES;

  private static final int CHECKED_FROM = 4;
  private static final int LENGTH_AT = 4;
  private static final int WORD_AT = 8;
  private static final int ALIGNMENT_MASK = 7;

  private LogFormat() {}

  /** Bytes of a record in the file, padding included. */
  static int recordBytes(int payloadLength) {
    return (RECORD_HEADER_BYTES + payloadLength + ALIGNMENT_MASK) & ~ALIGNMENT_MASK;
  }

  /** The running checksum after one more record. */
  static long chain(long running, int recordChecksum) {
    return (Long.rotateLeft(running, 5) ^ (recordChecksum & 0xFFFFFFFFL)) * 0x9E3779B97F4A7C15L;
  }

  /** Writes length, type and watermark of a record that starts at {@code target[at]}. */
  static void putFields(byte[] target, int at, int type, long watermark, int length) {
    assert (watermark & ALIGNMENT_MASK) == 0 && type > 0 && type < 256 : watermark + " " + type;
    Fixed.putInt(target, at + LENGTH_AT, length);
    Fixed.putLong(target, at + WORD_AT, watermark << 8 | type);
  }

  /** The payload length of the record at {@code source[at]}; negative in damaged bytes. */
  static int length(byte[] source, int at) {
    return Fixed.getInt(source, at + LENGTH_AT);
  }

  /** The type of the record at {@code source[at]}. */
  static int type(byte[] source, int at) {
    return source[at + WORD_AT] & 0xFF;
  }

  /** The watermark of the record at {@code source[at]}. */
  static long watermark(byte[] source, int at) {
    return Fixed.getLong(source, at + WORD_AT) >>> 8;
  }

  /**
   * Whether the fields at {@code source[at]} can be those of a record that starts at this offset of
   * its file and ends before {@code limit}. Says nothing of the checksum, and cannot be fooled into
   * an offset outside the array.
   */
  static boolean plausible(byte[] source, int at, int limit) {
    // Zero bytes, the usual case in the unused rest of a segment, end here.
    if (limit - at < RECORD_HEADER_BYTES || type(source, at) == 0) {
      return false;
    }
    int length = length(source, at);
    long watermark = watermark(source, at);
    if (length < 0
        || length > limit - at - RECORD_HEADER_BYTES
        || recordBytes(length) > limit - at
        || watermark > at
        || (watermark & ALIGNMENT_MASK) != 0) {
      return false;
    }
    int end = at + RECORD_HEADER_BYTES + length;
    for (int padEnd = at + recordBytes(length); end < padEnd; end++) {
      if (source[end] != 0) {
        return false;
      }
    }
    return true;
  }

  /** Where the bytes under the checksum of the record at {@code at} start. */
  static int checkedFrom(int at) {
    return at + CHECKED_FROM;
  }

  /** The offset after the bytes under the checksum of a record. */
  static int checkedTo(int at, int length) {
    return at + RECORD_HEADER_BYTES + length;
  }
}
