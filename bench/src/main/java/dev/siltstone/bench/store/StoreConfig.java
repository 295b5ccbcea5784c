package dev.siltstone.bench.store;

/**
 * What every engine is given alike, where it has such a thing.
 *
 * @param memtableBytes size of one write buffer in bytes, at least 1 MiB
 * @param cacheBytes size of the block or page cache in bytes, at least 1 MiB
 * @param compress whether table files are compressed, with what the engine does by default
 * @param compacts whether the engine compacts by itself, where that can be turned off
 */
public record StoreConfig(long memtableBytes, long cacheBytes, boolean compress, boolean compacts) {
  private static final long MIB = 1 << 20;

  /** Write buffers of 64 MiB, a cache of 512 MiB, compression on. */
  public static final StoreConfig DEFAULT = new StoreConfig(64 * MIB, 512 * MIB, true, true);

  /** Checks the sizes. */
  public StoreConfig {
    if (memtableBytes < MIB || cacheBytes < MIB) {
      throw new IllegalArgumentException(
          "memtable and cache need 1 MiB each at least, not "
              + memtableBytes
              + " and "
              + cacheBytes
              + " bytes");
    }
  }

  /** The same without compaction but on demand. */
  public StoreConfig uncompacted() {
    return new StoreConfig(memtableBytes, cacheBytes, compress, false);
  }

  /** Size of one write buffer in MiB. */
  long memtableMib() {
    return memtableBytes / MIB;
  }

  /** Size of the cache in MiB. */
  long cacheMib() {
    return cacheBytes / MIB;
  }
}
