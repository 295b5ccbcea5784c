package dev.siltstone.bench.loop;

import dev.siltstone.bench.work.Values;
import dev.siltstone.engine.lz4.Lz4;
import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** LZ4 on a block of 16 KiB that compresses to about three quarters. */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first.
public class Lz4Loop {
  private static final int BLOCK_BYTES = 16 << 10;

  private final Lz4 lz4 = new Lz4();
  private byte[] plain;
  private byte[] compressed;
  private byte[] target;
  private int compressedBytes;

  /** Makes the block. */
  @Setup
  public void setUp() {
    Values values = new Values(LoopData.VALUE_BYTES);
    plain = new byte[BLOCK_BYTES];
    for (int at = 0; at + LoopData.VALUE_BYTES <= BLOCK_BYTES; at += LoopData.VALUE_BYTES) {
      System.arraycopy(values.value(at, 0), 0, plain, at, LoopData.VALUE_BYTES);
    }
    compressed = new byte[lz4.compressedBytesMax(BLOCK_BYTES)];
    target = new byte[lz4.compressedBytesMax(BLOCK_BYTES)];
    compressedBytes = lz4.compress(plain, 0, BLOCK_BYTES, compressed, 0);
  }

  /** A block in. */
  @Benchmark
  public int compress() {
    return lz4.compress(plain, 0, BLOCK_BYTES, target, 0);
  }

  /** A block out. */
  @Benchmark
  public byte[] decompress() throws IOException {
    lz4.decompress(compressed, 0, compressedBytes, target, 0, BLOCK_BYTES);
    return target;
  }
}
