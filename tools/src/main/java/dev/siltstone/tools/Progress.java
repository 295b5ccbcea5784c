package dev.siltstone.tools;

import org.jspecify.annotations.Nullable;

/**
 * One line on a terminal that tells how far a long command is, how fast, and how long it will take;
 * nothing at all where nobody watches. Costs a comparison an entry, and a look at the clock every
 * {@link #STRIDE} entries.
 */
final class Progress implements AutoCloseable {
  private static final int STRIDE = 256;
  private static final long REDRAW_NANOS = 200_000_000;

  /** Nothing is said of the time left before this much is known. */
  private static final long WARM_UP_NANOS = 1_000_000_000;

  private static final String CLEAR_LINE = "\r\033[K";

  private final @Nullable Terminal terminal;
  private final String what;
  private final long startNanos;
  private long drawnNanos;
  private long nextLook = 1;

  /**
   * A line that is not yet drawn.
   *
   * @param what what is done, as the line begins
   */
  Progress(Terminal terminal, String what) {
    this.terminal = terminal.interactive() ? terminal : null;
    this.what = what;
    startNanos = terminal.clock().nanoTime();
    drawnNanos = startNanos;
  }

  /**
   * Tells what is done so far.
   *
   * @param entries entries done, growing
   * @param done how much of the work is done, in any unit
   * @param total the work in that unit; 0 if nobody knows
   */
  void update(long entries, long done, long total) {
    if (terminal == null || entries < nextLook) {
      return;
    }
    nextLook = entries + STRIDE;
    long nanos = dueNanos(terminal);
    if (nanos > 0) {
      draw(terminal, Units.entries(entries) + "  " + Units.rate(entries, nanos), done, total);
    }
  }

  /**
   * Tells how many bytes are done so far.
   *
   * @param total how many there are; 0 if nobody knows
   */
  void updateBytes(long bytes, long total) {
    if (terminal == null) {
      return;
    }
    long nanos = dueNanos(terminal);
    if (nanos > 0) {
      draw(terminal, Units.bytes(bytes) + "  " + Units.byteRate(bytes, nanos), bytes, total);
    }
  }

  /** Time since the start, if the line is to be drawn anew; else 0. */
  private long dueNanos(Terminal terminal) {
    long now = terminal.clock().nanoTime();
    if (now - drawnNanos < REDRAW_NANOS) {
      return 0;
    }
    drawnNanos = now;
    return now - startNanos;
  }

  private void draw(Terminal terminal, String amount, long done, long total) {
    terminal.err().print(CLEAR_LINE + line(amount, done, total, drawnNanos - startNanos));
    terminal.err().flush();
  }

  private String line(String amount, long done, long total, long nanos) {
    StringBuilder out = new StringBuilder(what);
    if (total > 0) {
      out.append("  ").append(Units.percent(Math.min(done, total), total));
    }
    out.append("  ").append(amount);
    if (total > done && done > 0 && nanos >= WARM_UP_NANOS) {
      double left = (double) nanos / done * (total - done);
      out.append("  ").append(Units.seconds((long) left)).append(" left");
    }
    return out.toString();
  }

  /** Removes the line. */
  @Override
  public void close() {
    if (terminal != null && drawnNanos != startNanos) {
      terminal.err().print(CLEAR_LINE);
      terminal.err().flush();
    }
  }
}
