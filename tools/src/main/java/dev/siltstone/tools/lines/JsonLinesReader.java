package dev.siltstone.tools.lines;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Reads one JSON object (RFC 8259) a line, with the members {@code key} and {@code value}, both
 * strings, in either order, and no others.
 */
final class JsonLinesReader extends EntryReader {
  private static final int NAME_BYTES_MAX = 64;

  private final FieldBuffer nameField =
      new FieldBuffer("the name of a member", Encoding.TEXT, NAME_BYTES_MAX);

  JsonLinesReader(InputStream in, Encoding encoding, Limits limits) {
    super(in, encoding, limits);
  }

  @Override
  boolean readEntry() throws IOException, BadFieldException {
    if (in.peek() == ByteInput.END) {
      return false;
    }
    expect('{', "an object");
    boolean hasKey = readMember(false, false);
    expect(',', "a comma and the other member");
    readMember(hasKey, !hasKey);
    expect('}', "the end of the object");
    int b = readPastSpace();
    if (!isLineEnd(b)) {
      throw new BadFieldException(FieldBuffer.shown(b) + " after the object");
    }
    return true;
  }

  /** Reads a member; returns whether it is the key. */
  private boolean readMember(boolean hasKey, boolean hasValue)
      throws IOException, BadFieldException {
    nameField.clear();
    expect('"', "the name of a member");
    readString(nameField);
    String name = new String(nameField.bytes(), StandardCharsets.UTF_8);
    boolean isKey = name.equals("key");
    if (!isKey && !name.equals("value")) {
      throw new BadFieldException("member \"" + name + "\" is neither key nor value");
    }
    if (isKey ? hasKey : hasValue) {
      throw new BadFieldException("member \"" + name + "\" twice");
    }
    expect(':', "a colon after \"" + name + "\"");
    expect('"', "a string for \"" + name + "\"");
    readString(isKey ? keyField : valueField);
    return isKey;
  }

  private void expect(int wanted, String what) throws IOException, BadFieldException {
    int b = readPastSpace();
    if (b != wanted) {
      boolean atEnd = b == ByteInput.END || b == '\n' || b == '\r';
      throw new BadFieldException(
          (atEnd ? "the line ends" : FieldBuffer.shown(b)) + " where " + what + " should be");
    }
  }

  private int readPastSpace() throws IOException {
    int b = in.read();
    while (b == ' ' || b == '\t') {
      b = in.read();
    }
    return b;
  }

  /** Reads a string after its opening quote. */
  private void readString(FieldBuffer field) throws IOException, BadFieldException {
    for (int b = in.read(); b != '"'; b = in.read()) {
      if (b == '\n' || b == ByteInput.END) {
        throw new BadFieldException("the line ends within a string");
      }
      if (b < ' ') {
        throw new BadFieldException(FieldBuffer.shown(b) + " in a string must be escaped");
      }
      if (b == '\\') {
        readEscape(field);
      } else {
        field.add(b);
      }
    }
  }

  private void readEscape(FieldBuffer field) throws IOException, BadFieldException {
    int b = in.read();
    switch (b) {
      case '"', '\\', '/' -> field.add(b);
      case 'b' -> field.add('\b');
      case 'f' -> field.add('\f');
      case 'n' -> field.add('\n');
      case 'r' -> field.add('\r');
      case 't' -> field.add('\t');
      case 'u' -> readUnicodeEscape(field);
      default ->
          throw new BadFieldException(
              b == ByteInput.END ? "the line ends within a string" : badEscape(b));
    }
  }

  private static String badEscape(int b) {
    return FieldBuffer.shown(b) + " after a backslash is no escape of JSON";
  }

  private void readUnicodeEscape(FieldBuffer field) throws IOException, BadFieldException {
    int code = readFourDigits();
    if (Character.isLowSurrogate((char) code)) {
      throw halfPair();
    }
    if (Character.isHighSurrogate((char) code)) {
      if (in.read() != '\\' || in.read() != 'u') {
        throw halfPair();
      }
      int low = readFourDigits();
      if (!Character.isLowSurrogate((char) low)) {
        throw halfPair();
      }
      code = Character.toCodePoint((char) code, (char) low);
    }
    for (byte b : Character.toString(code).getBytes(StandardCharsets.UTF_8)) {
      field.add(b & 0xFF);
    }
  }

  private static BadFieldException halfPair() {
    return new BadFieldException("half of a surrogate pair");
  }

  private int readFourDigits() throws IOException, BadFieldException {
    int code = 0;
    for (int i = 0; i < 4; i++) {
      int b = in.read();
      int digit = b > 'f' ? -1 : Character.digit(b, 16);
      if (digit < 0) {
        throw new BadFieldException("\\u needs four hex digits");
      }
      code = code << 4 | digit;
    }
    return code;
  }
}
