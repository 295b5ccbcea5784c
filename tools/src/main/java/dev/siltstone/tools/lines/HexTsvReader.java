package dev.siltstone.tools.lines;

import java.io.IOException;
import java.io.InputStream;

/** Reads {@code key TAB value LF}, both in hexadecimal. */
final class HexTsvReader extends EntryReader {

  HexTsvReader(InputStream in, Limits limits) {
    super(in, Encoding.HEX, limits);
  }

  @Override
  boolean readEntry() throws IOException, BadFieldException {
    int b = in.read();
    if (b == ByteInput.END) {
      return false;
    }
    for (; b != '\t'; b = in.read()) {
      if (isLineEnd(b)) {
        throw new BadFieldException("no tab between key and value");
      }
      keyField.add(b);
    }
    for (b = in.read(); !isLineEnd(b); b = in.read()) {
      if (b == '\t') {
        throw new BadFieldException("more than one tab");
      }
      valueField.add(b);
    }
    return true;
  }
}
