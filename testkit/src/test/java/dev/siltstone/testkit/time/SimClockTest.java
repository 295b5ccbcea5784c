package dev.siltstone.testkit.time;

// Goal: the clock moves when told and only then; jumps touch the wall clock alone.
// Method: examples.

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class SimClockTest {

  @Test
  void advanceMovesBothClocks() {
    SimClock clock = new SimClock(5_000_000);
    assertThat(clock.wallMicros()).isEqualTo(5_000_000);
    assertThat(clock.nanoTime()).isZero();
    for (int i = 0; i < 3; i++) {
      clock.advance(500);
    }
    assertThat(clock.wallMicros()).isEqualTo(5_000_001);
    assertThat(clock.nanoTime()).isEqualTo(1_500);
    assertThatThrownBy(() -> clock.advance(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void jumpsMoveTheWallClockOnly() {
    SimClock clock = new SimClock(5_000_000);
    clock.jumpWall(-1_000_000);
    assertThat(clock.wallMicros()).isEqualTo(4_000_000);
    clock.advance(3_000);
    clock.setWallMicros(9);
    assertThat(clock.wallMicros()).isEqualTo(9);
    assertThat(clock.nanoTime()).isEqualTo(3_000);
  }
}
