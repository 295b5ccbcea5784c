package dev.siltstone.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A value read from JSON. Asking for what is not there, or is of another type, is an {@link
 * IllegalArgumentException} that names the place.
 */
public final class Json {
  private final String place;
  private final @Nullable Object value;

  private Json(String place, @Nullable Object value) {
    this.place = place;
    this.value = value;
  }

  /**
   * Reads a text.
   *
   * @throws IllegalArgumentException if it is not JSON
   */
  public static Json parse(String text) {
    return new Json("", new JsonParser(text).parse());
  }

  /** A field that must be there. */
  public Json get(String name) {
    Map<?, ?> fields = fields();
    if (!fields.containsKey(name)) {
      throw new IllegalArgumentException(where() + " has no \"" + name + "\"");
    }
    return new Json(place + (place.isEmpty() ? "" : ".") + name, fields.get(name));
  }

  /** Whether there is such a field, and it is not null. */
  public boolean has(String name) {
    return fields().get(name) != null;
  }

  /** Names of the fields, in order. */
  public List<String> names() {
    List<String> names = new ArrayList<>();
    fields().keySet().forEach(name -> names.add(String.valueOf(name)));
    return names;
  }

  /** The items of an array. */
  public List<Json> items() {
    if (!(value instanceof List<?> list)) {
      throw new IllegalArgumentException(where() + " is not an array");
    }
    List<Json> items = new ArrayList<>();
    for (Object item : list) {
      items.add(new Json(place + "[" + items.size() + "]", item));
    }
    return items;
  }

  /** A string. */
  public String text() {
    if (!(value instanceof String text)) {
      throw new IllegalArgumentException(where() + " is not a string");
    }
    return text;
  }

  /** A number; NaN for null, which is how NaN is written. */
  public double real() {
    if (value == null) {
      return Double.NaN;
    }
    if (!(value instanceof Double number)) {
      throw new IllegalArgumentException(where() + " is not a number");
    }
    return number;
  }

  /** A whole number. */
  public long whole() {
    double number = real();
    if (number != Math.rint(number)) {
      throw new IllegalArgumentException(where() + " is not a whole number");
    }
    return (long) number;
  }

  /** True or false. */
  public boolean flag() {
    if (!(value instanceof Boolean flag)) {
      throw new IllegalArgumentException(where() + " is not true or false");
    }
    return flag;
  }

  private Map<?, ?> fields() {
    if (!(value instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException(where() + " is not an object");
    }
    return map;
  }

  private String where() {
    return place.isEmpty() ? "the whole" : place;
  }
}
