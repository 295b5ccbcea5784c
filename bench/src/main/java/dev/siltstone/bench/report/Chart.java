package dev.siltstone.bench.report;

import java.util.List;

/**
 * A plot of lines over numbers or over named places.
 *
 * @param title above it
 * @param x what goes to the right
 * @param y what goes up
 * @param scale how up is divided
 * @param places names of the places to the right; none if x is a number
 * @param lines the lines
 */
public record Chart(String title, Axis x, Axis y, Scale scale, Places places, List<Line> lines) {

  /** How an axis is divided. */
  public enum Scale {
    /** Evenly, from 0. */
    LINEAR,
    /** By powers of ten, around the figures. */
    LOG,
    /** By powers of ten, from 1, so that plots of rates compare and a flat line looks flat. */
    LOG_FROM_ONE
  }

  /**
   * A direction.
   *
   * @param label with its unit, as beside the axis
   * @param unit as behind a number
   */
  public record Axis(String label, String unit) {}

  /**
   * Names instead of numbers to the right.
   *
   * @param names from left to right
   * @param ordered whether they follow from each other, so that a line may join them
   */
  public record Places(List<String> names, boolean ordered) {
    /** To the right goes a number. */
    public static final Places NUMBERS = new Places(List.of(), true);
  }

  /**
   * One line.
   *
   * @param label in the legend
   * @param xs places; ignored over named places
   * @param values as many as there are places; NaN leaves a gap
   */
  public record Line(String label, List<Double> xs, List<Double> values) {}

  /** Writes what the page's script draws from. */
  void write(JsonWriter json) {
    json.object();
    json.name("x").value(x.label()).name("xUnit").value(x.unit());
    json.name("y").value(y.label()).name("unit").value(y.unit());
    json.name("scale").value(scale.name());
    json.name("joined").value(places.ordered());
    json.name("places").array();
    places.names().forEach(json::value);
    json.end();
    json.name("xs").array();
    if (places.names().isEmpty()) {
      lines.getFirst().xs().forEach(json::value);
    } else {
      for (int i = 0; i < places.names().size(); i++) {
        json.value(i);
      }
    }
    json.end();
    json.name("lines").array();
    for (Line line : lines) {
      json.object().name("label").value(line.label()).name("values").array();
      line.values().forEach(json::value);
      json.end().end();
    }
    json.end().end();
  }
}
