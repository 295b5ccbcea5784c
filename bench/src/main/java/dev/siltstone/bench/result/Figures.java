package dev.siltstone.bench.result;

import dev.siltstone.bench.report.Units;

/** Named figures as a person reads them: the unit is in the name. */
final class Figures {
  private static final String RATE = "_per_s";
  private static final String MICROS = "_us";
  private static final String BYTES = "_bytes";
  private static final String RATIO = "_over_";

  private Figures() {}

  /** The name without its unit. */
  static String label(String name) {
    String label = name;
    for (String unit : new String[] {RATE, MICROS, BYTES}) {
      if (name.endsWith(unit)) {
        label = name.substring(0, name.length() - unit.length());
      }
    }
    return label.replace('_', ' ');
  }

  /** The figure with its unit; "-" if there is none. */
  static String text(String name, double figure) {
    if (!Double.isFinite(figure)) {
      return "-";
    }
    if (name.endsWith(RATE)) {
      return Units.rate(figure);
    }
    if (name.endsWith(MICROS)) {
      return Units.micros(figure);
    }
    if (name.endsWith(BYTES)) {
      return Units.bytes((long) figure);
    }
    return name.contains(RATIO) ? Units.ratio(figure) : Units.count(figure);
  }
}
