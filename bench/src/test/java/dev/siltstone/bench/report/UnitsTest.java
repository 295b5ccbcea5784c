package dev.siltstone.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

// Goal: three digits that count and a unit, at every size.
// Method: examples on both sides of every change of unit.
final class UnitsTest {
  @Test
  void ratesAndCounts() {
    assertThat(Units.rate(3.14159)).isEqualTo("3.14/s");
    assertThat(Units.rate(7)).isEqualTo("7/s");
    assertThat(Units.rate(1234)).isEqualTo("1,234/s");
    assertThat(Units.rate(9994)).isEqualTo("9,994/s");
    assertThat(Units.rate(12_345)).isEqualTo("12.3k/s");
    assertThat(Units.rate(999_499)).isEqualTo("999k/s");
    assertThat(Units.rate(999_500)).isEqualTo("1.00M/s");
    assertThat(Units.rate(12.5e9)).isEqualTo("12.5G/s");
    assertThat(Units.rate(Double.NaN)).isEqualTo("-");
    assertThat(Units.whole(1_000_000)).isEqualTo("1,000,000");
  }

  @Test
  void timesAndBytesAndRatios() {
    assertThat(Units.micros(0.5)).isEqualTo("0.50 µs");
    assertThat(Units.micros(12_345)).isEqualTo("12.3 ms");
    assertThat(Units.micros(2.5e6)).isEqualTo("2.50 s");
    assertThat(Units.micros(Double.NaN)).isEqualTo("-");
    assertThat(Units.span(4.25)).isEqualTo("4.3 s");
    assertThat(Units.span(59.4)).isEqualTo("59 s");
    assertThat(Units.span(125)).isEqualTo("2 min 5 s");
    assertThat(Units.bytes(-1)).isEqualTo("-");
    assertThat(Units.bytes(1000)).isEqualTo("1000 B");
    assertThat(Units.bytes(1536)).isEqualTo("1.50 KiB");
    assertThat(Units.bytes(3L << 30)).isEqualTo("3.00 GiB");
    assertThat(Units.ratio(2.345)).isEqualTo("2.35 x");
    assertThat(Units.ratio(123_456)).isEqualTo("123k x");
    assertThat(Units.ratio(0.5)).isEqualTo("0.50 x");
    assertThat(Units.ratio(0.0000744)).isEqualTo("0.000074 x");
    assertThat(Units.ratio(Double.NaN)).isEqualTo("-");
  }
}
