package dev.siltstone.bench.run;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One line between parent and child: {@code @bench kind name=value name=value}, values
 * percent-encoded as in URLs. Lines that do not begin so are not of this protocol (a native library
 * may print what it likes).
 *
 * @param kind what it is about
 * @param fields names and values, in order
 */
record Message(String kind, Map<String, String> fields) {
  private static final String MARK = "@bench ";

  /** A message without fields. */
  static Message of(String kind) {
    return new Message(kind, new LinkedHashMap<>());
  }

  /** Adds a field, and is the message again. */
  Message with(String name, Object value) {
    fields.put(name, value.toString());
    return this;
  }

  /** A field that must be there. */
  String get(String name) {
    String value = fields.get(name);
    if (value == null) {
      throw new IllegalArgumentException("a message of kind " + kind + " lacks " + name);
    }
    return value;
  }

  /** A field that is a whole number. */
  long number(String name) {
    return Long.parseLong(get(name));
  }

  /** A field that is a number. */
  double real(String name) {
    return Double.parseDouble(get(name));
  }

  /** The line, without its end. */
  String line() {
    StringBuilder line = new StringBuilder(MARK).append(kind);
    fields.forEach(
        (name, value) ->
            line.append(' ')
                .append(name)
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
    return line.toString();
  }

  /** Reads a line, or gives null if it is not of this protocol. */
  static @Nullable Message parse(String line) {
    if (!line.startsWith(MARK)) {
      return null;
    }
    String[] parts = line.substring(MARK.length()).split(" ", -1);
    Message message = of(parts[0]);
    for (int i = 1; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      if (equals < 0) {
        return null;
      }
      message.with(
          parts[i].substring(0, equals),
          URLDecoder.decode(parts[i].substring(equals + 1), StandardCharsets.UTF_8));
    }
    return message;
  }
}
