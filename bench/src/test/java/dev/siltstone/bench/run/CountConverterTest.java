package dev.siltstone.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

// Goal: counts are read as people write them, and nothing else is.
// Method: one of each form.
final class CountConverterTest {
  private final CountConverter converter = new CountConverter();

  @Test
  void countsMayBeThousandsOrMillions() {
    assertThat(converter.convert("200000")).isEqualTo(200_000);
    assertThat(converter.convert("1_000")).isEqualTo(1000);
    assertThat(converter.convert("200k")).isEqualTo(200_000);
    assertThat(converter.convert("5M")).isEqualTo(5_000_000);
    for (String wrong : new String[] {"", "-1", "1.5M", "1G", "M", "x"}) {
      assertThatThrownBy(() -> converter.convert(wrong)).hasMessageContaining("is not a count");
    }
  }
}
