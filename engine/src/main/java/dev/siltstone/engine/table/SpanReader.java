package dev.siltstone.engine.table;

import java.io.IOException;

/**
 * Reads data blocks for an iterator. With read-ahead it reads large spans, after the block asked
 * for or, going backward, before it, and cuts blocks out of them. A span is never overwritten,
 * since blocks, and with them borrowed values, are views of it. One thread at a time.
 */
final class SpanReader {
  private final BlockSource source;
  private final boolean fillCache;
  private final int spanBytes;
  private byte[] span = new byte[0];
  private long spanStart;
  private int spanLength;

  /**
   * A reader of one file.
   *
   * @param spanBytes 0 to read block by block
   */
  SpanReader(BlockSource source, boolean fillCache, int spanBytes) {
    this.source = source;
    this.fillCache = fillCache;
    this.spanBytes = spanBytes;
  }

  Block data(long offset, int stored) throws IOException {
    if (spanBytes == 0) {
      return source.block(TableFormat.DATA, offset, stored, fillCache);
    }
    Block cached = source.cached(TableFormat.DATA, offset);
    if (cached != null) {
      return cached;
    }
    source.requireWithin(offset, stored);
    int length = stored + TableFormat.TRAILER_BYTES;
    if (offset < spanStart || offset + length > spanStart + spanLength) {
      readSpan(offset, length);
    }
    int at = (int) (offset - spanStart);
    if (!fillCache) {
      return source.decode(TableFormat.DATA, span, at, offset, stored);
    }
    byte[] own = source.copy(span, at, stored);
    Block block = source.decode(TableFormat.DATA, own, 0, offset, stored);
    source.cache(offset, block);
    return block;
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
    spanLength = bytes.length;
  }
}
