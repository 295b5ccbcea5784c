package dev.siltstone.tools;

/** Ends a command; the message is the one line that the person reads: what, where, what to do. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CommandException(String message) {
    super(message);
  }

  CommandException(String message, Throwable cause) {
    super(message, cause);
  }
}
