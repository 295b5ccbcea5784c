package dev.siltstone.tools;

/** Ends a command; the message is the one line that the person reads: what, where, what to do. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  /** Something failed while the command was carried out. */
  CommandException(String message) {
    super(message);
    status = ExitCodes.FAILED;
  }

  /** As {@link #CommandException(String)}, with what is behind it. */
  CommandException(String message, Throwable cause) {
    super(message, cause);
    status = ExitCodes.FAILED;
  }

  private CommandException(int status, String message) {
    super(message);
    this.status = status;
  }

  /**
   * The command as it was typed cannot be carried out: an option, or what a path or a name refers
   * to. Nothing has been written when it is thrown.
   */
  static CommandException usage(String message) {
    return new CommandException(ExitCodes.USAGE, message);
  }

  /** What the process ends with. */
  int status() {
    return status;
  }
}
