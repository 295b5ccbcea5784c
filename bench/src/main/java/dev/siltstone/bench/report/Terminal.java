package dev.siltstone.bench.report;

import java.io.Console;

/** What is at the other end of standard input and output. */
public final class Terminal {
  private Terminal() {}

  /** Whether a person watches: both standard input and output are a terminal. */
  @SuppressWarnings("SystemConsoleNull") // It was never null in JDK 22 to 24 only.
  public static boolean isTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }
}
