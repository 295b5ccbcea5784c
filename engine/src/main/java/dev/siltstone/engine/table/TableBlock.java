package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.engine.iter.StoredBlock;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;

/**
 * The block that an iterator offers, with the bytes that stand for it in its file. Reused from
 * block to block; allocates nothing but longer keys.
 */
final class TableBlock implements StoredBlock {
  private static final int SLACK_BYTES = Long.BYTES;

  private Block block = Block.NONE;
  private byte[] source = new byte[0];
  private int at;
  private int stored;

  private byte[] key = new byte[64];
  private int lastKeyLength;

  /** What {@link #isPlain} has counted. */
  private long rawBytes;

  private long minTime;
  private long maxTime;

  /**
   * Takes a block.
   *
   * @param source its stored bytes from {@code at} on, and the trailer behind them
   */
  void set(Block newBlock, byte[] source, int at, int stored) {
    this.block = newBlock;
    this.source = source;
    this.at = at;
    this.stored = stored;
    int room = newBlock.keyBytesMax() + SLACK_BYTES;
    if (key.length < room) {
      key = new byte[Math.max(room, 2 * key.length)];
    }
    newBlock.copyPrefix(key);
    int last = newBlock.count() - 1;
    lastKeyLength = newBlock.copySuffix(last, newBlock.entry(last), key);
  }

  /** Forgets the block. */
  void clear() {
    block = Block.NONE;
    source = new byte[0];
  }

  @Override
  public int count() {
    return block.count();
  }

  @Override
  public boolean isPlain() {
    if (block.hasObsolete()) {
      return false;
    }
    long least = Long.MAX_VALUE;
    long greatest = 0;
    long bytes = 0;
    int count = block.count();
    for (int i = 0; i < count; i++) {
      long trailer = block.trailer(i);
      if (Trailer.kind(trailer) != KeyKind.PUT) {
        return false;
      }
      least = Math.min(least, Trailer.time(trailer));
      greatest = Math.max(greatest, Trailer.time(trailer));
      bytes += block.keyLength(i) + (block.entry(i + 1) - block.valueAt(i));
    }
    rawBytes = bytes;
    minTime = least;
    maxTime = greatest;
    return true;
  }

  @Override
  public long rawBytes() {
    return rawBytes;
  }

  /** Least time of a block that {@link #isPlain}. */
  long minTime() {
    return minTime;
  }

  /** Greatest time of a block that {@link #isPlain}. */
  long maxTime() {
    return maxTime;
  }

  @Override
  public byte[] lastKeyArray() {
    return key;
  }

  @Override
  public int lastKeyLength() {
    return lastKeyLength;
  }

  @Override
  public long lastTrailer() {
    return block.trailer(block.count() - 1);
  }

  /** A copy of the first key. */
  byte[] firstKey() {
    return block.key(0);
  }

  /** Adds all keys to a filter. */
  void addKeys(FilterWriter filter) {
    int last = lastKeyLength;
    int count = block.count();
    for (int i = 0; i < count; i++) {
      last = block.copySuffix(i, block.entry(i), key);
      filter.add(Hash64.of(key, 0, last));
    }
    assert last == lastKeyLength : "the last key is another one";
  }

  /** Id of the compressor; 0 for none. */
  int compression() {
    return source[at + stored] & 0xFF;
  }

  /** The array with the block as it is stored. */
  byte[] storedArray() {
    return source;
  }

  int storedOffset() {
    return at;
  }

  int storedLength() {
    return stored;
  }

  /** The array with the block as it is before compression. */
  byte[] rawArray() {
    return block.data();
  }

  int rawOffset() {
    return block.start();
  }

  int rawLength() {
    return block.entry(block.count()) - block.start();
  }
}
