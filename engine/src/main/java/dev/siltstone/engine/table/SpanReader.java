package dev.siltstone.engine.table;

import java.io.IOException;

/**
 * Reads data blocks for an iterator: one by one through the cache, or out of large spans of the
 * file, after the block asked for or, going backward, before it. A span is never overwritten, since
 * blocks, and with them borrowed values, are views of it. Spans pass by the cache: what is read
 * once need not push out what is read often. One thread at a time.
 */
final class SpanReader {
  private final BlockSource source;
  private final boolean fillCache;
  private final int spanBytes;
  private byte[] span = new byte[0];
  private long spanStart;

  /** Where the last block stands in the span, and its stored length; -1 if it is not there. */
  private int blockAt;

  private int blockStored = -1;

  private SpanReader(BlockSource source, boolean fillCache, int spanBytes) {
    this.source = source;
    this.fillCache = fillCache;
    this.spanBytes = spanBytes;
  }

  /** Reads block by block; the cache keeps them if that is wanted. */
  static SpanReader single(BlockSource source, boolean fillCache) {
    return new SpanReader(source, fillCache, 0);
  }

  /** Reads spans of so many bytes, at least 1. */
  static SpanReader spans(BlockSource source, int spanBytes) {
    return new SpanReader(source, false, spanBytes);
  }

  Block data(long offset, int stored) throws IOException {
    if (spanBytes == 0) {
      return source.block(TableFormat.DATA, offset, stored, fillCache);
    }
    blockStored = -1;
    source.requireWithin(offset, stored);
    int length = stored + TableFormat.TRAILER_BYTES;
    if (offset < spanStart || offset + length > spanStart + span.length) {
      readSpan(offset, length);
    }
    int at = (int) (offset - spanStart);
    Block block = source.decode(TableFormat.DATA, span, at, offset, stored);
    blockAt = at;
    blockStored = stored;
    return block;
  }

  /** Hands over the last block as it is stored; whether it can. */
  boolean offer(Block block, TableBlock target) {
    // The times of an undated file are not in its blocks.
    if (blockStored < 0 || source.timeBase() != 0) {
      return false;
    }
    target.set(block, span, blockAt, blockStored);
    return true;
  }

  private void readSpan(long offset, int length) throws IOException {
    boolean backward = offset < spanStart;
    long from = backward ? Math.max(0, offset + length - spanBytes) : offset;
    from = Math.min(from, offset);
    long to = backward ? offset + length : Math.min(source.blocksEnd(), offset + spanBytes);
    to = Math.max(to, offset + length);
    byte[] bytes = new byte[(int) (to - from)];
    source.read(from, bytes, bytes.length);
    span = bytes;
    spanStart = from;
  }
}
