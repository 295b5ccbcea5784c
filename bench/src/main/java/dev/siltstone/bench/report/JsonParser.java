package dev.siltstone.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses JSON (RFC 8259), strictly: one value and nothing behind it. */
final class JsonParser {
  private static final int DEPTH_MAX = 64;
  private static final Pattern NUMBER =
      Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");

  private final String text;
  private int at;

  JsonParser(String text) {
    this.text = text;
  }

  /**
   * The value: a map, list, string, double, boolean or null.
   *
   * @throws IllegalArgumentException if the text is not JSON; the message says where
   */
  @Nullable Object parse() {
    Object value = value(0);
    space();
    if (at < text.length()) {
      throw wrong("nothing more is due");
    }
    return value;
  }

  private @Nullable Object value(int depth) {
    if (depth > DEPTH_MAX) {
      throw wrong("nested deeper than " + DEPTH_MAX);
    }
    space();
    return switch (peek()) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> string();
      case 't' -> literal("true", Boolean.TRUE);
      case 'f' -> literal("false", Boolean.FALSE);
      case 'n' -> literal("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object(int depth) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    at++;
    if (end('}')) {
      return fields;
    }
    do {
      space();
      String name = string();
      space();
      take(':');
      if (fields.containsKey(name)) {
        throw wrong("the name \"" + name + "\" comes twice");
      }
      fields.put(name, value(depth + 1));
    } while (more('}'));
    return fields;
  }

  private List<@Nullable Object> array(int depth) {
    List<@Nullable Object> items = new ArrayList<>();
    at++;
    if (end(']')) {
      return items;
    }
    do {
      items.add(value(depth + 1));
    } while (more(']'));
    return items;
  }

  private boolean end(char closing) {
    space();
    if (peek() != closing) {
      return false;
    }
    at++;
    return true;
  }

  /** Passes a comma and gives true, or the closing character and gives false. */
  private boolean more(char closing) {
    space();
    char found = peek();
    if (found != ',' && found != closing) {
      throw wrong("',' or '" + closing + "' is due");
    }
    at++;
    return found == ',';
  }

  private String string() {
    take('"');
    StringBuilder out = new StringBuilder();
    while (true) {
      char c = peek();
      at++;
      if (c == '"') {
        return out.toString();
      }
      if (c < ' ') {
        throw wrong("a string may not hold this character");
      }
      out.append(c == '\\' ? escaped() : c);
    }
  }

  private char escaped() {
    char c = peek();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicode();
      default -> throw wrong("no escape is called \\" + c);
    };
  }

  private char unicode() {
    int digits = 4;
    if (at + digits > text.length()) {
      throw wrong("the text ends in the middle");
    }
    try {
      char c = (char) Integer.parseUnsignedInt(text, at, at + digits, 16);
      at += digits;
      return c;
    } catch (NumberFormatException e) {
      throw wrong("four hexadecimal digits are due");
    }
  }

  private @Nullable Object literal(String word, @Nullable Boolean value) {
    if (!text.startsWith(word, at)) {
      throw wrong("a value is due");
    }
    at += word.length();
    return value;
  }

  private Double number() {
    Matcher matcher = NUMBER.matcher(text).region(at, text.length());
    if (!matcher.lookingAt()) {
      throw wrong("a value is due");
    }
    at = matcher.end();
    return Double.valueOf(matcher.group());
  }

  private void take(char due) {
    if (peek() != due) {
      throw wrong("'" + due + "' is due");
    }
    at++;
  }

  private char peek() {
    if (at >= text.length()) {
      throw wrong("the text ends in the middle");
    }
    return text.charAt(at);
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private IllegalArgumentException wrong(String what) {
    long line = text.substring(0, Math.min(at, text.length())).lines().count();
    return new IllegalArgumentException(
        "not JSON at line " + Math.max(1, line) + ", character " + at + ": " + what);
  }
}
