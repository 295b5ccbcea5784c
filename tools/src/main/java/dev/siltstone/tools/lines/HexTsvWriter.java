package dev.siltstone.tools.lines;

import java.io.IOException;
import java.io.OutputStream;

/** Writes {@code key TAB value LF}, both in lower-case hexadecimal. */
final class HexTsvWriter extends EntryWriter {

  HexTsvWriter(OutputStream out) {
    super(out, Encoding.HEX);
  }

  @Override
  public void begin() {
    // Nothing: every line is an entry, so that files can be cut and joined.
  }

  @Override
  void writeEntry(byte[] key, byte[] value) throws IOException {
    encoding.write(key, out);
    out.write('\t');
    encoding.write(value, out);
    out.write('\n');
  }
}
