package dev.siltstone.tools.lines;

/** The reason why a line is bad, on its way to where the number of the line is known. */
final class BadFieldException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String reason;

  BadFieldException(String reason) {
    super(reason);
    this.reason = reason;
  }

  String reason() {
    return reason;
  }
}
