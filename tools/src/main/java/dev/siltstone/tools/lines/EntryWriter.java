package dev.siltstone.tools.lines;

import java.io.IOException;
import java.io.OutputStream;

/** Writes entries as lines. One thread only; buffers nothing and closes nothing. */
public abstract sealed class EntryWriter permits HexTsvWriter, CsvWriter, JsonLinesWriter {
  final OutputStream out;
  final Encoding encoding;

  EntryWriter(OutputStream out, Encoding encoding) {
    this.out = out;
    this.encoding = encoding;
  }

  /**
   * Writes one entry.
   *
   * @throws NotTextException if the encoding is text and the key or the value is none; nothing was
   *     written then
   */
  public final void write(byte[] key, byte[] value) throws IOException {
    encoding.check("key", key);
    encoding.check("value", value);
    writeEntry(key, value);
  }

  /** Writes what comes before all entries. */
  public abstract void begin() throws IOException;

  abstract void writeEntry(byte[] key, byte[] value) throws IOException;
}
