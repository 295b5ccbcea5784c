package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what options of a tree allow, files can be made with. Method: a flush and a compaction at
 * both ends of each range, and a refusal beyond.
 */
final class TreeOptionsTest {
  private static final byte[] KEY = {1};

  @TempDir Path directory;

  @Test
  void filesAreMadeAtBothEndsOfEachRange() {
    writesFilesWith("least", TreeOptions.DEFAULT.withFilterBitsPerKey(0).withBlockBytes(256));
    writesFilesWith("most", TreeOptions.DEFAULT.withFilterBitsPerKey(16).withBlockBytes(1 << 20));
  }

  @Test
  void valuesBeyondAreRefusedWithTheRange() {
    assertThatThrownBy(() -> TreeOptions.DEFAULT.withFilterBitsPerKey(17))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("filterBitsPerKey 17: 0 to 16");
    assertThatThrownBy(() -> TreeOptions.DEFAULT.withBlockBytes(255))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("blockBytes 255: 256 to 1048576");
  }

  private void writesFilesWith(String tree, TreeOptions options) {
    try (Db db = Db.open(directory)) {
      Tree opened = db.openTree(tree, options);
      opened.put(KEY, KEY);
      opened.flush();
      opened.put(KEY, KEY);
      opened.compact(KeyRange.ALL);
      assertThat(opened.stats().tableEntries()).isOne();
      assertThat(opened.get(KEY)).isEqualTo(KEY);
    }
  }
}
