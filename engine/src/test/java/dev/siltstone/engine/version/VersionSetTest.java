package dev.siltstone.engine.version;

import static dev.siltstone.engine.version.TestFiles.describe;
import static dev.siltstone.engine.version.TestFiles.file;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.file.FileNames;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: what was applied is there after reopening, and only that; edits that do not fit are
// refused.
// Method: the real file system; states compared as text.
class VersionSetTest {
  private static final long STORE = 77;

  @TempDir Path directory;
  private final FileSystem fs = new OsFileSystem();
  private final LongSupplier ids = new SplittableRandom(9)::nextLong;

  private VersionSet create() throws IOException {
    return VersionSet.create(fs, directory, STORE, ids);
  }

  private VersionSet open() throws IOException {
    return VersionSet.open(fs, directory, ids);
  }

  private void touch(String name, int bytes) throws IOException {
    try (WritableFile file = fs.create(directory.resolve(name))) {
      file.write(new byte[bytes], 0, bytes);
    }
  }

  @Test
  void editsAreThereAfterReopening() throws IOException {
    assertThat(VersionSet.exists(fs, directory)).isFalse();
    String expected;
    try (VersionSet set = create()) {
      int first = set.newTreeId();
      int second = set.newTreeId();
      set.apply(new VersionEdit().createTree(first, "first", new byte[] {1, 2}));
      set.apply(new VersionEdit().createTree(second, "second", new byte[0]).lastTime(50));
      long a = set.newFileNumber();
      long b = set.newFileNumber();
      long c = set.newFileNumber();
      set.apply(new VersionEdit().addFile(first, 0, file(a, 1, 9)).flushedTime(first, 40));
      set.apply(new VersionEdit().addFile(first, 0, file(b, 5, 20, 3, 4)).logs(5, 9));
      set.apply(
          new VersionEdit()
              .removeFile(first, 0, a)
              .addFile(first, 1, file(a, 1, 9))
              .addFile(second, 6, file(c, 1, 2))
              .historyFloor(first, 12));
      expected = describe(set.state());
      assertThat(set.state().tree("first").version().level(0)).hasSize(1);
    }
    assertThat(VersionSet.exists(fs, directory)).isTrue();
    for (int life = 0; life < 3; life++) {
      try (VersionSet set = open()) {
        assertThat(set.storeId()).isEqualTo(STORE);
        assertThat(describe(set.state())).isEqualTo(expected);
        set.begin(new VersionEdit());
        assertThat(describe(set.state())).isEqualTo(expected);
      }
    }
  }

  @Test
  void eachOpenWritesAManifestOfItsOwnAndRemovesTheOlderOne() throws IOException {
    create().close();
    assertThat(fs.list(directory)).containsExactlyInAnyOrder("MANIFEST-000001", "CURRENT-000001");
    try (VersionSet set = open()) {
      assertThat(set.manifestNumber()).isEqualTo(1);
      set.begin(new VersionEdit().lastTime(5));
      assertThat(set.manifestNumber()).isEqualTo(2);
    }
    assertThat(fs.list(directory)).containsExactlyInAnyOrder("MANIFEST-000002", "CURRENT-000002");
  }

