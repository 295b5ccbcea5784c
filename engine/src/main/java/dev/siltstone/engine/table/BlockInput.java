package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Fixed;
import java.util.Arrays;

/**
 * Reads the small blocks of a file front to back. No read leaves the range, and no number that
 * stands for an amount is returned unless that amount is there. One thread at a time.
 */
final class BlockInput {
  private final byte[] source;
  private final int end;
  private int at;

  BlockInput(byte[] source, int offset, int length) {
    this.source = source;
    this.at = offset;
    this.end = offset + length;
  }

  boolean atEnd() {
    return at == end;
  }

  int left() {
    return end - at;
  }

  /** A varint of up to 64 bits, in its shortest form. */
  long number() throws BlockStructureException {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      if (at == end) {
        throw new BlockStructureException("a number is cut short");
      }
      long b = source[at++];
      value |= (b & 0x7F) << shift;
      if (b >= 0) {
        if (b == 0 && shift > 0) {
          throw new BlockStructureException("a number that is longer than it need be");
        }
        return value;
      }
    }
    throw new BlockStructureException("a number of more than 10 bytes");
  }

  /** A varint that counts things of at least so many bytes each, which must still follow. */
  int count(int bytesEach) throws BlockStructureException {
    long count = number();
    if (count < 0 || count > left() / bytesEach) {
      throw new BlockStructureException(
          count + " times " + bytesEach + " bytes in " + left() + " bytes");
    }
    return (int) count;
  }

  /** Eight bytes, little-endian. */
  long fixedLong() throws BlockStructureException {
    require(Long.BYTES);
    at += Long.BYTES;
    return Fixed.getLong(source, at - Long.BYTES);
  }

  /** A copy of the next bytes. */
  byte[] bytes(int length) throws BlockStructureException {
    require(length);
    at += length;
    return Arrays.copyOfRange(source, at - length, at);
  }

  /** A copy of all that is left. */
  byte[] rest() throws BlockStructureException {
    return bytes(left());
  }

  /** The next bytes as an input of their own. */
  BlockInput part(int length) throws BlockStructureException {
    require(length);
    at += length;
    return new BlockInput(source, at - length, length);
  }

  private void require(int length) throws BlockStructureException {
    if (length > left()) {
      throw new BlockStructureException(length + " bytes in " + left());
    }
  }
}
