package dev.siltstone.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A table: a head and rows of as many cells. Columns of figures are set to the right, columns of
 * text to the left.
 */
public final class Table {
  private final List<String> head;
  private final List<List<String>> rows = new ArrayList<>();

  /** A table with named columns and no rows. */
  public Table(String... head) {
    this(List.of(head));
  }

  /** A table with named columns and no rows. */
  public Table(List<String> head) {
    this.head = List.copyOf(head);
  }

  /** Adds a row. */
  public Table row(List<String> cells) {
    if (cells.size() != head.size()) {
      throw new IllegalArgumentException(head.size() + " cells are due, not " + cells.size());
    }
    rows.add(List.copyOf(cells));
    return this;
  }

  /** Adds a row. */
  public Table row(String... cells) {
    return row(List.of(cells));
  }

  /** Names of the columns. */
  public List<String> head() {
    return head;
  }

  /** Whether there are no rows. */
  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** The rows, in order. */
  public List<List<String>> rows() {
    return List.copyOf(rows);
  }

  /**
   * Whether a column holds figures: all of its cells begin with a digit, or say that there is none.
   */
  public boolean isFigures(int column) {
    return rows.stream()
        .map(row -> row.get(column))
        .allMatch(
            cell -> cell.equals("-") || (!cell.isEmpty() && Character.isDigit(cell.charAt(0))));
  }

  /** The table for a terminal, each line ended by a line feed. */
  public String text() {
    int[] widths = new int[head.size()];
    widen(widths, head);
    rows.forEach(row -> widen(widths, row));
    StringBuilder text = new StringBuilder();
    line(text, widths, head);
    List<String> rule = new ArrayList<>();
    for (int width : widths) {
      rule.add("-".repeat(width));
    }
    line(text, widths, rule);
    rows.forEach(row -> line(text, widths, row));
    return text.toString();
  }

  private static void widen(int[] widths, List<String> cells) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], cells.get(i).length());
    }
  }

  private void line(StringBuilder text, int[] widths, List<String> cells) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = cells.get(i);
      String pad = " ".repeat(widths[i] - cell.length());
      line.append("  ").append(isFigures(i) ? pad + cell : cell + pad);
    }
    text.append(line.toString().stripTrailing()).append('\n');
  }
}
