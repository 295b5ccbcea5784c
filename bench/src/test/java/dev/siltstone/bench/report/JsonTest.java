package dev.siltstone.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Goal: what JsonWriter wrote is read back, and what is not JSON is refused with its place.
// Method: a round trip, then texts with one mistake each.
final class JsonTest {
  @Test
  void whatWasWrittenIsReadBack() {
    String awkward = "a\"\\\n\t\u0001<ä";
    String text =
        new JsonWriter()
            .object()
            .name("text")
            .value(awkward)
            .name("list")
            .array()
            .value(1)
            .value(-2.5e-7)
            .value(Double.NaN)
            .value(true)
            .end()
            .name("empty")
            .array()
            .end()
            .name("none")
            .object()
            .end()
            .end()
            .text();

    Json json = Json.parse(text);

    assertThat(json.names()).containsExactly("text", "list", "empty", "none");
    assertThat(json.get("text").text()).isEqualTo(awkward);
    assertThat(json.get("list").items()).hasSize(4);
    assertThat(json.get("list").items().get(0).whole()).isEqualTo(1);
    assertThat(json.get("list").items().get(1).real()).isEqualTo(-2.5e-7);
    assertThat(json.get("list").items().get(2).real()).isNaN();
    assertThat(json.get("list").items().get(3).flag()).isTrue();
    assertThat(json.get("empty").items()).isEmpty();
    assertThat(json.get("none").names()).isEmpty();
    assertThat(json.has("nothing")).isFalse();
    assertThat(Json.parse(" \"\\u0041\\/\\b\\f\\r\" ").text()).isEqualTo("A/\b\f\r");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "{", "[1", "[1,]", "{\"a\" 1}", "{\"a\":1,\"a\":2}", "{a:1}", "tru", "nul", "1 2",
        "01", "+1", "1.", ".5", "1e", "-", "\"a", "\"\\x\"", "\"\\u00\"", "\"\\u00zz\"",
        "\"a\nb\"", "[1}", "NaN"
      })
  void whatIsNotJsonIsRefusedWithItsPlace(String text) {
    assertThatThrownBy(() -> Json.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not JSON at line ");
  }

  @Test
  void nestingHasAnEnd() {
    assertThatThrownBy(() -> Json.parse("[".repeat(100_000))).hasMessageContaining("deeper than");
  }

  @Test
  void whatIsNotThereIsToldWithItsPlace() {
    Json json = Json.parse("{\"a\": [{\"b\": 1.5}], \"c\": \"x\"}");

    Json item = json.get("a").items().getFirst();
    assertThatThrownBy(() -> item.get("d")).hasMessage("a[0] has no \"d\"");
    assertThatThrownBy(() -> item.get("b").whole()).hasMessage("a[0].b is not a whole number");
    assertThatThrownBy(() -> item.get("b").text()).hasMessage("a[0].b is not a string");
    assertThatThrownBy(() -> item.get("b").flag()).hasMessage("a[0].b is not true or false");
    assertThatThrownBy(() -> json.get("c").items()).hasMessage("c is not an array");
    assertThatThrownBy(() -> json.get("c").names()).hasMessage("c is not an object");
    assertThatThrownBy(() -> json.get("c").real()).hasMessage("c is not a number");
    assertThatThrownBy(() -> Json.parse("1").get("x")).hasMessage("the whole is not an object");
  }
}
