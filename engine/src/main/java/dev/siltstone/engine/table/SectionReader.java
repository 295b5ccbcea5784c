package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import java.io.IOException;

/** Reads the varints and byte strings of a section; every length is checked first. */
final class SectionReader {
  private final byte[] source;
  private final int end;
  private int at;

  SectionReader(byte[] source, int offset, int length) {
    this.source = source;
    this.at = offset;
    this.end = offset + length;
  }

  boolean atEnd() {
    return at == end;
  }

  /** A varint of at most 63 bits. */
  long number() throws IOException {
    long value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      if (at >= end) {
        throw new IOException("number cut off at " + at);
      }
      long b = source[at++];
      value |= (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new IOException("number too long at " + at);
  }

  /** A number of things that take at least a byte each. */
  int count() throws IOException {
    long count = number();
    if (count > end - at) {
      throw new IOException(count + " items in " + (end - at) + " bytes at " + at);
    }
    return (int) count;
  }

  /** A byte string with its length in front. */
  byte[] bytes() throws IOException {
    int length = count();
    byte[] bytes = Bytes.copy(source, at, length);
    at += length;
    return bytes;
  }

  void requireEnd() throws IOException {
    if (at != end) {
      throw new IOException((end - at) + " bytes too many");
    }
  }
}
