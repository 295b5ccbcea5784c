package dev.siltstone.engine.table;

import dev.siltstone.engine.spi.Compressor;
import org.jspecify.annotations.Nullable;

/**
 * How a table file is written.
 *
 * @param blockBytes raw size at which a data block is ended
 * @param partitionBytes size at which an index block, and the partition with it, is ended
 * @param filterBitsPerKey bits of the filter for each key, 0 for no filter
 * @param compressor for data blocks; {@code null} for none
 */
public record TableWriterOptions(
    int blockBytes, int partitionBytes, int filterBitsPerKey, @Nullable Compressor compressor) {
  /** Size of an index block unless stated otherwise. */
  public static final int PARTITION_BYTES = 16 << 10;

  /** The usual form, with index blocks of the usual size. */
  public static TableWriterOptions of(
      int blockBytes, int filterBitsPerKey, @Nullable Compressor compressor) {
    return new TableWriterOptions(blockBytes, PARTITION_BYTES, filterBitsPerKey, compressor);
  }
}
