package dev.siltstone.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

// Goal: what comes out is JSON, always.
// Method: golden texts, and every call where it does not belong.
final class JsonWriterTest {
  @Test
  void valuesNestAndAreIndented() {
    String text =
        new JsonWriter()
            .object()
            .name("a")
            .array()
            .value(1)
            .value(1.5)
            .value(2.0)
            .value(true)
            .value((String) null)
            .object()
            .end()
            .array()
            .end()
            .end()
            .name("b")
            .value("x")
            .end()
            .text();

    assertThat(text)
        .isEqualTo(
            """
            {
              "a": [
                1,
                1.5,
                2,
                true,
                null,
                {},
                []
              ],
              "b": "x"
            }
            """);
  }

  @Test
  void textsAreEscapedAndNumbersThatJsonLacksAreNull() {
    assertThat(new JsonWriter().value("\"\\\n\r\t\u0001</script>é").text())
        .isEqualTo("\"\\\"\\\\\\n\\r\\t\\u0001\\u003c/script>é\"\n");
    assertThat(new JsonWriter().value(Double.NaN).text()).isEqualTo("null\n");
    assertThat(new JsonWriter().value(Double.POSITIVE_INFINITY).text()).isEqualTo("null\n");
  }

  @Test
  void callsThatDoNotBelongAreRefused() {
    assertThatThrownBy(() -> new JsonWriter().end()).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new JsonWriter().name("a")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new JsonWriter().object().value(1))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new JsonWriter().object().name("a").end())
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new JsonWriter().object().name("a").name("b"))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new JsonWriter().value(1).value(2))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new JsonWriter().array().text())
        .isInstanceOf(IllegalStateException.class);
  }
}
