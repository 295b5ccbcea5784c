package dev.siltstone.engine.wal;

import dev.siltstone.base.bytes.Fixed;

/**
 * What a log segment says of the one before it: the payload of its first record, drawn in {@link
 * LogFormat}.
 *
 * @param predecessor number of the preceding segment; 0 if there is none
 * @param length offset after the predecessor's last record that counts
 * @param checksum running checksum of the predecessor up to there
 * @param synced offset in the predecessor before which all was durable when this was written; at
 *     most {@code length}
 */
record SegmentHead(long predecessor, long length, long checksum, long synced) {
  /** Length of the payload, in bytes. */
  static final int BYTES = 32;

  /** Bytes of the whole record. */
  static final int RECORD_BYTES = LogFormat.RECORD_HEADER_BYTES + BYTES;

  byte[] encode() {
    byte[] target = new byte[BYTES];
    Fixed.putLong(target, 0, predecessor);
    Fixed.putLong(target, 8, length);
    Fixed.putLong(target, 16, checksum);
    Fixed.putLong(target, 24, synced);
    return target;
  }

  /** Reads {@link #BYTES} bytes whose checksum was verified. */
  static SegmentHead decode(byte[] source, int offset) {
    return new SegmentHead(
        Fixed.getLong(source, offset),
        Fixed.getLong(source, offset + 8),
        Fixed.getLong(source, offset + 16),
        Fixed.getLong(source, offset + 24));
  }
}
