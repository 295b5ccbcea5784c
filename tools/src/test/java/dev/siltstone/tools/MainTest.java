package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/// Goal: what a person types first is answered, and what is wrong is said on the error stream with
/// the right exit status. Method: runs the command line in this process on captured writers.
final class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void helpNamesTheCommand() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("Usage: siltstone").contains("help");
  }

  @Test
  void versionIsTheOneOfTheBuild() {
    assertThat(run("--version")).isZero();
    assertThat(out.toString()).matches("(?s)siltstone \\d+\\.\\d+\\.\\d+.*Java .*");
  }

  @Test
  void nothingToDoIsAMistake() {
    assertThat(run()).isEqualTo(2);
    assertThat(err.toString()).contains("Usage: siltstone");
  }

  @Test
  void unknownCommandIsAMistake() {
    assertThat(run("polish")).isEqualTo(2);
    assertThat(err.toString()).contains("polish");
    assertThat(out.toString()).isEmpty();
  }

  private int run(String... args) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
  }
}
