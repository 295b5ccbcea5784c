package dev.siltstone.bench.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

// Goal: engines are found by the names that people type, and say what they are.
// Method: the whole list, and a name that is not in it.
final class EngineTest {
  @Test
  void everyEngineIsFoundByItsLabelAndSaysItsSettings() {
    for (Engine engine : Engine.values()) {
      assertThat(Engine.of(engine.label())).isEqualTo(engine);
      assertThat(engine.about()).isNotBlank();
      assertThat(engine.settings(StoreConfig.DEFAULT)).isNotBlank();
    }
  }

  @Test
  void anUnknownEngineIsAnsweredWithThoseThereAre() {
    assertThatThrownBy(() -> Engine.of("leveldb"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"leveldb\"")
        .hasMessageContaining("siltstone, rocksdbjni, iq80");
  }

  @Test
  void aConfigWithoutRoomIsRefused() {
    assertThatThrownBy(() -> new StoreConfig(0, 1 << 20, true, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 MiB");
  }
}
