package dev.siltstone.engine.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: a file from outside goes as deep as it may, and no compaction writes around it. */
final class PlacementTest {
  private static FileMeta file(long number, int from, int to) {
    byte[] lower = {(byte) from};
    byte[] upper = {(byte) to};
    return new FileMeta(number, 10, lower, upper, 1, number, 1, 0, 0, 0, 0, 0, 0, 9, new long[0]);
  }

  private static Version version(Map<Integer, List<FileMeta>> files) {
    List<List<FileMeta>> levels = new ArrayList<>();
    for (int level = 0; level < Version.LEVELS; level++) {
      levels.add(files.getOrDefault(level, List.of()));
    }
    return new Version(levels);
  }

  private static int level(FileMeta file, Version version, Compaction... running) {
    return Placement.of(file, version, List.of(running)).outputLevel();
  }

  private static Compaction merge(int level, FileMeta... inputs) {
    return new Compaction(
        Compaction.Action.MERGE,
        Compaction.Reason.SIZE,
        level,
        level + 1,
        List.of(inputs),
        List.of(),
        List.of());
  }

  @Test
  void sinksUntilSomethingOverlapsIt() {
    assertThat(level(file(9, 10, 20), Version.EMPTY)).isEqualTo(6);
    Version deep = version(Map.of(5, List.of(file(1, 19, 30)), 6, List.of(file(2, 0, 9))));
    assertThat(level(file(9, 10, 20), deep)).isEqualTo(4);
    assertThat(level(file(9, 10, 19), deep)).isEqualTo(6);
    assertThat(level(file(9, 30, 40), deep)).isEqualTo(6);
    Version top = version(Map.of(0, List.of(file(1, 5, 11))));
    assertThat(level(file(9, 10, 20), top)).isZero();
    assertThat(level(file(9, 11, 20), top)).isEqualTo(6);
  }

  @Test
  void takesNoPlaceThatACompactionMaySpan() {
    FileMeta left = file(1, 0, 5);
    FileMeta right = file(2, 30, 40);
    Version version = version(Map.of(5, List.of(left, right)));
    Compaction running = merge(5, left, right);
    assertThat(level(file(9, 10, 20), version, running)).isEqualTo(5);
    assertThat(level(file(9, 40, 50), version, running)).isEqualTo(6);
    Compaction higher = merge(2, left, right);
    assertThat(level(file(9, 10, 20), version, higher)).as("it passes level 3").isEqualTo(6);
    assertThat(Placement.of(file(9, 10, 20), version, List.of()).conflictsWith(running)).isTrue();
  }
}
