package dev.siltstone.tools.lines;

/** A line that says no entry. The reader that threw it can go on with the line after it. */
public final class BadLineException extends Exception {
  private static final long serialVersionUID = 1L;

  private final long line;
  private final String reason;

  BadLineException(long line, String reason) {
    super("line " + line + ": " + reason);
    this.line = line;
    this.reason = reason;
  }

  /** The number of the line, or of the first line of the record; from 1. */
  public long line() {
    return line;
  }

  /** What is wrong with it. */
  public String reason() {
    return reason;
  }
}
