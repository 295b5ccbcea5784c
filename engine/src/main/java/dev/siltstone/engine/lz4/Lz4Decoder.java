package dev.siltstone.engine.lz4;

import dev.siltstone.base.bytes.Fixed;
import java.io.IOException;
import java.util.Arrays;

/**
 * Decompresses one block. Short copies move whole longs, and may write behind what they are to
 * write, but never behind the target range; near the ends of the ranges all copies are exact.
 */
final class Lz4Decoder {
  private static final int NIBBLE_MAX = 15;
  private static final int MATCH_MIN = 4;

  /** Literals that a token alone can tell are copied as two longs. */
  private static final int LITERAL_SLACK = 16;

  /** Matches that a token alone can tell, 4 to 18 bytes, are copied as three longs. */
  private static final int MATCH_SLACK = 24;

  /**
   * Copies of medium length go by strides without a loop: a loop over a few longs costs more than
   * its body, and so does the call of a copy.
   */
  private static final int STRIDE = 32;

  private static final long EACH_BYTE = 0x0101_0101_0101_0101L;

  private final byte[] source;
  private final int sourceStart;
  private final int sourceEnd;
  private final byte[] target;
  private final int targetStart;
  private final int targetEnd;

  /** Where the next byte is read; kept here only while a length is read. */
  private int lengthEnd;

  Lz4Decoder(
      byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength) {
    this.source = source;
    this.sourceStart = offset;
    this.sourceEnd = offset + length;
    this.target = target;
    this.targetStart = targetOffset;
    this.targetEnd = targetOffset + targetLength;
  }

  void run() throws IOException {
    byte[] in = source;
    byte[] out = target;
    int inFast = sourceEnd - LITERAL_SLACK - Short.BYTES;
    int outFast = targetEnd - LITERAL_SLACK - MATCH_SLACK;
    int at = sourceStart;
    int to = targetStart;
    while (at < sourceEnd) {
      int token = in[at++];
      int literals = (token >>> 4) & NIBBLE_MAX;
      if (literals < NIBBLE_MAX && at <= inFast && to <= outFast) {
        Fixed.putLong(out, to, Fixed.getLong(in, at));
        Fixed.putLong(out, to + 8, Fixed.getLong(in, at + 8));
      } else {
        if (literals == NIBBLE_MAX) {
          literals += more(at);
          at = lengthEnd;
        }
        copyLiterals(at, to, literals);
      }
      at += literals;
      to += literals;
      if (at == sourceEnd) {
        break;
      }
      if (sourceEnd - at < Short.BYTES) {
        throw damaged("a distance is cut short", at);
      }
      int distance = Fixed.getShort(in, at);
      at += Short.BYTES;
      if (distance == 0 || distance > to - targetStart) {
        throw damaged("distance " + distance, at);
      }
      int matched = token & NIBBLE_MAX;
      if (matched < NIBBLE_MAX && distance >= Long.BYTES && to <= targetEnd - MATCH_SLACK) {
        int from = to - distance;
        Fixed.putLong(out, to, Fixed.getLong(out, from));
        Fixed.putLong(out, to + 8, Fixed.getLong(out, from + 8));
        Fixed.putLong(out, to + 16, Fixed.getLong(out, from + 16));
        to += matched + MATCH_MIN;
        continue;
      }
      if (matched == NIBBLE_MAX) {
        matched += more(at);
        at = lengthEnd;
      }
      matched += MATCH_MIN;
      if (matched > targetEnd - to) {
        throw damaged("match of " + matched + " bytes", at);
      }
      copyMatch(out, to, distance, matched, targetEnd);
      to += matched;
    }
    if (to != targetEnd) {
      throw new IOException(
          "LZ4: "
              + (targetEnd - targetStart)
              + " bytes expected, "
              + (to - targetStart)
              + " found");
    }
  }

