package dev.siltstone.engine.version;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Varint;
import java.util.Arrays;

/** Builds the tagged fields of {@link ManifestFormat} in a growing array. */
final class FieldWriter {
  private byte[] bytes = new byte[256];
  private int size;

  /** A field that holds one number. */
  void number(int tag, long value) {
    assert value >= 0 : tag + ": " + value;
    tag(tag, Varint.length(value));
    varint(value);
  }

  /** A field that holds bytes. */
  void bytes(int tag, byte[] value) {
    tag(tag, value.length);
    append(value, value.length);
  }

  /** A field that holds what another writer built. */
  void nested(int tag, FieldWriter value) {
    tag(tag, value.size);
    append(value.bytes, value.size);
  }

  /** A bare number, for the inside of a nested field. */
  void varint(long value) {
    assert value >= 0 : value;
    reserve(Varint.LONG_BYTES_MAX);
    size = Varint.put(bytes, size, value);
  }

  /** Bytes after their length, for the inside of a nested field. */
  void sized(byte[] value) {
    varint(value.length);
    append(value, value.length);
  }

  /** Bytes without a length, for the end of a nested field. */
  void raw(byte[] value) {
    append(value, value.length);
  }

  byte[] toBytes() {
    return Bytes.copy(bytes, 0, size);
  }

  private void tag(int tag, int length) {
    assert tag > 0 && tag < 256 : tag;
    reserve(1 + Varint.INT_BYTES_MAX);
    bytes[size++] = (byte) tag;
    size = Varint.put(bytes, size, length);
  }

  private void append(byte[] source, int length) {
    reserve(length);
    System.arraycopy(source, 0, bytes, size, length);
    size += length;
  }

  private void reserve(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
    }
  }
}
