package dev.siltstone.engine.version;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.io.CorruptFileException;
import java.nio.file.Path;

/**
 * Walks the tagged fields of {@link ManifestFormat}. Every length is checked against the bytes that
 * are there before it is used.
 */
final class FieldReader {
  private final Path file;
  private final byte[] bytes;
  private int at;
  private final int limit;

  /** Reads {@code bytes[from, to)}; offsets in the array are offsets in the file. */
  FieldReader(Path file, byte[] bytes, int from, int to) {
    this.file = file;
    this.bytes = bytes;
    this.at = from;
    this.limit = to;
  }

  /** A second reader of what is left here. */
  FieldReader again() {
    return new FieldReader(file, bytes, at, limit);
  }

  boolean hasMore() {
    return at < limit;
  }

  int offset() {
    return at;
  }

  /** The tag of the next field; {@link #value} must follow. */
  int tag() throws CorruptFileException {
    if (at >= limit) {
      throw corrupt("a field ends early");
    }
    return bytes[at++] & 0xFF;
  }

  /** The value of a field, to be read by a reader of its own. */
  FieldReader value() throws CorruptFileException {
    int length = count("length");
    int from = at;
    at += length;
    return new FieldReader(file, bytes, from, at);
  }

  /** The rest of this reader as one number, and nothing after it. */
  long onlyNumber() throws CorruptFileException {
    long value = varint();
    end();
    return value;
  }

  /** A number that is not negative. */
  long varint() throws CorruptFileException {
    long value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      if (at >= limit) {
        throw corrupt("a number ends early");
      }
      long b = bytes[at++];
      value |= (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw corrupt("a number is too long");
  }

  /** A number in [0, max]. */
  int varint(int max, String what) throws CorruptFileException {
    long value = varint();
    if (value > max) {
      throw corrupt(what + " is " + value + ", at most " + max);
    }
    return (int) value;
  }

  /** Bytes after their length. */
  byte[] sized() throws CorruptFileException {
    int length = count("length");
    at += length;
    return Bytes.copy(bytes, at - length, length);
  }

  /** All bytes that are left. */
  byte[] rest() {
    int from = at;
    at = limit;
    return Bytes.copy(bytes, from, limit - from);
  }

  /** Checks that nothing is left. */
  void end() throws CorruptFileException {
    if (at != limit) {
      throw corrupt(limit - at + " bytes too many in a field");
    }
  }

  CorruptFileException corrupt(String what) {
    return new CorruptFileException(file, at, what);
  }

  Path file() {
    return file;
  }

  /** A length that fits what is left. */
  private int count(String what) throws CorruptFileException {
    long value = varint();
    if (value > limit - at) {
      throw corrupt(what + " " + value + " in a place of " + (limit - at) + " bytes");
    }
    return (int) value;
  }
}
