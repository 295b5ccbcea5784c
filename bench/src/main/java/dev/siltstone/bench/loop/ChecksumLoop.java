package dev.siltstone.bench.loop;

import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.bench.work.Keys;
import dev.siltstone.bench.work.Values;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Checksums of blocks and of log records, and hashes of keys. */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first.
public class ChecksumLoop {
  private static final int BLOCK_BYTES = 16 << 10;
  private static final int RECORD_BYTES = 128;

  private byte[] bytes;
  private byte[] key;

  /** Makes the bytes. */
  @Setup
  public void setUp() {
    bytes = new Values(BLOCK_BYTES).value(1, 0);
    key = Keys.key(1);
  }

  /** CRC32C of a block of 16 KiB. */
  @Benchmark
  public int crcOfBlock() {
    return Crc32c.of(bytes, 0, BLOCK_BYTES);
  }

  /** CRC32C of a log record of 128 bytes. */
  @Benchmark
  public int crcOfRecord() {
    return Crc32c.of(bytes, 0, RECORD_BYTES);
  }

  /** Hash of a key of 16 bytes. */
  @Benchmark
  public long hashOfKey() {
    return Hash64.of(key, 0, key.length);
  }
}
