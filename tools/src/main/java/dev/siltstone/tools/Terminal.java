package dev.siltstone.tools;

import dev.siltstone.base.time.Clock;
import java.io.InputStream;
import java.io.PrintWriter;

/**
 * What a command meets of the world besides files.
 *
 * @param in the standard input
 * @param out where results go
 * @param err where progress, notes and errors go
 * @param interactive whether a person sees {@code err} as it is written
 * @param clock tells how long things take
 * @param interrupt whether the person wants the command to end
 */
record Terminal(
    InputStream in,
    Output out,
    PrintWriter err,
    boolean interactive,
    Clock clock,
    Interrupt interrupt) {

  /** A line for the person, beside the results. */
  void note(String line) {
    err.println(line);
    err.flush();
  }
}
