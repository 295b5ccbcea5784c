package dev.siltstone.tools;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The one place that results are written to: text in UTF-8, lines that end in a line feed, behind a
 * buffer. A write that fails is a {@link BrokenException}, so that no command goes on when nobody
 * reads, and no incomplete output passes for a whole one. One thread only.
 */
final class Output extends OutputStream {
  private static final int BUFFER_BYTES = 64 << 10;

  private final OutputStream out;
  private @Nullable BrokenException failure;
  private long bytes;

  Output(OutputStream out) {
    this.out = new BufferedOutputStream(out, BUFFER_BYTES);
  }

  /** The output cannot be written to. */
  static final class BrokenException extends IOException {
    private static final long serialVersionUID = 1L;

    BrokenException(IOException cause) {
      super("cannot write the output: " + cause.getMessage(), cause);
    }
  }

  /** The first write that failed, or {@code null}. */
  @Nullable BrokenException failure() {
    return failure;
  }

  /** Bytes taken so far. */
  long bytes() {
    return bytes;
  }

  /** Writes a text as it is. */
  void print(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    write(bytes, 0, bytes.length);
  }

  /** Writes a text and a line feed. */
  void line(String text) throws IOException {
    print(text);
    write('\n');
  }

  @Override
  public void write(int b) throws IOException {
    try {
      out.write(b);
      bytes++;
    } catch (IOException e) {
      throw broken(e);
    }
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    try {
      out.write(source, offset, length);
      bytes += length;
    } catch (IOException e) {
      throw broken(e);
    }
  }

  @Override
  public void flush() throws IOException {
    try {
      out.flush();
    } catch (IOException e) {
      throw broken(e);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      out.close();
    } catch (IOException e) {
      throw broken(e);
    }
  }

  private BrokenException broken(IOException cause) {
    BrokenException broken = new BrokenException(cause);
    if (failure == null) {
      failure = broken;
    }
    return broken;
  }
}
