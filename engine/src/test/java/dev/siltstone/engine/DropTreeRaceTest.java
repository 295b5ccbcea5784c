package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a tree may be dropped whatever the background does with it. Method: trees are dropped in
 * the midst of the flushes and compactions that writing to them has set off; the store must take
 * writes afterwards and hold nothing of them.
 */
final class DropTreeRaceTest {
  private static final int TREES = 40;

  @TempDir Path directory;

  @Test
  void dropInTheMidstOfFlushesLeavesTheStoreUsable() {
    Options options = Options.builder().memtableBytes(16 << 10).tableBytes(16 << 10).build();
    try (Db db = Db.open(directory, options)) {
      for (int i = 0; i < TREES; i++) {
        Tree tree = db.openTree("t" + i, TreeOptions.DEFAULT);
        // More and more memtables are sealed before the drop.
        for (int k = 0; k < 10 + 10 * (i % 8); k++) {
          tree.put(("k" + k).getBytes(UTF_8), new byte[2_000]);
        }
        db.dropTree("t" + i);
        db.put(new byte[] {(byte) i}, new byte[] {1});
      }
      db.awaitQuiet();
      assertThat(db.treeNames()).containsExactly(Trees.DEFAULT_NAME);
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(TREES);
    }
  }
}
