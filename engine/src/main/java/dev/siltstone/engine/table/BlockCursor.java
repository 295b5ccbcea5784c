package dev.siltstone.engine.table;

/**
 * A place in a block with its key in one piece. The shared prefix is copied once a block, the rest
 * at each move; steps in both directions cost the same. Reused from block to block.
 *
 * <p>One thread at a time.
 */
final class BlockCursor {
  /** A key is completed by storing whole heads. */
  private static final int SLACK_BYTES = Long.BYTES;

  private Block block = Block.NONE;
  private int count;
  private int index = -1;
  private int entry;
  private byte[] key = new byte[64];
  private int keyLength;

  /** Takes a block, or {@link Block#NONE}, and stands nowhere in it. */
  void reset(Block newBlock) {
    block = newBlock;
    count = newBlock.count();
    index = -1;
    int room = newBlock.keyBytesMax() + SLACK_BYTES;
    if (key.length < room) {
      key = new byte[Math.max(room, 2 * key.length)];
    }
    newBlock.copyPrefix(key);
  }

  /** Whether it stands on a record. */
  boolean valid() {
    return index >= 0;
  }

  int index() {
    return index;
  }

  Block block() {
    return block;
  }

  int count() {
    return count;
  }

  /** Moves to a record of the block. */
  void moveTo(int newIndex) {
    assert newIndex >= 0 && newIndex < count : "record " + newIndex + " of " + count;
    index = newIndex;
    entry = block.entry(newIndex);
    keyLength = block.copySuffix(newIndex, entry, key);
  }

  byte[] keyArray() {
    return key;
  }

  int keyLength() {
    return keyLength;
  }

  long trailer() {
    return block.trailer(index);
  }

  boolean obsolete() {
    return block.obsolete(index);
  }

  byte[] valueArray() {
    return block.data();
  }

  int valueOffset() {
    int suffix = keyLength - block.prefixLength();
    return Block.restAt(entry, suffix) + Math.max(0, suffix - Long.BYTES);
  }

  int valueLength() {
    return block.entry(index + 1) - valueOffset();
  }
}
