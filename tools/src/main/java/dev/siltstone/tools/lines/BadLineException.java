package dev.siltstone.tools.lines;

/** A line that says no entry. The reader that threw it can go on with the line after it. */
public final class BadLineException extends Exception {
  private static final long serialVersionUID = 1L;

  private final long line;
  private final String reason;

  private final boolean header;

  BadLineException(long line, String reason, boolean header) {
    super("line " + line + ": " + reason);
    this.line = line;
    this.reason = reason;
    this.header = header;
  }

  /** The number of the line, or of the first line of the record; from 1. */
  public long line() {
    return line;
  }

  /**
   * Whether it is the header that all lines after it depend on. The reader then reads no further:
   * every later call fails in the same way.
   */
  public boolean isHeader() {
    return header;
  }

  /** What is wrong with it. */
  public String reason() {
    return reason;
  }
}
