package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/// Goal: only whole, well-formed values come out. Method: exact text, and calls that do not nest.
final class JsonWriterTest {

  @Test
  void nestsObjectsAndArrays() {
    String text =
        new JsonWriter()
            .object()
            .member("a", 1)
            .member("b", "x\"\n\u00fc")
            .member("c", (String) null)
            .member("d", true)
            .array("e")
            .object()
            .member("f", -2)
            .end()
            .object()
            .end()
            .text("g")
            .end()
            .object("h")
            .end()
            .end()
            .toString();
    assertThat(text)
        .isEqualTo(
            "{\"a\":1,\"b\":\"x\\\"\\n\u00fc\",\"c\":null,\"d\":true,"
                + "\"e\":[{\"f\":-2},{},\"g\"],\"h\":{}}");
  }

  @Test
  void callsMustNest() {
    assertThatThrownBy(() -> new JsonWriter().member("a", 1))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new JsonWriter().object().object())
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new JsonWriter().object().end().object())
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new JsonWriter().object().end().end())
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new JsonWriter().object().toString())
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new JsonWriter().object().array("a").member("b", 1))
        .isInstanceOf(IllegalStateException.class);
  }
}
