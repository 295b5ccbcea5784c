package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/// Goal: columns stand under each other and no line ends in spaces. Method: exact text.
final class TableTest {

  @Test
  void namesStandLeftAndFiguresRight() {
    String text =
        new Table("name", ">bytes", "note")
            .row("a", "1 B", "x")
            .row("longer \u00fc", "1,000 B", "")
            .text();
    assertThat(text)
        .isEqualTo(
            """
            name        bytes  note
            a             1 B  x
            longer \u00fc  1,000 B
            """);
  }

  @Test
  void aRowHasACellForEachColumn() {
    assertThatThrownBy(() -> new Table("a", "b").row("1"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
