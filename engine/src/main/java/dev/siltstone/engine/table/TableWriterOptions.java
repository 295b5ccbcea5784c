package dev.siltstone.engine.table;

import dev.siltstone.engine.spi.Compressor;
import org.jspecify.annotations.Nullable;

/**
 * How a table file is built. Readers need to know nothing of it.
 *
 * @param blockBytes raw length that a data block should reach, 256 bytes to 1 MiB; one larger
 *     record makes a larger block
 * @param partitionBytes raw length at which an index block ends, 64 bytes to 1 MiB
 * @param filterBitsPerKey of Bloom filters, 0 (no filters) to 16
 * @param fuseFilters whether filters are binary fuse filters: 9 bits a key whatever is said above,
 *     fewer false positives, slower to build
 * @param compressor for data blocks; {@code null} for none
 * @param level that the file is written to; kept in the properties
 * @param creationTime hybrid time at which the file is made; kept in the properties
 * @param tree that the file belongs to; kept in the properties, {@code null} to leave it out
 */
public record TableWriterOptions(
    int blockBytes,
    int partitionBytes,
    int filterBitsPerKey,
    boolean fuseFilters,
    @Nullable Compressor compressor,
    int level,
    long creationTime,
    @Nullable TableTree tree) {

  private static final int BLOCK_BYTES = 16 << 10;
  private static final int PARTITION_BYTES = 24 << 10;
  private static final int FILTER_BITS_PER_KEY = 10;
  private static final int FILTER_BITS_PER_KEY_MAX = 16;
  private static final int BLOCK_BYTES_MIN = 256;
  private static final int PARTITION_BYTES_MIN = 64;
  private static final int BYTES_MAX = 1 << 20;

  /** Checks the ranges. */
  public TableWriterOptions {
    check("block bytes", blockBytes, BLOCK_BYTES_MIN, BYTES_MAX);
    check("partition bytes", partitionBytes, PARTITION_BYTES_MIN, BYTES_MAX);
    check("filter bits per key", filterBitsPerKey, 0, FILTER_BITS_PER_KEY_MAX);
    check("level", level, 0, 255);
  }

  private static void check(String what, int value, int least, int greatest) {
    if (value < least || value > greatest) {
      throw new IllegalArgumentException(what + " " + value + " not in " + least + ".." + greatest);
    }
  }

  /** Blocks of 16 KiB, Bloom filters of 10 bits a key, no compression, level 0. */
  public static TableWriterOptions defaults() {
    return of(BLOCK_BYTES, FILTER_BITS_PER_KEY, null);
  }

  /** The defaults but for what is given. */
  public static TableWriterOptions of(
      int blockBytes, int filterBitsPerKey, @Nullable Compressor compressor) {
    return new TableWriterOptions(
        blockBytes, PARTITION_BYTES, filterBitsPerKey, false, compressor, 0, 0, null);
  }

  /** Another target length of data blocks. */
  public TableWriterOptions withBlockBytes(int bytes) {
    return new TableWriterOptions(
        bytes,
        partitionBytes,
        filterBitsPerKey,
        fuseFilters,
        compressor,
        level,
        creationTime,
        tree);
  }

  /** Another length of index blocks. */
  public TableWriterOptions withPartitionBytes(int bytes) {
    return new TableWriterOptions(
        blockBytes, bytes, filterBitsPerKey, fuseFilters, compressor, level, creationTime, tree);
  }

  /** Other filters. */
  public TableWriterOptions withFilters(int bitsPerKey, boolean fuse) {
    return new TableWriterOptions(
        blockBytes, partitionBytes, bitsPerKey, fuse, compressor, level, creationTime, tree);
  }

  /** Another compressor, or none. */
  public TableWriterOptions withCompressor(@Nullable Compressor other) {
    return new TableWriterOptions(
        blockBytes,
        partitionBytes,
        filterBitsPerKey,
        fuseFilters,
        other,
        level,
        creationTime,
        tree);
  }

  /** What the properties say of where and when the file was made. */
  public TableWriterOptions withOrigin(int madeForLevel, long madeAt) {
    return new TableWriterOptions(
        blockBytes,
        partitionBytes,
        filterBitsPerKey,
        fuseFilters,
        compressor,
        madeForLevel,
        madeAt,
        tree);
  }

  /** Which tree the file belongs to, as the properties say. */
  public TableWriterOptions withTree(@Nullable TableTree of) {
    return new TableWriterOptions(
        blockBytes,
        partitionBytes,
        filterBitsPerKey,
        fuseFilters,
        compressor,
        level,
        creationTime,
        of);
  }
}
