package dev.siltstone.engine;

import java.util.UUID;

/**
 * Turns values of a type into bytes and back, for the keys and values of {@link Tree#asMap}.
 *
 * <p>Equal values have equal bytes, and other values other bytes; {@code decode(encode(v))} equals
 * {@code v}. A codec of keys also decides their order, which is that of the bytes, unsigned.
 * Implementations are safe for concurrent use.
 *
 * @param <T> the type; {@code null} is never given
 */
public interface Codec<T> {
  /**
   * The bytes of a value: 0 to 65,536 for a key, 0 to 2^30 for a value. The array is not changed
   * afterwards by either side.
   *
   * @throws IllegalArgumentException if the value has none
   */
  byte[] encode(T value);

  /**
   * The value of bytes that {@link #encode} has made. The array is the codec's to keep.
   *
   * @throws IllegalArgumentException if it has not made them
   */
  T decode(byte[] bytes);

  /** Bytes as they are, copied both ways; ordered as unsigned bytes. */
  static Codec<byte[]> bytes() {
    return Codecs.BYTES;
  }

  /**
   * Text in UTF-8, ordered by code points. That is the order of {@link String#compareTo} but for
   * characters beyond U+FFFF, which come last here. Half a surrogate pair is refused.
   */
  static Codec<String> string() {
    return Codecs.STRING;
  }

  /** Four bytes, big-endian with the sign turned, so that the order is that of the numbers. */
  static Codec<Integer> int32() {
    return Codecs.INT32;
  }

  /** Eight bytes, big-endian with the sign turned, so that the order is that of the numbers. */
  static Codec<Long> int64() {
    return Codecs.INT64;
  }

  /** Sixteen bytes, big-endian: the order of the text form, not that of {@link UUID#compareTo}. */
  static Codec<UUID> uuid() {
    return Codecs.UUIDS;
  }
}
