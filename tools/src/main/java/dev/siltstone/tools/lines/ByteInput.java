package dev.siltstone.tools.lines;

import java.io.IOException;
import java.io.InputStream;

/** The bytes of an input, one after the other, counted, with the number of the line. */
final class ByteInput {
  /** What is read where the input ends. */
  static final int END = -1;

  private static final int BUFFER_BYTES = 64 << 10;

  private final InputStream in;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int at;
  private int limit;

  /** Bytes in buffers before this one. */
  private long passed;

  private long line = 1;
  private int last = '\n';

  ByteInput(InputStream in) {
    this.in = in;
  }

  /** The next byte, 0 to 255, or {@link #END}. */
  int read() throws IOException {
    if (at == limit && !fill()) {
      last = END;
      return END;
    }
    last = buffer[at++] & 0xFF;
    if (last == '\n') {
      line++;
    }
    return last;
  }

  /** What {@link #read} will return next. */
  int peek() throws IOException {
    return at == limit && !fill() ? END : buffer[at] & 0xFF;
  }

  /** Reads up to the end of the line, unless the last byte read was that end. */
  void skipRestOfLine() throws IOException {
    for (int b = last; b != '\n' && b != END; ) {
      b = read();
    }
  }

  /** The number of the line of the next byte, from 1. */
  long line() {
    return line;
  }

  /** Bytes read so far. */
  long position() {
    return passed + at;
  }

  private boolean fill() throws IOException {
    passed += limit;
    at = 0;
    limit = Math.max(0, in.read(buffer));
    return limit > 0;
  }
}
