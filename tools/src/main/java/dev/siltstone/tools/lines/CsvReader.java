package dev.siltstone.tools.lines;

import dev.siltstone.base.bytes.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Reads CSV as RFC 4180 has it, with a header of the two names {@code key,value}. Lines may end in
 * a line feed alone; fields in quotes may hold line ends.
 */
final class CsvReader extends EntryReader {
  private static final String HEADER = "key,value";
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  CsvReader(InputStream in, Encoding encoding, Limits limits) {
    super(in, encoding, limits);
  }

  @Override
  boolean readEntry() throws IOException, BadFieldException {
    return in.peek() != ByteInput.END && readRecord();
  }

  private boolean readRecord() throws IOException, BadFieldException {
    if (readField("key", keyField) != ',') {
      throw new BadFieldException("one field where key and value should be");
    }
    if (readField("value", valueField) == ',') {
      throw new BadFieldException("more than two fields");
    }
    return true;
  }

  /** Reads a field and what ends it: a comma, or a line feed for the end of the line or input. */
  private int readField(String name, FieldBuffer field) throws IOException, BadFieldException {
    if (in.peek() == '"') {
      in.read();
      return readQuoted(name, field);
    }
    while (true) {
      int b = in.read();
      if (b == ',') {
        return b;
      }
      if (isLineEnd(b)) {
        return '\n';
      }
      if (b == '"' || b == '\r') {
        throw new BadFieldException(
            name
                + " has a "
                + (b == '"' ? "quote" : "carriage return")
                + " but does not begin with a quote");
      }
      field.add(b);
    }
  }

  private int readQuoted(String name, FieldBuffer field) throws IOException, BadFieldException {
    while (true) {
      int b = in.read();
      if (b == ByteInput.END) {
        throw new BadFieldException("the quote that opens the " + name + " is never closed");
      }
      if (b == '"' && in.peek() != '"') {
        break;
      }
      if (b == '"') {
        in.read();
      }
      field.add(b);
    }
    int b = in.read();
    if (b == ',') {
      return b;
    }
    if (isLineEnd(b)) {
      return '\n';
    }
    throw new BadFieldException(FieldBuffer.shown(b) + " after the closing quote of the " + name);
  }

  @Override
  void readHeader() throws IOException, BadFieldException {
    FieldBuffer header = new FieldBuffer("header", Encoding.TEXT, 64);
    for (int b = in.read(); !isLineEnd(b); b = in.read()) {
      header.add(b);
    }
    byte[] bytes = header.bytes();
    int start = startsWithMark(bytes) ? BYTE_ORDER_MARK.length : 0;
    String text = new String(bytes, start, bytes.length - start, StandardCharsets.UTF_8);
    if (!text.replace("\"", "").equals(HEADER)) {
      String shown = text.replace('\n', ' ').replace('\r', ' ');
      throw new BadFieldException(
          "the header should be " + HEADER + " but is " + (shown.isEmpty() ? "empty" : shown));
    }
  }

  private static boolean startsWithMark(byte[] bytes) {
    return Bytes.startsWith(bytes, 0, bytes.length, BYTE_ORDER_MARK);
  }
}
