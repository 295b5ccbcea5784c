package dev.siltstone.engine.lz4;

import dev.siltstone.base.bytes.Fixed;

/** Compressed output under construction: writes sequences one after the other. */
final class Sequences {
  private static final int NIBBLE_MAX = 15;
  private static final int MATCH_MIN = 4;

  /** So many literals are copied as two longs where both ranges have room for them. */
  private static final int SHORT_BYTES = 16;

  private final byte[] target;
  private final int limit;
  private int at;

  Sequences(byte[] target, int offset, int bytesMax) {
    this.target = target;
    this.at = offset;
    this.limit = Math.min(target.length, offset + bytesMax);
  }

  /** Where the next byte goes. */
  int at() {
    return at;
  }

  /** Writes literals and a match. After the literals, the source has at least 12 bytes more. */
  void add(byte[] source, int from, int literals, int distance, int matched) {
    byte[] out = target;
    int matchCode = matched - MATCH_MIN;
    int token = at++;
    if (literals < NIBBLE_MAX && limit - at >= SHORT_BYTES && source.length - from >= SHORT_BYTES) {
      out[token] = (byte) (literals << 4 | Math.min(matchCode, NIBBLE_MAX));
      Fixed.putLong(out, at, Fixed.getLong(source, from));
      Fixed.putLong(out, at + Long.BYTES, Fixed.getLong(source, from + Long.BYTES));
    } else {
      out[token] = (byte) (Math.min(literals, NIBBLE_MAX) << 4 | Math.min(matchCode, NIBBLE_MAX));
      if (literals >= NIBBLE_MAX) {
        more(literals - NIBBLE_MAX);
      }
      System.arraycopy(source, from, out, at, literals);
    }
    at += literals;
    Fixed.putShort(out, at, distance);
    at += Short.BYTES;
    if (matchCode >= NIBBLE_MAX) {
      more(matchCode - NIBBLE_MAX);
    }
  }

  /** Writes the last sequence, which has literals only. */
  void last(byte[] source, int from, int literals) {
    target[at++] = (byte) (Math.min(literals, NIBBLE_MAX) << 4);
    if (literals >= NIBBLE_MAX) {
      more(literals - NIBBLE_MAX);
    }
    System.arraycopy(source, from, target, at, literals);
    at += literals;
  }

  private void more(int length) {
    int left = length;
    while (left >= 255) {
      target[at++] = (byte) 255;
      left -= 255;
    }
    target[at++] = (byte) left;
  }
}
