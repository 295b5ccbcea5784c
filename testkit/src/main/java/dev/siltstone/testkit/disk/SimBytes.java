package dev.siltstone.testkit.disk;

import java.util.Arrays;

/**
 * The bytes of a file, in pages that are never changed, only replaced. A copy therefore costs an
 * array of references, however long the file.
 */
final class SimBytes {
  private static final int PAGE_BYTES = 4096;
  private static final byte[] ZEROS = new byte[PAGE_BYTES];

  private byte[][] pages;
  private long length;

  SimBytes() {
    this.pages = new byte[1][];
  }

  private SimBytes(byte[][] pages, long length) {
    this.pages = pages;
    this.length = length;
  }

  SimBytes copy() {
    return new SimBytes(pages.clone(), length);
  }

  long length() {
    return length;
  }

  /** Cuts, or extends with zeros. */
  void setLength(long newLength) {
    if (newLength < length) {
      // What is cut must read as zeros if the file grows again.
      long end = Math.min(length, roundUp(newLength));
      length = newLength;
      writePieces(newLength, ZEROS, 0, (int) (end - newLength), true);
      Arrays.fill(pages, pageOf(roundUp(newLength)), pages.length, null);
    } else {
      reserve(newLength);
      length = newLength;
    }
  }

  void write(long position, byte[] source, int offset, int count) {
    if (count == 0) {
      return;
    }
    reserve(position + count);
    writePieces(position, source, offset, count, false);
    length = Math.max(length, position + count);
  }

  private void writePieces(long position, byte[] source, int offset, int count, boolean zeros) {
    int done = 0;
    while (done < count) {
      int page = pageOf(position + done);
      int within = (int) ((position + done) % PAGE_BYTES);
      int piece = Math.min(count - done, PAGE_BYTES - within);
      byte[] old = pages[page];
      byte[] bytes = old == null ? new byte[PAGE_BYTES] : old.clone();
      System.arraycopy(source, zeros ? 0 : offset + done, bytes, within, piece);
      pages[page] = bytes;
      done += piece;
    }
  }

  /** Reads up to {@code count} bytes; fewer only at the end. */
  int read(long position, byte[] target, int offset, int count) {
    int readable = (int) Math.max(0, Math.min(count, length - position));
    int done = 0;
    while (done < readable) {
      int within = (int) ((position + done) % PAGE_BYTES);
      int piece = Math.min(readable - done, PAGE_BYTES - within);
      byte[] page = pages[pageOf(position + done)];
      System.arraycopy(page == null ? ZEROS : page, within, target, offset + done, piece);
      done += piece;
    }
    return readable;
  }

  private void reserve(long bytes) {
    int needed = pageOf(roundUp(bytes));
    if (needed > pages.length) {
      pages = Arrays.copyOf(pages, Math.max(needed, pages.length + pages.length / 2));
    }
  }

  private static long roundUp(long position) {
    return (position + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  }

  private static int pageOf(long position) {
    return Math.toIntExact(position / PAGE_BYTES);
  }
}
