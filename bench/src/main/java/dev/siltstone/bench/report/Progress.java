package dev.siltstone.bench.report;

import dev.siltstone.base.time.Clock;
import java.io.PrintWriter;

/**
 * Says how far a long work is: on a terminal one line that changes, else a whole line now and then.
 *
 * <p>The work is a row of steps with a weight each, about the seconds it takes; only their ratios
 * matter, since the time left is reckoned from what the finished ones really took. One thread at a
 * time.
 */
public final class Progress implements Stages {
  private static final long TERMINAL_NANOS = 100_000_000L;
  private static final long LINE_NANOS = 10_000_000_000L;
  private static final String ERASE = "\r\u001b[K";

  private final PrintWriter out;
  private final boolean terminal;
  private final Clock clock;
  private final double total;
  private final long begin;
  private double done;
  private double weight;
  private double share;
  private String label = "";
  private long said;

  /**
   * Progress of a work that has not begun.
   *
   * @param total sum of the weights of all steps
   */
  public Progress(PrintWriter out, boolean terminal, Clock clock, double total) {
    this.out = out;
    this.terminal = terminal;
    this.clock = clock;
    this.total = total;
    begin = clock.nanoTime();
    said = begin - (terminal ? TERMINAL_NANOS : 0);
  }

  @Override
  public void step(String name, double ofWeight) {
    done += weight;
    label = name;
    weight = ofWeight;
    at(0);
  }

  @Override
  public void at(double ofStep) {
    share = Math.clamp(ofStep, 0, 1);
    long now = clock.nanoTime();
    if (now - said >= (terminal ? TERMINAL_NANOS : LINE_NANOS)) {
      said = now;
      String line = line(now);
      out.print(terminal ? ERASE + line : line + System.lineSeparator());
      out.flush();
    }
  }

  /** Prints a text that stays, above the line that changes. */
  public void print(String text) {
    if (terminal) {
      out.print(ERASE);
    }
    out.println(text);
    out.flush();
  }

  /** Ends the last step and takes the line away. */
  public void finish() {
    if (terminal) {
      out.print(ERASE);
      out.flush();
    }
  }

  private String line(long now) {
    double part = total <= 0 ? 1 : Math.min(1, (done + share * weight) / total);
    String left = "";
    double seconds = (now - begin) / 1e9;
    if (part > 0.02 && seconds > 1) {
      left = "   about " + Units.span(seconds * (1 - part) / part) + " left";
    }
    return "%3d %%  %s%s".formatted((int) (100 * part), label, left);
  }
}