  @Test
  void openingWritesNothing() throws IOException {
    create().close();
    List<String> before = fs.list(directory);
    open().close();
    assertThat(fs.list(directory)).isEqualTo(before);
    assertThatThrownBy(() -> open().apply(new VersionEdit()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aManifestThatGrewIsReplaced() throws IOException {
    create().close();
    try (VersionSet set = VersionSet.open(fs, directory, ids, 2000)) {
      set.begin(new VersionEdit());
      int tree = set.newTreeId();
      set.apply(new VersionEdit().createTree(tree, "t", new byte[0]));
      int manifests = 0;
      long before = set.manifestNumber();
      for (int i = 0; i < 300; i++) {
        long number = set.newFileNumber();
        VersionEdit edit = new VersionEdit().addFile(tree, 0, file(number, 0, 100));
        List<FileMeta> level = set.state().tree(tree).version().level(0);
        if (level.size() > 4) {
          edit.removeFile(tree, 0, level.getLast().number());
        }
        set.apply(edit);
        manifests += set.manifestNumber() == before ? 0 : 1;
        before = set.manifestNumber();
      }
      assertThat(manifests).isBetween(3, 100);
      String expected = describe(set.state());
      try (VersionSet reader = open()) {
        assertThat(describe(reader.state())).isEqualTo(expected);
      }
    }
    assertThat(fs.list(directory)).hasSize(2);
  }

  @Test
  void editsThatDoNotFitAreRefusedAndChangeNothing() throws IOException {
    try (VersionSet set = create()) {
      int tree = set.newTreeId();
      long a = set.newFileNumber();
      set.apply(
          new VersionEdit().createTree(tree, "t", new byte[0]).addFile(tree, 1, file(a, 10, 20)));
      long b = set.newFileNumber();
      String before = describe(set.state());
      List<VersionEdit> wrong =
          List.of(
              new VersionEdit().createTree(tree, "other", new byte[0]),
              new VersionEdit().createTree(set.newTreeId(), "t", new byte[0]),
              new VersionEdit().createTree(set.newTreeId(), "x".repeat(1025), new byte[0]),
              new VersionEdit().createTree(set.newTreeId(), "\ud800", new byte[0]),
              new VersionEdit().dropTree(99),
              new VersionEdit().addFile(99, 0, file(b, 1, 2)),
              new VersionEdit().addFile(tree, 7, file(b, 1, 2)),
              new VersionEdit().addFile(tree, -1, file(b, 1, 2)),
              new VersionEdit().addFile(tree, 1, file(b, 15, 25)),
              new VersionEdit().addFile(tree, 1, file(a, 30, 40)),
              new VersionEdit().addFile(tree, 2, file(a, 30, 40)),
              new VersionEdit().addFile(tree, 2, file(b + 1, 30, 40)),
              new VersionEdit().removeFile(tree, 1, b),
              new VersionEdit().removeFile(tree, 0, a),
              new VersionEdit().flushedTime(98, 1));
      for (VersionEdit edit : wrong) {
        assertThatThrownBy(() -> set.apply(edit)).isInstanceOf(IllegalArgumentException.class);
      }
      assertThat(describe(set.state())).isEqualTo(before);
      set.apply(new VersionEdit().addFile(tree, 1, file(b, 20, 25)));
    }
    open().close();
  }

  @Test
  void droppedTreesAreGoneAndTheirIdsAreNotUsedAgain() throws IOException {
    int tree;
    try (VersionSet set = create()) {
      tree = set.newTreeId();
      set.apply(new VersionEdit().createTree(tree, "t", new byte[0]));
      set.apply(new VersionEdit().addFile(tree, 3, file(set.newFileNumber(), 1, 2)));
      set.apply(new VersionEdit().dropTree(tree));
      assertThat(set.state().tree(tree)).isNull();
      assertThat(set.state().tree("t")).isNull();
    }
    try (VersionSet set = open()) {
      set.begin(new VersionEdit());
      assertThat(set.newTreeId()).isGreaterThan(tree);
      assertThatThrownBy(() -> set.apply(new VersionEdit().createTree(tree, "t", new byte[0])))
          .isInstanceOf(IllegalArgumentException.class);
      set.apply(new VersionEdit().createTree(set.newTreeId(), "t", new byte[0]));
    }
  }

  @Test
  void timesAndLogsNeverGoBack() throws IOException {
    try (VersionSet set = create()) {
      int tree = set.newTreeId();
      set.apply(new VersionEdit().createTree(tree, "t", new byte[0]));
      set.apply(new VersionEdit().lastTime(9).historyFloor(tree, 8).logs(7, 7));
      StoreState after = set.apply(new VersionEdit().lastTime(1).historyFloor(tree, 2).logs(3, 4));
      assertThat(after).isEqualTo(new StoreState(after.trees(), 9, 7, 7, tree + 1));
      assertThat(after.tree("t").historyFloor()).isEqualTo(8);
    }
  }

  @Test
  void numbersAreNeverGivenOutTwiceWhateverFilesACrashLeft() throws IOException {
    create().close();
    touch(FileNames.table(40), 1);
    touch(FileNames.temporary(41), 1);
    touch("000099.sst", 1);
    try (VersionSet set = open()) {
      assertThat(set.newFileNumber()).isEqualTo(42);
      set.begin(new VersionEdit());
    }
    fs.remove(directory.resolve(FileNames.table(40)));
    fs.remove(directory.resolve(FileNames.temporary(41)));
    try (VersionSet set = open()) {
      assertThat(set.newFileNumber()).isGreaterThan(43);
    }
  }

  @Test
  void missingAndWrongFilesAreNamedAllAtOnce() throws IOException {
    try (VersionSet set = create()) {
      int tree = set.newTreeId();
      VersionEdit edit = new VersionEdit().createTree(tree, "t", new byte[0]);
      long right = set.newFileNumber();
      long missing = set.newFileNumber();
      long wrong = set.newFileNumber();
      long blob = set.newFileNumber();
      touch(FileNames.table(right), (int) right * 10);
      touch(FileNames.table(wrong), 1);
      set.apply(
          edit.addFile(tree, 1, file(right, 1, 2))
              .addFile(tree, 1, file(missing, 2, 3))
              .addFile(tree, 2, file(wrong, 1, 3, blob)));
      assertThatThrownBy(set::checkFiles)
          .isInstanceOf(CorruptFileException.class)
          .hasMessageContaining("3 files")
          .hasMessageContaining(FileNames.table(missing) + " missing")
          .hasMessageContaining(FileNames.table(wrong) + " has 1 bytes instead of " + wrong * 10)
          .hasMessageContaining(FileNames.blob(blob) + " missing");
      touch(FileNames.table(missing), (int) missing * 10);
      touch(FileNames.table(wrong), (int) wrong * 10);
      touch(FileNames.blob(blob), 3);
      set.checkFiles();
    }
  }

  @Test
  void withoutAMarkerTheNewestManifestCounts() throws IOException {
    String expected;
    try (VersionSet set = create()) {
      set.apply(new VersionEdit().lastTime(123));
      expected = describe(set.state());
    }
    fs.remove(directory.resolve("CURRENT-000001"));
    try (VersionSet set = open()) {
      assertThat(describe(set.state())).isEqualTo(expected);
      set.begin(new VersionEdit());
    }
    try (VersionSet set = open()) {
      assertThat(describe(set.state())).isEqualTo(expected);
      assertThat(set.manifestNumber()).isEqualTo(2);
    }
  }

  @Test
  void aMarkerWithoutItsManifestIsDamageEvenIfAnOlderOneIsThere() throws IOException {
    create().close();
    touch("CURRENT-000007", 0);
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("CURRENT-000007 names it")
        .extracting(e -> ((CorruptFileException) e).file())
        .isEqualTo(directory.resolve("MANIFEST-000007"));
  }

  @Test
  void filesOfAStoreWithoutAManifestAreNoEmptyStore() throws IOException {
    touch("LOCK", 0);
    touch("notes.txt", 3);
    touch("OPTIONS-000003", 3);
    touch("000009.tmp", 3);
    assertThat(VersionSet.exists(fs, directory)).isFalse();
    assertThatThrownBy(this::open).isInstanceOf(NoSuchFileException.class);
    touch(FileNames.table(4), 10);
    assertThatThrownBy(() -> VersionSet.exists(fs, directory))
        .isInstanceOf(CorruptFileException.class);
    assertThatThrownBy(this::create).isInstanceOf(CorruptFileException.class);
    fs.remove(directory.resolve(FileNames.table(4)));
    create().close();
    assertThatThrownBy(this::create).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aManifestUnderAnotherNameIsRefused() throws IOException {
    create().close();
    fs.rename(directory.resolve("MANIFEST-000001"), directory.resolve("MANIFEST-000002"));
    fs.rename(directory.resolve("CURRENT-000001"), directory.resolve("CURRENT-000002"));
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("manifest 1");
  }

  @Test
  void pinnedStatesKeepTheirFilesFromBeingSwept() throws IOException {
    try (VersionSet set = create()) {
      int tree = set.newTreeId();
      long a = set.newFileNumber();
      long b = set.newFileNumber();
      long job = set.newFileNumber();
      for (long number : new long[] {a, b, job}) {
        touch(FileNames.table(number), 1);
      }
      touch("000001.table.old", 1);
      touch(FileNames.temporary(50), 1);
      VersionEdit edit = new VersionEdit().createTree(tree, "t", new byte[0]);
      set.apply(edit.addFile(tree, 0, file(a, 1, 2)));
      StoreState pinned = set.pin();
      assertThat(set.pin()).isSameAs(pinned);
      set.unpin(pinned);
      set.apply(new VersionEdit().removeFile(tree, 0, a).addFile(tree, 0, file(b, 1, 2)));

      assertThat(ObsoleteFiles.find(set, () -> Set.of(job), 0))
          .containsExactly(FileNames.temporary(50));
      assertThat(ObsoleteFiles.find(set, Set::of, 0))
          .containsExactlyInAnyOrder(FileNames.temporary(50), FileNames.table(job));
      set.pinAgain(pinned);
      set.unpin(pinned);
      set.unpin(pinned);
      assertThat(ObsoleteFiles.find(set, Set::of, 0))
          .containsExactlyInAnyOrder(
              FileNames.temporary(50), FileNames.table(job), FileNames.table(a));
      assertThatThrownBy(() -> set.unpin(pinned)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> set.pinAgain(pinned)).isInstanceOf(IllegalStateException.class);
    }
    VersionSet unbegun = open();
    assertThat(ObsoleteFiles.find(unbegun, Set::of, 0)).isEmpty();
  }

  @Test
  void obsoleteFilesAreThoseOfTheStoreThatNothingNames() {
    LiveFiles live = new LiveFiles(Set.of(5L, 6L, 7L, 8L), 20, 30);
    List<String> kept =
        List.of(
            "000005.table",
            "000006.blob",
            "000007.wal",
            "000008.tmp",
            "MANIFEST-000020",
            "CURRENT-000020",
            "MANIFEST-000021",
            "CURRENT-000021",
            "OPTIONS-000030",
            "OPTIONS-000031",
            "LOCK",
            "LOCK.owner",
            "MANIFEST",
            "10.table",
            "000010.sst",
            "lost+found",
            "backup");
    List<String> obsolete =
        List.of(
            "MANIFEST-000019",
            "CURRENT-000019",
            "000010.table",
            "000010.blob",
            "000010.wal",
            "000010.tmp",
            "OPTIONS-000029");
    assertThat(ObsoleteFiles.among(kept, live)).isEmpty();
    assertThat(ObsoleteFiles.among(obsolete, live))
        .containsExactlyInAnyOrderElementsOf(obsolete)
        .startsWith("CURRENT-000019");
  }
}
