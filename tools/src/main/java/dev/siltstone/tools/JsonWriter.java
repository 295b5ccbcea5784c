package dev.siltstone.tools;

import dev.siltstone.tools.lines.JsonString;
import org.jspecify.annotations.Nullable;

/**
 * Builds one JSON value (RFC 8259) on one line. Calls must nest as the text does; one that does not
 * is an {@link IllegalStateException}.
 *
 * <pre>{@code
 * new JsonWriter().object().member("files", 3).array("trees").text("default").end().end()
 * }</pre>
 */
final class JsonWriter {
  private final StringBuilder out = new StringBuilder();

  /** What is open, outermost first: '{' or '['. */
  private final StringBuilder open = new StringBuilder();

  /** Begins an object: the whole, or one in an array. */
  JsonWriter object() {
    separate('[');
    return begin('{');
  }

  /** Begins a member that is an object. */
  JsonWriter object(String name) {
    name(name);
    return begin('{');
  }

  /** Begins a member that is an array. */
  JsonWriter array(String name) {
    name(name);
    return begin('[');
  }

  /** Adds a text to an array. */
  JsonWriter text(String text) {
    separate('[');
    out.append(JsonString.quote(text));
    return this;
  }

  /** Adds a member that is a text, or null. */
  JsonWriter member(String name, @Nullable String value) {
    name(name);
    out.append(value == null ? "null" : JsonString.quote(value));
    return this;
  }

  /** Adds a member that is a whole number. */
  JsonWriter member(String name, long value) {
    name(name);
    out.append(value);
    return this;
  }

  /** Adds a member that is true or false. */
  JsonWriter member(String name, boolean value) {
    name(name);
    out.append(value);
    return this;
  }

  /** Ends the innermost object or array. */
  JsonWriter end() {
    if (open.isEmpty()) {
      throw new IllegalStateException("nothing to end: " + out);
    }
    char kind = open.charAt(open.length() - 1);
    open.setLength(open.length() - 1);
    out.append(kind == '{' ? '}' : ']');
    return this;
  }

  @Override
  public String toString() {
    if (!open.isEmpty() || out.isEmpty()) {
      throw new IllegalStateException("not a whole value: " + out);
    }
    return out.toString();
  }

  private JsonWriter begin(char kind) {
    out.append(kind);
    open.append(kind);
    return this;
  }

  private void name(String name) {
    separate('{');
    out.append(JsonString.quote(name)).append(':');
  }

  /** Prepares for the next part of what is open, which must be of a kind. */
  private void separate(char kind) {
    boolean fits =
        open.isEmpty() ? kind == '[' && out.isEmpty() : open.charAt(open.length() - 1) == kind;
    if (!fits) {
      throw new IllegalStateException("not here: " + out);
    }
    if (!out.isEmpty() && "{[".indexOf(out.charAt(out.length() - 1)) < 0) {
      out.append(',');
    }
  }
}
