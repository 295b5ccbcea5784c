package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.engine.version.TreeState;
import dev.siltstone.engine.version.VersionEdit;
import dev.siltstone.engine.version.VersionSet;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.Simulation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what options of a tree allow, files can be made with; options that were given last are
 * those of the next open. Method: a flush and a compaction at both ends of each range, and a
 * refusal beyond; opens with and without options, also when the manifest cannot be written.
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

  @Test
  void optionsThatAreChangedAtAnOpenAreKept() {
    TreeOptions first = TreeOptions.DEFAULT.withBlockBytes(4096).withCompression("none");
    TreeOptions second = first.withFilterBitsPerKey(5).withRetention(Duration.ofMinutes(3));
    try (Db db = Db.open(directory)) {
      db.openTree("t", first);
      Tree tree = db.openTree("t", second);
      tree.put(KEY, KEY);
      tree.flush();
    }
    for (int i = 0; i < 2; i++) {
      try (Db db = Db.open(directory)) {
        assertThat(db.tree("t").options()).isEqualTo(second);
        assertThat(db.tree("t").get(KEY)).isEqualTo(KEY);
        assertThat(db.tree().options()).isEqualTo(TreeOptions.DEFAULT);
      }
    }
    try (Db db = Db.openReadOnly(directory, Options.DEFAULT)) {
      assertThat(db.openTree("t", first).options()).isEqualTo(first);
    }
    try (Db db = Db.open(directory)) {
      assertThat(db.tree("t").options()).as("a reader changes nothing").isEqualTo(second);
      db.dropTree("t");
      assertThat(db.openTree("t", first).options()).isEqualTo(first);
    }
  }

  @Test
  void optionsOfANewerVersionOutliveAChangeByThisOne() throws IOException {
    try (Db db = Db.open(directory)) {
      db.openTree("t", TreeOptions.DEFAULT).put(KEY, KEY);
    }
    OsFileSystem files = new OsFileSystem();
    String newer = "added_later = 7\nblock_bytes = 8192\nflag\n";
    int id;
    try (VersionSet versions = VersionSet.open(files, directory, () -> 1)) {
      id = treeNamed(versions, "t").id();
      versions.begin(new VersionEdit().treeOptions(id, newer.getBytes(UTF_8)));
    }
    TreeOptions given = TreeOptions.DEFAULT.withBlockBytes(4096);
    for (int i = 0; i < 2; i++) {
      try (Db db = Db.open(directory)) {
        assertThat(db.tree("t").options().blockBytes()).isEqualTo(i == 0 ? 8192 : 4096);
        db.openTree("t", given);
      }
      try (VersionSet versions = VersionSet.open(files, directory, () -> 2)) {
        String kept = new String(treeNamed(versions, "t").options(), UTF_8);
        assertThat(kept)
            .isEqualTo(
                new String(StoredTreeOptions.encode(given), UTF_8) + "added_later = 7\nflag\n");
      }
    }
  }

  private static TreeState treeNamed(VersionSet versions, String name) {
    for (TreeState tree : versions.state().all()) {
      if (tree.name().equals(name)) {
        return tree;
      }
    }
    throw new AssertionError("no tree " + name);
  }

  @Test
  void optionsThatCannotBeKeptAreNotTaken() {
    Simulation machine = Simulation.of(new Seed(3));
    FaultFileSystem disk = new FaultFileSystem(machine.fileSystem());
    SplittableRandom random = new SplittableRandom(3);
    Components components =
        Components.DEFAULT
            .withFileSystem(disk)
            .withClock(machine.clock())
            .withScheduler(machine.scheduler())
            .withRandom(random::nextLong);
    TreeOptions other = TreeOptions.DEFAULT.withBlockBytes(4096);
    try (Db db = Db.open(Path.of("/store"), Options.DEFAULT, components)) {
      Tree tree = db.openTree("t", TreeOptions.DEFAULT);
      tree.put(KEY, KEY);
      disk.add(
          Fault.on(DiskOperation.WRITE, DiskOperation.CREATE)
              .always()
              .failing(() -> new IOException("injected")));
      assertThatThrownBy(() -> db.openTree("t", other))
          .isInstanceOf(DbException.Unavailable.class)
          .hasMessageContaining("tree 't'");
      assertThat(tree.options()).isEqualTo(TreeOptions.DEFAULT);
      assertThat(db.openTree("t", TreeOptions.DEFAULT).get(KEY)).isEqualTo(KEY);
    }
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
