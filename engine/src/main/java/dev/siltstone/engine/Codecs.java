package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Objects;
import java.util.UUID;

/** The codecs that come with the engine. */
final class Codecs {
  static final Codec<byte[]> BYTES = new BytesCodec();
  static final Codec<String> STRING = new StringCodec();
  static final Codec<Integer> INT32 = new IntCodec();
  static final Codec<Long> INT64 = new LongCodec();
  static final Codec<UUID> UUIDS = new UuidCodec();

  private Codecs() {}

  private static ByteBuffer exactly(byte[] bytes, int length, String what) {
    Objects.requireNonNull(bytes, "bytes");
    if (bytes.length != length) {
      throw new IllegalArgumentException(what + " of " + bytes.length + " bytes: " + length);
    }
    return ByteBuffer.wrap(bytes);
  }

  private static final class BytesCodec implements Codec<byte[]> {
    @Override
    public byte[] encode(byte[] value) {
      Objects.requireNonNull(value, "value");
      return value.clone();
    }

    @Override
    public byte[] decode(byte[] bytes) {
      return Objects.requireNonNull(bytes, "bytes");
    }
  }

  private static final class StringCodec implements Codec<String> {
    @Override
    public byte[] encode(String value) {
      Objects.requireNonNull(value, "value");
      try {
        // A new encoder reports what it cannot encode; String.getBytes would replace it.
        ByteBuffer encoded = UTF_8.newEncoder().encode(CharBuffer.wrap(value));
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return bytes;
      } catch (CharacterCodingException e) {
        throw new IllegalArgumentException("text with half a surrogate pair", e);
      }
    }

    @Override
    public String decode(byte[] bytes) {
      Objects.requireNonNull(bytes, "bytes");
      try {
        return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      } catch (CharacterCodingException e) {
        throw new IllegalArgumentException(bytes.length + " bytes that are not UTF-8", e);
      }
    }
  }

  private static final class IntCodec implements Codec<Integer> {
    @Override
    public byte[] encode(Integer value) {
      Objects.requireNonNull(value, "value");
      return ByteBuffer.allocate(Integer.BYTES).putInt(value ^ Integer.MIN_VALUE).array();
    }

    @Override
    public Integer decode(byte[] bytes) {
      return exactly(bytes, Integer.BYTES, "int").getInt() ^ Integer.MIN_VALUE;
    }
  }

  private static final class LongCodec implements Codec<Long> {
    @Override
    public byte[] encode(Long value) {
      Objects.requireNonNull(value, "value");
      return ByteBuffer.allocate(Long.BYTES).putLong(value ^ Long.MIN_VALUE).array();
    }

    @Override
    public Long decode(byte[] bytes) {
      return exactly(bytes, Long.BYTES, "long").getLong() ^ Long.MIN_VALUE;
    }
  }

  private static final class UuidCodec implements Codec<UUID> {
    @Override
    public byte[] encode(UUID value) {
      Objects.requireNonNull(value, "value");
      return ByteBuffer.allocate(2 * Long.BYTES)
          .putLong(value.getMostSignificantBits())
          .putLong(value.getLeastSignificantBits())
          .array();
    }

    @Override
    public UUID decode(byte[] bytes) {
      ByteBuffer in = exactly(bytes, 2 * Long.BYTES, "UUID");
      return new UUID(in.getLong(), in.getLong());
    }
  }
}
