package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.testkit.time.SimClock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: a person sees how far it is and how long it takes, a log file sees nothing. Method: a
/// clock moved by hand, exact lines.
final class ProgressTest {
  private final SimClock clock = new SimClock();
  private final StringWriter err = new StringWriter();

  @Test
  void tellsShareRateAndTimeLeft() {
    try (Progress progress = new Progress(terminal(true), "loading x")) {
      progress.update(1, 1, 4_000);
      advanceMillis(2_000);
      progress.update(1_000, 1_000, 4_000);
    }
    assertThat(lines())
        .containsExactly("", "loading x  25.0 %  1,000 entries  500/s  6 s left", "");
  }

  @Test
  void tellsBytes() {
    try (Progress progress = new Progress(terminal(true), "verifying x")) {
      advanceMillis(2_000);
      progress.updateBytes(1 << 20, 4 << 20);
      progress.updateBytes(2 << 20, 4 << 20);
    }
    assertThat(lines())
        .containsExactly("", "verifying x  25.0 %  1.0 MiB  512.0 KiB/s  6 s left", "");
    try (Progress progress = new Progress(terminal(false), "verifying x")) {
      advanceMillis(2_000);
      progress.updateBytes(1, 2);
    }
    assertThat(lines()).hasSize(3);
  }

  @Test
  void saysNothingOfTheEndWhenNobodyKnowsIt() {
    try (Progress progress = new Progress(terminal(true), "loading -")) {
      advanceMillis(2_000);
      progress.update(1_000, 5, 0);
    }
    assertThat(lines()).containsExactly("", "loading -  1,000 entries  500/s", "");
  }

  @Test
  void drawsAFewTimesASecondOnly() {
    try (Progress progress = new Progress(terminal(true), "x")) {
      for (int i = 1; i <= 100_000; i++) {
        if (i % 100 == 0) {
          advanceMillis(1);
        }
        progress.update(i, i, 100_000);
      }
    }
    // One second in all; the last piece clears the line.
    assertThat(lines()).hasSizeBetween(5, 7);
  }

  @Test
  void whatIsShortDrawsNothing() {
    try (Progress progress = new Progress(terminal(true), "x")) {
      progress.update(1, 1, 1);
    }
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void isSilentWhereNobodyWatches() {
    try (Progress progress = new Progress(terminal(false), "x")) {
      advanceMillis(5_000);
      progress.update(1_000, 1, 2);
    }
    assertThat(err.toString()).isEmpty();
  }

  private List<String> lines() {
    return List.of(err.toString().split("\r\033\\[K", -1));
  }

  private void advanceMillis(long millis) {
    clock.advance(millis * 1_000_000);
  }

  private Terminal terminal(boolean interactive) {
    return new Terminal(
        new ByteArrayInputStream(new byte[0]),
        new Output(new ByteArrayOutputStream()),
        new PrintWriter(err),
        interactive,
        clock,
        new Interrupt());
  }
}
