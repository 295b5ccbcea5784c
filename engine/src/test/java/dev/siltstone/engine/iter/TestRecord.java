package dev.siltstone.engine.iter;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.key.Trailer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A record as tests hold it. Ordered in internal order. */
public record TestRecord(byte[] key, long trailer, byte[] value) implements Comparable<TestRecord> {

  /** A record with a text as its key and an empty value. */
  public static TestRecord of(String key, long time, int kind) {
    return new TestRecord(
        key.getBytes(StandardCharsets.UTF_8), Trailer.of(time, kind), Bytes.EMPTY);
  }

  /** The hybrid time. */
  public long time() {
    return Trailer.time(trailer);
  }

  /** The kind byte. */
  public int kind() {
    return Trailer.kind(trailer);
  }

  @Override
  public int compareTo(TestRecord that) {
    int order = Bytes.compare(key, that.key);
    return order != 0 ? order : Long.compareUnsigned(that.trailer, trailer);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TestRecord that
        && compareTo(that) == 0
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(key) * 31 + Long.hashCode(trailer);
  }

  @Override
  public String toString() {
    return Bytes.hex(key)
        + "@"
        + time()
        + "/"
        + Integer.toHexString(kind())
        + "="
        + Bytes.hex(value);
  }
}
