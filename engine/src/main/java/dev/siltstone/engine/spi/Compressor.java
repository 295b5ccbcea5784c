package dev.siltstone.engine.spi;

import java.io.IOException;

/**
 * A block compressor. The id is written with every block it has compressed, so an id never changes
 * its meaning: 0 none, 1 LZ4 block format, 2 ZSTD; 3..127 are reserved, 128..255 are free for
 * applications.
 *
 * <p>Implementations are safe for concurrent use. What {@link #compress} throws fails the
 * compaction, and the tree is not compacted until the store is opened again; what {@link
 * #decompress} throws counts as damage of the block, but for a {@link LinkageError}, which says
 * that this process cannot decompress at all.
 */
public interface Compressor {

  /** The persisted id, 1..255. */
  int id();

  /** The name in options and statistics: 1 to 16 letters a-z and digits, not {@code none}. */
  String name();

  /** Upper bound of the compressed size of {@code length} bytes. */
  int compressedBytesMax(int length);

  /**
   * Compresses a range into {@code target} from {@code targetOffset} on, where at least {@link
   * #compressedBytesMax} bytes are free.
   *
   * @return compressed length in bytes
   */
  int compress(byte[] source, int offset, int length, byte[] target, int targetOffset);

  /**
   * Decompresses a range. Whatever the source bytes are, nothing outside the two ranges is touched.
   *
   * @param targetLength the exact decompressed length
   * @throws IOException if the source is not a valid compression of exactly {@code targetLength}
   *     bytes
   */
  void decompress(
      byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
      throws IOException;
}
