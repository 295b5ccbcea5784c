package dev.siltstone.engine.cache;

/** The hash of a block's place: which shard, and which bucket in it. */
final class BlockHash {
  private BlockHash() {}

  /** The bucket hash: the low half. */
  static int of(long fileNumber, long offset) {
    return (int) whole(fileNumber, offset);
  }

  /** All 64 bits; the high half chooses the shard. */
  static long whole(long fileNumber, long offset) {
    long mixed = (fileNumber * 0x9E3779B97F4A7C15L ^ offset) * 0xBF58476D1CE4E5B9L;
    mixed ^= mixed >>> 32;
    return mixed * 0x94D049BB133111EBL;
  }
}
