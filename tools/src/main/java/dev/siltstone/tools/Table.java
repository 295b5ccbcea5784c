package dev.siltstone.tools;

import java.util.ArrayList;
import java.util.List;

/** Text in columns as wide as they must be: names to the left, figures to the right. */
final class Table {
  private static final String GAP = "  ";

  private final List<String[]> rows = new ArrayList<>();
  private final String[] header;
  private final boolean[] right;

  /**
   * An empty table.
   *
   * @param columns the header; a name that begins with {@code >} has its column set to the right
   */
  Table(String... columns) {
    header = new String[columns.length];
    right = new boolean[columns.length];
    for (int i = 0; i < columns.length; i++) {
      right[i] = columns[i].startsWith(">");
      header[i] = right[i] ? columns[i].substring(1) : columns[i];
    }
  }

  /** Adds a row, one cell for each column. */
  Table row(String... cells) {
    if (cells.length != header.length) {
      throw new IllegalArgumentException(cells.length + " cells in " + header.length + " columns");
    }
    rows.add(cells.clone());
    return this;
  }

  /** The table, each line ended by a line feed, without spaces at line ends. */
  String text() {
    int[] widths = new int[header.length];
    measure(header, widths);
    rows.forEach(row -> measure(row, widths));
    StringBuilder out = new StringBuilder();
    append(out, header, widths);
    rows.forEach(row -> append(out, row, widths));
    return out.toString();
  }

  private static void measure(String[] row, int[] widths) {
    for (int i = 0; i < row.length; i++) {
      widths[i] = Math.max(widths[i], width(row[i]));
    }
  }

  private void append(StringBuilder out, String[] row, int[] widths) {
    int start = out.length();
    for (int i = 0; i < row.length; i++) {
      out.append(i == 0 ? "" : GAP);
      int fill = widths[i] - width(row[i]);
      if (right[i]) {
        out.repeat(' ', fill).append(row[i]);
      } else {
        out.append(row[i]).repeat(' ', fill);
      }
    }
    int end = out.length();
    while (end > start && out.charAt(end - 1) == ' ') {
      end--;
    }
    out.setLength(end);
    out.append('\n');
  }

  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
