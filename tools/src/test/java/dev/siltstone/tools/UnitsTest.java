package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Goal: numbers read well at every size. Method: examples, above all where a unit changes.
final class UnitsTest {

  @Test
  void bytesAreInBinaryUnits() {
    assertThat(Units.bytes(0)).isEqualTo("0 B");
    assertThat(Units.bytes(1023)).isEqualTo("1023 B");
    assertThat(Units.bytes(1024)).isEqualTo("1.0 KiB");
    assertThat(Units.bytes((1 << 20) - 1)).isEqualTo("1.0 MiB");
    assertThat(Units.bytes(3L << 29)).isEqualTo("1.5 GiB");
    assertThat(Units.bytes(Long.MAX_VALUE)).isEqualTo("8.0 EiB");
  }

  @Test
  void countsHaveTheirThousandsApart() {
    assertThat(Units.count(1_234_567)).isEqualTo("1,234,567");
    assertThat(Units.entries(1)).isEqualTo("1 entry");
    assertThat(Units.entries(0)).isEqualTo("0 entries");
    assertThat(Units.percent(1, 8)).isEqualTo("12.5 %");
    assertThat(Units.percent(0, 0)).isEqualTo("-");
  }

  @Test
  void timesAreInTheUnitThatSuitsThem() {
    assertThat(Units.nanos(999)).isEqualTo("999 ns");
    assertThat(Units.nanos(1_500)).isEqualTo("1.5 us");
    assertThat(Units.nanos(2_000_000)).isEqualTo("2.0 ms");
    assertThat(Units.nanos(1_250_000_000L)).isEqualTo("1.3 s");
    assertThat(Units.nanos(59_900_000_000L)).isEqualTo("1 min 0 s");
    assertThat(Units.nanos(3_723_000_000_000L)).isEqualTo("1 h 2 min");
    assertThat(Units.seconds(1)).isEqualTo("1 s");
    assertThat(Units.seconds(59_000_000_000L)).isEqualTo("59 s");
    assertThat(Units.seconds(59_000_000_001L)).isEqualTo("1 min 0 s");
  }

  @Test
  void ratesArePerSecond() {
    assertThat(Units.rate(5_000, 2_000_000_000L)).isEqualTo("2,500/s");
    assertThat(Units.byteRate(1 << 20, 500_000_000L)).isEqualTo("2.0 MiB/s");
    assertThat(Units.rate(0, 0)).isEqualTo("0/s");
  }
}
