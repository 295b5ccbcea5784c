package dev.siltstone.tools;

import dev.siltstone.base.time.Clock;
import dev.siltstone.testkit.time.SimClock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/// Runs commands as a person does, but on captured streams: what was printed last is kept.
final class Session {
  final SimClock clock = new SimClock();
  Interrupt interrupt = new Interrupt();
  boolean interactive;

  /// How far each look at the clock moves it.
  long tickNanos;

  private byte[] input = {};
  private byte[] out = {};
  private String err = "";

  /// Words of the API, which a person at a command line knows nothing of.
  private static final Pattern API_WORDS =
      Pattern.compile("\\b(Db|Components|Options|TreeOptions)\\.[a-z]\\w+|createIfMissing");

  /// Runs a command and returns its exit status.
  int run(String... args) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    StringWriter notes = new StringWriter();
    Terminal terminal =
        new Terminal(
            new ByteArrayInputStream(input),
            new Output(bytes),
            new PrintWriter(notes, true),
            interactive,
            ticking(),
            interrupt);
    int status = Main.run(terminal, args);
    input = new byte[0];
    out = bytes.toByteArray();
    err = notes.toString();
    if (!List.of(args).contains("--debug") && API_WORDS.matcher(err).find()) {
      throw new AssertionError("speaks of the API: " + err);
    }
    return status;
  }

  /// Runs a command that must succeed, and returns what it printed.
  String ok(String... args) {
    int status = run(args);
    if (status != 0) {
      throw new AssertionError(
          "siltstone " + String.join(" ", args) + ": status " + status + ", " + err);
    }
    return out();
  }

  private Clock ticking() {
    return new Clock() {
      @Override
      public long wallMicros() {
        return clock.wallMicros();
      }

      @Override
      public long nanoTime() {
        clock.advance(tickNanos);
        return clock.nanoTime();
      }
    };
  }

  /// What the next command reads from its standard input.
  Session in(byte[] bytes) {
    input = bytes.clone();
    return this;
  }

  Session in(String text) {
    return in(text.getBytes(StandardCharsets.UTF_8));
  }

  String out() {
    return new String(out, StandardCharsets.UTF_8);
  }

  byte[] outBytes() {
    return out.clone();
  }

  String err() {
    return err;
  }
}
