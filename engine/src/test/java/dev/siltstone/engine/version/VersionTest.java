package dev.siltstone.engine.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a version takes files in the order of their age only. Method: small cases. */
final class VersionTest {
  private static FileMeta file(long number, long maxTime) {
    return new FileMeta(
        number,
        10,
        new byte[] {1},
        new byte[] {9},
        1,
        maxTime,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        9,
        new long[0]);
  }

  private static Version version(FileMeta... level0) {
    List<List<FileMeta>> levels = new ArrayList<>();
    levels.add(List.of(level0));
    while (levels.size() < Version.LEVELS) {
      levels.add(List.of());
    }
    return new Version(levels);
  }

  @Test
  void levelZeroFallsByTimeWhateverTheNumbers() {
    assertThat(version(file(3, 20), file(8, 10)).level(0)).hasSize(2);
    assertThat(version(file(8, 10), file(3, 10)).level(0)).hasSize(2);
    assertThatThrownBy(() -> version(file(8, 10), file(3, 20)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("level 0");
    assertThatThrownBy(() -> version(file(3, 10), file(8, 10)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void builderPutsLevelZeroInThatOrder() {
    StateBuilder builder = new StateBuilder(StoreState.EMPTY);
    VersionEdit edit = new VersionEdit().createTree(1, "t", new byte[0]);
    builder.apply(edit.addFile(1, 0, file(8, 10)).addFile(1, 0, file(3, 20)));
    TreeState tree = builder.build().tree(1);
    assertThat(tree).isNotNull();
    assertThat(tree.version().level(0)).extracting(FileMeta::number).containsExactly(3L, 8L);
  }
}
