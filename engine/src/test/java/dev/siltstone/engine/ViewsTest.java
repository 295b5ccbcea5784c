package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.gap.GapMemo;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.BatchWriter;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.read.ReadView;
import dev.siltstone.engine.table.Compressors;
import dev.siltstone.engine.table.TableCache;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: a sweep never takes a file from under a reader, and a dropped tree stays dropped. Method:
 * the files and the memory in use are asked for at each stage of a view's life, without any file
 * being there.
 */
final class ViewsTest {
  private static final long MEMORY_BYTES = 8 << 20;

  private final Trees trees = new Trees();
  private final BlockCache cache = new BlockCache(MEMORY_BYTES);
  private final MemoryBudget memory = new MemoryBudget(MEMORY_BYTES, cache);
  private Version published = versionOf(7);
  private final Views views = views();
  private final OpenTree tree =
      new OpenTree(
          1,
          "t",
          "",
          TreeOptions.DEFAULT,
          views.first(published),
          GapMemo.create(GapMemo.DEAD_MIN));

  @Test
  void tablesOfAPresentViewAreInUse() {
    trees.add(tree);
    // A sweep looks here first and at the version set afterwards. An edit in between replaces 7
    // there, while a cursor may have pinned the view that was present at the first look.
    assertThat(views.filesInUse()).containsExactly(7L);
  }

  @Test
  void tablesOfAReplacedViewAreInUseWhileItIsPinned() {
    trees.add(tree);
    ReadView pinned = tree.pin();
    published = versionOf(8);
    views.install(tree, List.of());
    assertThat(views.filesInUse()).containsExactlyInAnyOrder(7L, 8L);
    pinned.unpin();
    assertThat(views.filesInUse()).containsExactly(8L);
  }

  @Test
  void tablesOfADroppedTreeAreInUseWhileACursorReadsThem() {
    trees.add(tree);
    ReadView pinned = tree.pin();
    views.dropped(tree);
    assertThat(trees.all()).isEmpty();
    assertThat(views.filesInUse()).containsExactly(7L);
    pinned.unpin();
    assertThat(views.filesInUse()).isEmpty();
  }

  /** Who flushes may have found the tree before it was dropped, and be leader only afterwards. */
  @Test
  void aDroppedTreeIsNotSealed() throws IOException {
    trees.add(tree);
    fill(tree.view().active());
    tree.setDropped(true);
    views.dropped(tree);
    assertThat(memory.memtableBytes()).isZero();
    assertThat(views.seal(tree)).isFalse();
    assertThat(memory.memtableBytes()).isZero();
    assertThat(views.filesInUse()).isEmpty();
  }

  private static void fill(MemTable memtable) throws IOException {
    BatchWriter writer = new BatchWriter();
    writer.add(1, KeyKind.PUT, new byte[] {1}, new byte[] {2});
    writer.seal(1);
    BatchReader reader = new BatchReader();
    reader.open(writer.array(), 0, writer.bytes());
    while (reader.next()) {
      memtable.add(reader);
    }
  }

  private Views views() {
    TableCache tables =
        new TableCache(
            new SimFileSystem(), Path.of("/store"), 1, cache, new Compressors(List.of()));
    return new Views(tables, trees, memory, Options.DEFAULT, _ -> published);
  }

  private static Version versionOf(long number) {
    List<List<FileMeta>> levels = new ArrayList<>();
    for (int level = 0; level < Version.LEVELS; level++) {
      levels.add(level == 1 ? List.of(file(number)) : List.of());
    }
    return new Version(levels);
  }

  private static FileMeta file(long number) {
    byte[] lower = {1};
    byte[] upper = {2};
    return new FileMeta(number, 100, lower, upper, 1, 1, 1, 0, 0, 0, 0, 0, 0, 2, new long[0]);
  }
}
