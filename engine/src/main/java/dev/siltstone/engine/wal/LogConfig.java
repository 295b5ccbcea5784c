package dev.siltstone.engine.wal;

import dev.siltstone.base.io.FileSystem;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * What a log is made of.
 *
 * @param fileSystem where its files are
 * @param directory the directory of the store
 * @param storeId random id of the store
 * @param mapped whether segments are mapped and recycled where the file system allows it; false:
 *     written, as elsewhere
 * @param segmentBytes length that segments grow to, a multiple of 4096 from 4 KiB to 1 GiB; a
 *     larger record gets a segment of its own
 * @param fileNumbers gives the next file number of the store; safe for concurrent use
 * @param uniqueIds gives random numbers, one for each segment
 */
public record LogConfig(
    FileSystem fileSystem,
    Path directory,
    long storeId,
    boolean mapped,
    int segmentBytes,
    LongSupplier fileNumbers,
    LongSupplier uniqueIds) {
  /** The usual length of a segment. */
  public static final int SEGMENT_BYTES_DEFAULT = 16 << 20;

  /** Segments are whole pages of this size. */
  static final int PAGE_BYTES = 4096;

  /** Checks the length of a segment. */
  public LogConfig {
    if (segmentBytes < PAGE_BYTES || segmentBytes > 1 << 30 || segmentBytes % PAGE_BYTES != 0) {
      throw new IllegalArgumentException(
          "segmentBytes " + segmentBytes + " is no multiple of 4096 from 4096 to 2^30");
    }
  }
}
