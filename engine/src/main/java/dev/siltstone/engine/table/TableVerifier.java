package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a whole table front to back and compares what it says with what it holds. Used for one run.
 */
final class TableVerifier {
  private final TableReader table;
  private final BlockSource source;
  private final TableProperties properties;
  private final BlockCursor cursor = new BlockCursor();
  private byte[] lastKey = Bytes.EMPTY;
  private int lastKeyLength = -1;
  private long lastTrailer;
  private long entries;
  private long deletes;
  private long subtrees;
  private long obsolete;
  private long expiring;
  private long rawBytes;

  TableVerifier(TableReader table, BlockSource source) {
    this.table = table;
    this.source = source;
    this.properties = table.properties();
  }

  void run(LongConsumer progress) throws IOException {
    Block top = table.topIndex();
    for (int partition = 0; partition < top.count(); partition++) {
      checkPartition(top, partition, progress);
    }
    table
        .rangeTombstones()
        .forEach((lower, upper, times) -> rawBytes += lower.length + upper.length);
    checkCount("records", properties.entries(), entries);
    checkCount("deletes", properties.deletes(), deletes);
    checkCount("subtree records", properties.subtrees(), subtrees);
    checkCount("obsolete records", properties.obsolete(), obsolete);
    checkCount("expiring records", properties.expiring(), expiring);
    checkCount("raw bytes", properties.rawBytes(), rawBytes);
  }

  private void checkCount(String what, long expected, long found) throws CorruptFileException {
    if (expected != found) {
      throw source.corrupt(-1, expected + " " + what + " by the properties, " + found + " found");
    }
  }

  private void checkPartition(Block top, int partition, LongConsumer progress) throws IOException {
    byte[] handles = top.data();
    int at = top.valueAt(partition);
    long indexOffset = BlockSource.handleOffset(handles, at);
    int indexStored = BlockSource.handleStored(handles, at, indexOffset);
    // From the file, not from the cache: the file is what is to be checked.
    Block index = source.load(TableFormat.INDEX, indexOffset, indexStored);
    Filter filter = filter(handles, BlockSource.handleEnd(handles, at));
    for (int ordinal = 0; ordinal < index.count(); ordinal++) {
      int handle = index.valueAt(ordinal);
      long offset = BlockSource.handleOffset(index.data(), handle);
      int stored = BlockSource.handleStored(index.data(), handle, offset);
      checkBlock(source.load(TableFormat.DATA, offset, stored), offset, filter);
      checkSeparator(index, ordinal, indexOffset);
      progress.accept(offset + stored);
    }
    checkSeparator(top, partition, -1);
  }

  private @Nullable Filter filter(byte[] handles, int at) throws IOException {
    long offset = BlockSource.handleOffset(handles, at);
    int stored = BlockSource.handleStored(handles, at, offset);
    return stored == 0 ? null : source.filter(offset, stored);
  }

  private void checkBlock(Block block, long offset, @Nullable Filter filter) throws IOException {
    cursor.reset(block);
    for (int i = 0; i < block.count(); i++) {
      cursor.moveTo(i);
      byte[] key = cursor.keyArray();
      int length = cursor.keyLength();
      long trailer = cursor.trailer();
      int order = lastKeyLength < 0 ? -1 : Bytes.compare(lastKey, 0, lastKeyLength, key, 0, length);
      if (order > 0 || (order == 0 && Long.compareUnsigned(trailer, lastTrailer) >= 0)) {
        throw source.corrupt(offset, "record " + i + " is out of order");
      }
      if (block.obsolete(i) != (order == 0)) {
        throw source.corrupt(offset, "record " + i + " has a wrong obsolete bit");
      }
      if (filter != null && !filter.mayContain(Hash64.of(key, 0, length))) {
        throw source.corrupt(offset, "record " + i + " is not in the filter");
      }
      count(trailer, order == 0, length + cursor.valueLength(), offset);
      remember(key, length, trailer);
    }
  }

  private void count(long trailer, boolean isObsolete, int bytes, long offset)
      throws CorruptFileException {
    int kind = Trailer.kind(trailer);
    if (!KeyKind.isKnown(kind)) {
      throw source.corrupt(offset, "record of kind " + kind);
    }
    entries++;
    deletes += KeyKind.base(kind) == KeyKind.DELETE ? 1 : 0;
    subtrees += KeyKind.isSubtree(kind) ? 1 : 0;
    obsolete += isObsolete ? 1 : 0;
    expiring += KeyKind.expires(kind) ? 1 : 0;
    rawBytes += bytes;
  }

  private void remember(byte[] key, int length, long trailer) {
    if (lastKey.length < length) {
      lastKey = new byte[2 * length];
    }
    System.arraycopy(key, 0, lastKey, 0, length);
    lastKeyLength = length;
    lastTrailer = trailer;
  }

  /** The last record must not lie behind its separator. */
  private void checkSeparator(Block index, int ordinal, long offset) throws CorruptFileException {
    int at = index.lowerBound(lastKey, 0, lastKeyLength, lastTrailer);
    if (at != ordinal) {
      throw source.corrupt(offset, "separator " + ordinal + " does not fit its block");
    }
  }
}
