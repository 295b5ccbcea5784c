package dev.siltstone.bench.report;

import org.jspecify.annotations.Nullable;

/**
 * Writes JSON (RFC 8259), indented by two spaces. Calls must nest as the text does; a call that
 * does not is an {@link IllegalStateException}. Numbers that JSON cannot say, NaN and infinities,
 * become null.
 *
 * <pre>{@code
 * String text = new JsonWriter().object().name("rows").value(7).end().text();
 * }</pre>
 */
public final class JsonWriter {
  private static final int DEPTH_MAX = 32;

  private final StringBuilder out = new StringBuilder();

  /** What is open, outermost first: '{' or '['. */
  private final StringBuilder open = new StringBuilder();

  private boolean first = true;
  private boolean named;

  /** Begins an object. */
  public JsonWriter object() {
    return begin('{');
  }

  /** Begins an array. */
  public JsonWriter array() {
    return begin('[');
  }

  /** Ends the innermost object or array. */
  public JsonWriter end() {
    if (open.isEmpty() || named) {
      throw new IllegalStateException("nothing to end here: " + out);
    }
    char kind = open.charAt(open.length() - 1);
    open.setLength(open.length() - 1);
    if (!first) {
      newLine();
    }
    out.append(kind == '{' ? '}' : ']');
    first = false;
    return this;
  }

  /** The name of the next value; in objects only. */
  public JsonWriter name(String name) {
    if (open.isEmpty() || open.charAt(open.length() - 1) != '{' || named) {
      throw new IllegalStateException("no name is due here: " + out);
    }
    separate();
    quote(name);
    out.append(": ");
    named = true;
    return this;
  }

  /** A string, or null. */
  public JsonWriter value(@Nullable String value) {
    beforeValue();
    if (value == null) {
      out.append("null");
    } else {
      quote(value);
    }
    return this;
  }

  /** A whole number. */
  public JsonWriter value(long value) {
    beforeValue();
    out.append(value);
    return this;
  }

  /** A number; one that is not finite becomes null. */
  public JsonWriter value(double value) {
    beforeValue();
    if (Double.isFinite(value)) {
      out.append(value == Math.rint(value) && Math.abs(value) < 1e15 ? (long) value + "" : value);
    } else {
      out.append("null");
    }
    return this;
  }

  /** True or false. */
  public JsonWriter value(boolean value) {
    beforeValue();
    out.append(value);
    return this;
  }

  /** The text, with a line feed at its end. */
  public String text() {
    if (!open.isEmpty() || out.isEmpty()) {
      throw new IllegalStateException("not a whole value: " + out);
    }
    return out + "\n";
  }

  private JsonWriter begin(char kind) {
    beforeValue();
    if (open.length() == DEPTH_MAX) {
      throw new IllegalStateException("deeper than " + DEPTH_MAX);
    }
    out.append(kind);
    open.append(kind);
    first = true;
    return this;
  }

  private void beforeValue() {
    if (named) {
      named = false;
      return;
    }
    if (!open.isEmpty() && open.charAt(open.length() - 1) == '{') {
      throw new IllegalStateException("a name is due here: " + out);
    }
    if (open.isEmpty() && !out.isEmpty()) {
      throw new IllegalStateException("one value only: " + out);
    }
    if (!open.isEmpty()) {
      separate();
    }
  }

  private void separate() {
    if (!first) {
      out.append(',');
    }
    first = false;
    newLine();
  }

  private void newLine() {
    out.append('\n').repeat("  ", open.length());
  }

  private void quote(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        // '<' is escaped so that a text can stand inside a script element.
        default -> {
          if (c < ' ' || c == '<') {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
