package dev.siltstone.testkit.golden;

// Goal: files are read as the Javadoc says, differences are told, and rewriting is stable.
// Method: small files in a temporary directory.

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_PROPERTIES)
final class GoldenTestTest {
  private static final String TEXT =
      """
      # The echo gives its input back.

      echo
      one
      two
      ----
      one
      two

      lines n=3 wide
      ----
      ----
      0

      1

      2

      ----
      ----

      echo
      ----

      # The end.
      """;

  @TempDir Path directory;
  private final List<GoldenTest.Case> seen = new ArrayList<>();
  private String before;

  @BeforeEach
  void compare() {
    before = System.clearProperty(GoldenTest.REWRITE);
  }

  @AfterEach
  void restore() {
    if (before == null) {
      System.clearProperty(GoldenTest.REWRITE);
    } else {
      System.setProperty(GoldenTest.REWRITE, before);
    }
  }

  private Path file(String text) throws IOException {
    return Files.writeString(directory.resolve("cases.txt"), text);
  }

  private String run(GoldenTest.Case input) {
    seen.add(input);
    if (input.command().equals("echo")) {
      return input.input();
    }
    StringBuilder output = new StringBuilder();
    for (int i = 0; i < input.number("n", 1); i++) {
      output.append(i).append("\n\n");
    }
    return output.toString();
  }

  @Test
  void matchingFilePasses() throws Exception {
    GoldenTest.run(file(TEXT), this::run);

    assertThat(seen).extracting(GoldenTest.Case::line).containsExactly(3, 10, 22);
    assertThat(seen.get(0).input()).isEqualTo("one\ntwo\n");
    assertThat(seen.get(1).arguments()).containsExactly("n=3", "wide");
    assertThat(seen.get(1).number("n", 1)).isEqualTo(3);
    assertThat(seen.get(1).argument("m", "none")).isEqualTo("none");
    assertThat(seen.get(1).has("wide")).isTrue();
    assertThat(seen.get(2).input()).isEmpty();
  }

  @Test
  void differencesAreToldWithFileAndLine() throws Exception {
    String wrong = TEXT.replace("----\none", "----\nONE").replace("n=3", "n=2");

    assertThatThrownBy(() -> GoldenTest.run(file(wrong), this::run))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("cases.txt:3: expected\nONE\ntwo\nbut was\none\ntwo\n")
        .hasMessageContaining("cases.txt:10:")
        .hasMessageContaining("-Dsiltstone.rewrite=true");
  }

  @Test
  void rewritingGivesWhatWouldPass() throws Exception {
    System.setProperty(GoldenTest.REWRITE, "true");
    Path file = file(TEXT.replace("----\none", "----\nONE").replace("----\n0\n", "----\n7\n"));
    GoldenTest.run(file, this::run);

    assertThat(Files.readString(file, UTF_8)).isEqualTo(TEXT);
  }

  @Test
  void caseWithoutFenceIsAMistake() {
    assertThatThrownBy(() -> GoldenTest.run(file("echo\none\n"), this::run))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cases.txt:1");
    assertThatThrownBy(() -> GoldenTest.run(file("echo\n----\n----\none\n"), this::run))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
