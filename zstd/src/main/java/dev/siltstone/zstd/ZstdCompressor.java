package dev.siltstone.zstd;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import dev.siltstone.engine.spi.Compressor;
import java.io.IOException;
import java.util.Objects;

/**
 * Zstandard, compressor id 2, name {@code zstd}: blocks become smaller than with LZ4, for more time
 * of compactions and of reads that miss the cache. A block is one frame, without a checksum, since
 * blocks have their own.
 *
 * <p>The work is done by the native library in zstd-jni, which is unpacked and loaded at the first
 * use; a {@link LinkageError} says that this machine cannot. Run with {@code
 * --enable-native-access=ALL-UNNAMED} to have the JVM load it without a warning.
 *
 * <p>Safe for concurrent use. Source: RFC 8878.
 */
public final class ZstdCompressor implements Compressor {
  /** On disk, never change. */
  public static final int ID = 2;

  /** The name in options. */
  public static final String NAME = "zstd";

  /** The level of the command of the same name. */
  public static final int LEVEL_DEFAULT = 3;

  /** The highest level. */
  public static final int LEVEL_MAX = 22;

  private final int level;

  /** Compresses with {@link #LEVEL_DEFAULT}. */
  public ZstdCompressor() {
    this(LEVEL_DEFAULT);
  }

  /**
   * Compresses with a level. Files that were written with another are read all the same, at about
   * the same speed.
   *
   * @param level 1 (fastest) to 22 (smallest)
   */
  public ZstdCompressor(int level) {
    if (level < 1 || level > LEVEL_MAX) {
      throw new IllegalArgumentException("level " + level + ": 1 to " + LEVEL_MAX);
    }
    this.level = level;
  }

  @Override
  public int id() {
    return ID;
  }

  @Override
  public String name() {
    return NAME;
  }

  /** The formula of {@code ZSTD_compressBound}. */
  @Override
  public int compressedBytesMax(int length) {
    int small = 128 << 10;
    int margin = length < small ? (small - length) >>> 11 : 0;
    return Math.addExact(length, (length >>> 8) + margin);
  }

  @Override
  public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
    Objects.checkFromIndexSize(offset, length, source.length);
    int room = compressedBytesMax(length);
    Objects.checkFromIndexSize(targetOffset, room, target.length);
    return Math.toIntExact(
        Zstd.compressByteArray(target, targetOffset, room, source, offset, length, level));
  }

  @Override
  public void decompress(
      byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
      throws IOException {
    // Checked here, since the native code would not.
    Objects.checkFromIndexSize(offset, length, source.length);
    Objects.checkFromIndexSize(targetOffset, targetLength, target.length);
    long found;
    try {
      found = Zstd.decompressByteArray(target, targetOffset, targetLength, source, offset, length);
    } catch (ZstdException e) {
      throw new IOException(
          "no Zstandard frame of " + targetLength + " bytes: " + e.getMessage(), e);
    }
    if (found != targetLength) {
      throw new IOException(
          "a Zstandard frame of " + found + " bytes, " + targetLength + " expected");
    }
  }
}
