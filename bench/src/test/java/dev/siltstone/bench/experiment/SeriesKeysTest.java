package dev.siltstone.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

// Goal: rows of a metric lie together, in the order of time.
// Method: keys that differ in one part each.
final class SeriesKeysTest {
  @Test
  void keysOfRowsOrderByMetricAndTime() {
    SeriesKeys keys = new SeriesKeys();
    byte[] key = keys.key(42, 7);

    assertThat(key).hasSize(21);
    assertThat(new String(key, 0, 12, StandardCharsets.ISO_8859_1)).isEqualTo("metric-00042");
    assertThat(keys.time(key)).isEqualTo(7);
    assertThat(keys.belongs(key, 42)).isTrue();
    assertThat(keys.belongs(key, 43)).isFalse();
    assertThat(java.util.Arrays.compareUnsigned(key, keys.last(42))).isNegative();
    assertThat(java.util.Arrays.compareUnsigned(keys.last(42), keys.key(43, 0))).isNegative();
  }
}
