package dev.siltstone.tools.lines;

import dev.siltstone.base.bytes.Bytes;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads entries from lines, one at a time. One thread only; closes nothing. */
public abstract sealed class EntryReader permits HexTsvReader, CsvReader, JsonLinesReader {
  final ByteInput in;
  final FieldBuffer keyField;
  final FieldBuffer valueField;
  private byte[] key = Bytes.EMPTY;
  private byte[] value = Bytes.EMPTY;
  private long line;
  private boolean begun;

  /**
   * Whether the rest of a bad line is still to be passed over. That is left to whoever asks for
   * more: the line may never end, as that of a device.
   */
  private boolean isInBadLine;

  /** What is wrong with the header, if it was read and was wrong. */
  private @Nullable BadLineException refusal;

  EntryReader(InputStream in, Encoding encoding, Limits limits) {
    this.in = new ByteInput(in);
    keyField = new FieldBuffer("key", encoding, limits.keyBytes());
    valueField = new FieldBuffer("value", encoding, limits.valueBytes());
  }

  /**
   * The longest key and value to accept. They bound the memory of a reader.
   *
   * @param keyBytes of a key, up to 2^30
   * @param valueBytes of a value, up to 2^30
   */
  public record Limits(int keyBytes, int valueBytes) {}

  /**
   * Reads the next entry.
   *
   * @return whether there was one
   * @throws BadLineException if the line says none; the next call reads the line after it, unless
   *     it {@link BadLineException#isHeader() is the header}
   */
  public final boolean next() throws IOException, BadLineException {
    if (!begun) {
      begun = true;
      beginHeader();
    }
    if (refusal != null) {
      throw refusal;
    }
    if (isInBadLine) {
      in.skipRestOfLine();
      isInBadLine = false;
    }
    beginEntry();
    keyField.clear();
    valueField.clear();
    try {
      if (!readEntry()) {
        return false;
      }
      key = keyField.bytes();
      value = valueField.bytes();
      return true;
    } catch (BadFieldException e) {
      isInBadLine = true;
      throw new BadLineException(line, e.reason(), false);
    }
  }

  private void beginHeader() throws IOException {
    beginEntry();
    try {
      readHeader();
    } catch (BadFieldException e) {
      refusal = new BadLineException(line, e.reason(), true);
    }
  }

  /** Reads what stands before the first entry. */
  void readHeader() throws IOException, BadFieldException {
    // Most formats have nothing there.
  }

  /** The key of the entry; the caller's own. */
  public final byte[] key() {
    return key;
  }

  /** The value of the entry; the caller's own. */
  public final byte[] value() {
    return value;
  }

  /** The number of the line where the entry began, from 1. */
  public final long line() {
    return line;
  }

  /** Bytes read so far. */
  public final long position() {
    return in.position();
  }

  /** Says that the entry begins at the next byte. */
  final void beginEntry() {
    line = in.line();
  }

  /**
   * Reads one line, or more if the format lets an entry span them, its end included, into the two
   * fields.
   *
   * @return false where the input ends
   */
  abstract boolean readEntry() throws IOException, BadFieldException;

  /** Whether {@code b} ends a line; of a carriage return, only one before a line feed does. */
  final boolean isLineEnd(int b) throws IOException {
    if (b == '\r' && in.peek() == '\n') {
      in.read();
      return true;
    }
    return b == '\n' || b == ByteInput.END;
  }
}
