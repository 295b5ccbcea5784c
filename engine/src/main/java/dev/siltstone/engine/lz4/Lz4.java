package dev.siltstone.engine.lz4;

import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.engine.spi.Compressor;
import java.io.IOException;

/**
 * The LZ4 block format, compressor id 1.
 *
 * <pre>
 *   sequence: token | literal length bytes | literals | u16 distance | match length bytes
 *   token     high nibble literals, low nibble match length - 4; 15 is continued by bytes that
 *             are added up to and including the first one below 255
 *   the last sequence ends after its literals; the last 5 bytes are literals, and no match begins
 *   in the last 12
 * </pre>
 *
 * <p>The compressor is greedy: a hash table of the last place of each four bytes, and a step that
 * grows where nothing matches. It allocates its table, 16 KiB, a call. The decompressor checks
 * every length against both ranges before it copies, so any input is safe.
 *
 * <p>Source: the LZ4 block format description, github.com/lz4/lz4, doc/lz4_Block_format.md.
 */
public final class Lz4 implements Compressor {
  private static final int ID = 1;
  private static final int MIN_MATCH = 4;
  private static final int LAST_LITERALS = 5;
  private static final int MATCH_LIMIT = 12;
  private static final int HASH_BITS = 12;
  private static final int DISTANCE_MAX = 0xFFFF;
  private static final int NIBBLE = 15;

  /** The step doubles after so many places without a match, as a power of two. */
  private static final int SKIP_TRIGGER = 6;

  @Override
  public int id() {
    return ID;
  }

  @Override
  public String name() {
    return "lz4";
  }

  @Override
  public int compressedBytesMax(int length) {
    return Math.addExact(length, length / 255 + 16);
  }

  @Override
  public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
    int end = offset + length;
    int matchEnd = end - LAST_LITERALS;
    int searchEnd = end - MATCH_LIMIT;
    int anchor = offset;
    int out = targetOffset;
    int at = offset;
    // Places are kept as distances from the start plus one, so that zero means none.
    int[] table = new int[1 << HASH_BITS];
    int misses = 1 << SKIP_TRIGGER;
    while (at < searchEnd) {
      int bytes = Fixed.getInt(source, at);
      int slot = hash(bytes);
      int match = table[slot] - 1 + offset;
      table[slot] = at - offset + 1;
      if (match < offset || at - match > DISTANCE_MAX || Fixed.getInt(source, match) != bytes) {
        at += misses++ >>> SKIP_TRIGGER;
        continue;
      }
      misses = 1 << SKIP_TRIGGER;
      while (at > anchor && match > offset && source[at - 1] == source[match - 1]) {
        at--;
        match--;
      }
      int matched = MIN_MATCH + matchLength(source, match + MIN_MATCH, at + MIN_MATCH, matchEnd);
      int token = out;
      out = putLiterals(source, anchor, at, target, token);
      out = putMatch(target, token, out, at - match, matched);
      at += matched;
      anchor = at;
      if (at < searchEnd) {
        table[hash(Fixed.getInt(source, at - 2))] = at - 2 - offset + 1;
      }
    }
    return putLiterals(source, anchor, end, target, out) - targetOffset;
  }

  @Override
  public void decompress(
      byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
      throws IOException {
    int end = offset + length;
    int outEnd = targetOffset + targetLength;
    int at = offset;
    int out = targetOffset;
    while (at < end) {
      int token = source[at++] & 0xFF;
      int literals = token >>> 4;
      if (literals == NIBBLE) {
        int more;
        do {
          if (at >= end) {
            throw damaged(at - offset);
          }
          more = source[at++] & 0xFF;
          literals += more;
        } while (more == 255 && literals >= 0);
      }
      if (literals < 0 || literals > end - at || literals > outEnd - out) {
        throw damaged(at - offset);
      }
      if (literals <= 16 && end - at >= 16 && target.length - out >= 16 && outEnd - out >= 16) {
        Fixed.putLong(target, out, Fixed.getLong(source, at));
        Fixed.putLong(target, out + 8, Fixed.getLong(source, at + 8));
      } else {
        System.arraycopy(source, at, target, out, literals);
      }
      at += literals;
      out += literals;
      if (at == end) {
        break;
      }
      if (end - at < 2) {
        throw damaged(at - offset);
      }
      int distance = Fixed.getShort(source, at);
      at += 2;
      int matched = token & NIBBLE;
      if (matched == NIBBLE) {
        int more;
        do {
          if (at >= end) {
            throw damaged(at - offset);
          }
          more = source[at++] & 0xFF;
          matched += more;
        } while (more == 255 && matched >= 0);
      }
      matched += MIN_MATCH;
      if (distance == 0 || distance > out - targetOffset || matched < 0 || matched > outEnd - out) {
        throw damaged(at - offset);
      }
      copyMatch(target, out, distance, matched, outEnd);
      out += matched;
    }
    if (out != outEnd) {
      throw new IOException("LZ4: " + (out - targetOffset) + " bytes instead of " + targetLength);
    }
  }

  /** Copies a match that may overlap what it makes. */
  private static void copyMatch(byte[] target, int out, int distance, int length, int outEnd) {
    int from = out - distance;
    if (distance >= Long.BYTES) {
      int to = out;
      int stop = out + length;
      // Whole longs may run over the match by up to seven bytes, which later output overwrites.
      while (to < stop && outEnd - to >= Long.BYTES) {
        Fixed.putLong(target, to, Fixed.getLong(target, from));
        to += Long.BYTES;
        from += Long.BYTES;
      }
      while (to < stop) {
        target[to++] = target[from++];
      }
    } else {
      for (int i = 0; i < length; i++) {
        target[out + i] = target[from + i];
      }
    }
  }

  private static int hash(int bytes) {
    return (bytes * 0x9E3779B1) >>> (Integer.SIZE - HASH_BITS);
  }

  private static int matchLength(byte[] source, int a, int b, int end) {
    int start = b;
    while (b <= end - Long.BYTES) {
      long difference = Fixed.getLong(source, a) ^ Fixed.getLong(source, b);
      if (difference != 0) {
        return b - start + (Long.numberOfTrailingZeros(difference) >>> 3);
      }
      a += Long.BYTES;
      b += Long.BYTES;
    }
    while (b < end && source[a] == source[b]) {
      a++;
      b++;
    }
    return b - start;
  }

  /** Writes a token and literals; the token's match length is put in by {@link #putMatch}. */
  private static int putLiterals(byte[] source, int from, int to, byte[] target, int out) {
    int literals = to - from;
    int at = out + 1;
    if (literals >= NIBBLE) {
      target[out] = (byte) (NIBBLE << 4);
      at = putLength(target, at, literals - NIBBLE);
    } else {
      target[out] = (byte) (literals << 4);
    }
    System.arraycopy(source, from, target, at, literals);
    return at + literals;
  }

  private static int putMatch(byte[] target, int token, int out, int distance, int matched) {
    Fixed.putShort(target, out, distance);
    int length = matched - MIN_MATCH;
    if (length >= NIBBLE) {
      target[token] |= NIBBLE;
      return putLength(target, out + 2, length - NIBBLE);
    }
    target[token] |= (byte) length;
    return out + 2;
  }

  private static int putLength(byte[] target, int at, int length) {
    int left = length;
    while (left >= 255) {
      target[at++] = (byte) 255;
      left -= 255;
    }
    target[at++] = (byte) left;
    return at;
  }

  private static IOException damaged(int at) {
    return new IOException("LZ4: damaged at offset " + at);
  }
}