  private void copyLiterals(int at, int to, int literals) throws IOException {
    if (literals > sourceEnd - at || literals > targetEnd - to) {
      throw damaged(literals + " literals", at);
    }
    if (literals <= 2 * STRIDE && sourceEnd - at >= 2 * STRIDE && targetEnd - to >= 2 * STRIDE) {
      copyStride(source, at, target, to);
      if (literals > STRIDE) {
        copyStride(source, at + STRIDE, target, to + STRIDE);
      }
    } else {
      System.arraycopy(source, at, target, to, literals);
    }
  }

  /**
   * The sum of the length bytes from a place on; leaves where they end in {@link #lengthEnd}. It is
   * refused when it exceeds the target, and so never overflows.
   */
  private int more(int from) throws IOException {
    int limit = targetEnd - targetStart;
    int sum = 0;
    int at = from;
    while (at < sourceEnd && sum <= limit) {
      int b = source[at++] & 0xFF;
      sum += b;
      if (b != 255) {
        lengthEnd = at;
        return sum;
      }
    }
    throw damaged("length " + sum, from);
  }

  /** Copies a match that may overlap what it makes. The whole match lies within the target. */
  private static void copyMatch(byte[] out, int to, int distance, int length, int limit) {
    int from = to - distance;
    boolean strides = length <= 2 * STRIDE && limit - to >= 2 * STRIDE;
    if (distance == 1) {
      fill(out, to, length, strides);
    } else if (strides && distance >= Long.BYTES) {
      // Longs go in order, and each is read whole before where it goes.
      copyStride(out, from, out, to);
      if (length > STRIDE) {
        copyStride(out, from + STRIDE, out, to + STRIDE);
      }
    } else if (distance >= length) {
      System.arraycopy(out, from, out, to, length);
    } else {
      copyPattern(out, to, distance, to + length, limit);
    }
  }

  private static void copyStride(byte[] in, int at, byte[] out, int to) {
    Fixed.putLong(out, to, Fixed.getLong(in, at));
    Fixed.putLong(out, to + 8, Fixed.getLong(in, at + 8));
    Fixed.putLong(out, to + 16, Fixed.getLong(in, at + 16));
    Fixed.putLong(out, to + 24, Fixed.getLong(in, at + 24));
  }

  /** Repeats the byte before the range. */
  private static void fill(byte[] out, int to, int length, boolean strides) {
    byte value = out[to - 1];
    if (!strides) {
      Arrays.fill(out, to, to + length, value);
      return;
    }
    long eight = (value & 0xFF) * EACH_BYTE;
    fillStride(out, to, eight);
    if (length > STRIDE) {
      fillStride(out, to + STRIDE, eight);
    }
  }

  private static void fillStride(byte[] out, int to, long eight) {
    Fixed.putLong(out, to, eight);
    Fixed.putLong(out, to + 8, eight);
    Fixed.putLong(out, to + 16, eight);
    Fixed.putLong(out, to + 24, eight);
  }

  /** Copies a match that is longer than its distance. */
  private static void copyPattern(byte[] out, int to, int distance, int end, int limit) {
    int at = to;
    int back = distance;
    if (distance < Long.BYTES) {
      // Eight bytes one by one; from then on the pattern repeats at a multiple of the distance that
      // is at least a long.
      int next = Math.min(end, to + Long.BYTES);
      for (; at < next; at++) {
        out[at] = out[at - distance];
      }
      back = distance * ((Long.BYTES + distance - 1) / distance);
    }
    int fastEnd = Math.min(end, limit - Long.BYTES + 1);
    for (; at < fastEnd; at += Long.BYTES) {
      Fixed.putLong(out, at, Fixed.getLong(out, at - back));
    }
    for (; at < end; at++) {
      out[at] = out[at - back];
    }
  }

  private IOException damaged(String what, int at) {
    return new IOException("LZ4: " + what + " before byte " + (at - sourceStart));
  }
}
