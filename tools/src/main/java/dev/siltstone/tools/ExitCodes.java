package dev.siltstone.tools;

/** What the process ends with. Scripts rely on them. */
final class ExitCodes {
  /** Done. */
  static final int OK = 0;

  /** Failed, damage or bad data was found, or the key of a get is absent. */
  static final int FAILED = 1;

  /** The command has to be typed differently; nothing was changed. */
  static final int USAGE = 2;

  private ExitCodes() {}
}
