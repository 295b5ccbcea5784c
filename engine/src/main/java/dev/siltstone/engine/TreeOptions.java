package dev.siltstone.engine;

import dev.siltstone.engine.spi.SubtreeLengths;
import java.time.Duration;
import java.util.Objects;

/**
 * How one tree stores and keeps its data. Immutable; each method returns a changed copy.
 *
 * @param retention how long overwritten and deleted data stays readable through {@link Db#asOf}; at
 *     most 36,500 days; zero keeps only what open snapshots need. Default zero
 * @param blockBytes uncompressed size at which a data block is closed, 256 B to 1 MiB; smaller
 *     blocks make point reads of uncached data cheaper, larger ones compress better. Default 16 KiB
 * @param filterBitsPerKey bits of the filters that spare point reads of absent keys, 0 (none) to
 *     16. Default 10
 * @param compression name of the compressor of levels 2 and below: {@code lz4}, {@code none}, or
 *     one of {@link Components#compressors}; files that are there stay as they are until they are
 *     rewritten. Levels 0 and 1 are never compressed. Default {@code lz4}
 * @param subtrees prefixes that may carry subtree records; must be the same at every open. Default
 *     none
 * @param compactionFilter name of the factory in {@link Components#compactionFilters} whose filters
 *     see the values of this tree when files are merged; empty for none. Default none
 */
public record TreeOptions(
    Duration retention,
    int blockBytes,
    int filterBitsPerKey,
    String compression,
    SubtreeLengths subtrees,
    String compactionFilter) {
  /** The defaults. */
  public static final TreeOptions DEFAULT =
      new TreeOptions(Duration.ZERO, 16 << 10, 10, "lz4", SubtreeLengths.NONE, "");

  /** Checks every value. */
  public TreeOptions {
    Objects.requireNonNull(compression, "compression");
    Objects.requireNonNull(subtrees, "subtrees");
    Objects.requireNonNull(compactionFilter, "compactionFilter");
    Limits.check("retention", retention, Duration.ZERO, Duration.ofDays(36_500));
    Limits.check("blockBytes", blockBytes, 256, 1 << 20);
    Limits.check("filterBitsPerKey", filterBitsPerKey, 0, 16);
    if (!compression.matches("[a-z0-9]{1,16}")) {
      throw new IllegalArgumentException("compression '" + compression + "': a compressor's name");
    }
    if (!compactionFilter.matches("[A-Za-z0-9._-]{0,64}")) {
      throw new IllegalArgumentException(
          "compactionFilter '" + compactionFilter + "': up to 64 letters, digits and . _ -");
    }
  }

  /** Sets {@link #retention}. */
  public TreeOptions withRetention(Duration retention) {
    return new TreeOptions(
        retention, blockBytes, filterBitsPerKey, compression, subtrees, compactionFilter);
  }

  /** Sets {@link #blockBytes}. */
  public TreeOptions withBlockBytes(int blockBytes) {
    return new TreeOptions(
        retention, blockBytes, filterBitsPerKey, compression, subtrees, compactionFilter);
  }

  /** Sets {@link #filterBitsPerKey}. */
  public TreeOptions withFilterBitsPerKey(int filterBitsPerKey) {
    return new TreeOptions(
        retention, blockBytes, filterBitsPerKey, compression, subtrees, compactionFilter);
  }

  /** Sets {@link #compression}. */
  public TreeOptions withCompression(String compression) {
    return new TreeOptions(
        retention, blockBytes, filterBitsPerKey, compression, subtrees, compactionFilter);
  }

  /** Sets {@link #subtrees}. */
  public TreeOptions withSubtrees(SubtreeLengths subtrees) {
    return new TreeOptions(
        retention, blockBytes, filterBitsPerKey, compression, subtrees, compactionFilter);
  }

  /** Sets {@link #compactionFilter}. */
  public TreeOptions withCompactionFilter(String compactionFilter) {
    return new TreeOptions(
        retention, blockBytes, filterBitsPerKey, compression, subtrees, compactionFilter);
  }
}
