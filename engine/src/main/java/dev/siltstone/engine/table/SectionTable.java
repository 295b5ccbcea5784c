package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Varint;
import java.util.Arrays;

/** Builds the section table of a file. */
final class SectionTable {
  private byte[] body = new byte[64];
  private int length;
  private int count;

  void add(int id, boolean mayIgnore, BlockOutput.Stored stored) {
    if (body.length - length < 4 * Varint.LONG_BYTES_MAX) {
      body = Arrays.copyOf(body, 2 * body.length);
    }
    length = Varint.put(body, length, id);
    body[length++] = (byte) (mayIgnore ? 1 : 0);
    length = Varint.put(body, length, stored.offset());
    length = Varint.put(body, length, stored.length());
    count++;
  }

  byte[] encode() {
    byte[] encoded = new byte[Varint.length(count) + length];
    int at = Varint.put(encoded, 0, count);
    System.arraycopy(body, 0, encoded, at, length);
    return encoded;
  }
}
