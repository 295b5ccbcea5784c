package dev.siltstone.engine.version;

import static dev.siltstone.engine.version.TestFiles.describe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.testkit.disk.CrashMode;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

// Goal: after a power loss or a failed operation anywhere, the next open finds the last state that
//   was published or the one that was being made durable; damage is never taken for a crash.
// Method: a simulated disk, crashed at each operation and failed at each; each byte changed.
class VersionSetCrashTest {
  private static final Path DIRECTORY = Path.of("/store");

  private SimFileSystem disk;
  private Random random;
  private String published;
  private String attempted;

  @BeforeEach
  void setUp() throws IOException {
    setUp(1);
  }

  private void setUp(long seed) throws IOException {
    random = new Random(seed);
    disk = new SimFileSystem();
    disk.createDirectories(DIRECTORY);
    disk.syncDirectory(Path.of("/"));
    published = "";
    attempted = describe(StoreState.EMPTY);
  }

  private VersionSet open(SimFileSystem from) throws IOException {
    return VersionSet.open(from, DIRECTORY, random::nextLong, 600);
  }

  private VersionEdit randomEdit(VersionSet set) {
    StoreState state = set.state();
    VersionEdit edit = new VersionEdit().lastTime(state.lastTime() + 1);
    if (state.trees().size() < 3) {
      return edit.createTree(set.newTreeId(), "t" + state.nextTreeId(), new byte[3]);
    }
    List<TreeState> trees = state.all().stream().toList();
    TreeState tree = trees.get(random.nextInt(trees.size()));
    if (random.nextInt(20) == 0) {
      return edit.dropTree(tree.id());
    }
    List<FileMeta> level = tree.version().level(0);
    if (level.size() > 3) {
      edit.removeFile(tree.id(), 0, level.getLast().number());
    }
    long number = set.newFileNumber();
    return edit.addFile(tree.id(), 0, TestFiles.file(number, 1, 50)).flushedTime(tree.id(), number);
  }

  /** The state that an edit will lead to, computed beside the set. */
  private static String after(VersionSet set, VersionEdit edit) {
    StateBuilder builder = new StateBuilder(set.state());
    builder.apply(edit);
    return describe(builder.build());
  }

  private void apply(VersionSet set) throws IOException {
    VersionEdit edit = randomEdit(set);
    attempted = after(set, edit);
    set.apply(edit);
    published = attempted;
  }

  @ParameterizedTest
  @EnumSource(CrashMode.class)
  void everyCrashLeavesTheStatePublishedLastOrTheOneUnderWay(CrashMode mode) throws IOException {
    for (long seed = 1; seed <= 6; seed++) {
      setUp(seed);
      String name = mode + ", seed " + seed;
      disk.onOperation(
          (_, _, _) -> {
            check(disk.kill(), name, 1);
            check(disk.crash(random, mode), name, 1);
          });
      VersionSet set = VersionSet.create(disk, DIRECTORY, 7, random::nextLong);
      published = attempted;
      for (int i = 0; i < 10; i++) {
        apply(set);
      }
      set.close();
      for (int life = 0; life < 3; life++) {
        set = open(disk);
        assertThat(describe(set.state())).as(name).isEqualTo(published);
        set.begin(new VersionEdit());
        for (int i = 0; i < 8; i++) {
          apply(set);
        }
        set.close();
      }
    }
  }

  /** Opens what a crash left, and sometimes goes on there to the next crash. */
  private void check(SimFileSystem survivor, String name, int depth) {
    try {
      if (published.isEmpty() && !VersionSet.exists(survivor, DIRECTORY)) {
        return;
      }
      VersionSet set = open(survivor);
      String found = describe(set.state());
      assertThat(found).as(name).isIn(published, attempted);
      if (depth < 3 && random.nextInt(4) == 0) {
        survivor.onOperation(
            (_, _, _) -> check(survivor.crash(random, CrashMode.SUBSET), name, depth + 1));
        set.begin(new VersionEdit());
        // From here on nothing may take it away any more.
        String again = describe(open(survivor.crash(random, CrashMode.SYNCED_ONLY)).state());
        assertThat(again).as(name).isEqualTo(found).isEqualTo(describe(set.state()));
        for (String obsolete : ObsoleteFiles.find(set, Set::of, 0)) {
          survivor.remove(DIRECTORY.resolve(obsolete));
        }
        survivor.onOperation(null);
        assertThat(survivor.list(DIRECTORY)).as(name).hasSize(2);
      }
    } catch (IOException e) {
      throw new AssertionError(name, e);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noFailedOperationLosesAPublishedState(boolean fullDisk) throws IOException {
    for (int failing = 0; ; failing++) {
      setUp();
      VersionSet created = VersionSet.create(disk, DIRECTORY, 7, random::nextLong);
      created.close();
      VersionSet set = open(disk);
      set.begin(new VersionEdit());
      published = describe(set.state());
      long fail = disk.operations() + failing;
      boolean[] reached = new boolean[1];
      disk.onOperation(
          (operation, _, index) -> {
            if (index == fail && operation != DiskOperation.REMOVE) {
              reached[0] = true;
              throw fullDisk ? new NoSpaceException("full") : new IOException("operation");
            }
          });
      String name = "operation " + failing;
      for (int i = 0; i < 40; i++) {
        try {
          apply(set);
          assertThat(set.mayDelete()).as(name).isTrue();
        } catch (IOException e) {
          checkAfterFailure(set, name, fullDisk);
          if (!fullDisk) {
            break;
          }
        }
        assertThat(describe(set.state())).as(name).isEqualTo(published);
      }
      disk.onOperation(null);
      boolean usable = set.mayDelete();
      assertThat(usable || !fullDisk).as(name).isTrue();
      set.close();
      String found = describe(open(disk.kill()).state());
      if (usable) {
        assertThat(found).as(name).isEqualTo(published);
      } else {
        assertThat(found).as(name).isIn(published, attempted);
      }
      if (!reached[0] && failing > 400) {
        return;
      }
    }
  }

  private void checkAfterFailure(VersionSet set, String name, boolean fullDisk) throws IOException {
    assertThat(set.mayDelete()).as(name).isFalse();
    assertThat(ObsoleteFiles.find(set, Set::of, 0)).as(name).isEmpty();
    assertThat(describe(open(disk.kill()).state())).as(name).isIn(published, attempted);
    if (!fullDisk) {
      String attemptedFirst = attempted;
      assertThatThrownBy(() -> apply(set)).isInstanceOf(IOException.class);
      attempted = attemptedFirst;
    }
  }

  @Test
  void aFailedAppendIsHealedByAFreshManifest() throws IOException {
    VersionSet set = VersionSet.create(disk, DIRECTORY, 7, random::nextLong);
    apply(set);
    long before = set.manifestNumber();
    int[] syncs = new int[1];
    disk.onOperation(
        (operation, _, _) -> {
          if (operation == DiskOperation.SYNC && syncs[0]++ == 0) {
            throw new IOException("no sync");
          }
        });
    apply(set);
    assertThat(set.manifestNumber()).isGreaterThan(before);
    assertThat(set.mayDelete()).isTrue();
    set.close();
    assertThat(describe(open(disk.crash(random, CrashMode.SYNCED_ONLY)).state()))
        .isEqualTo(published);
  }

  @Test
  void everyChangeOfAClosedManifestIsFound() throws IOException {
    VersionSet set = VersionSet.create(disk, DIRECTORY, 7, random::nextLong);
    for (int i = 0; i < 12; i++) {
      apply(set);
    }
    set.close();
    Path file = DIRECTORY.resolve("MANIFEST-000001");
    byte[] original = disk.bytes(file);
    int mark = original.length - 16;
    for (int offset = 0; offset < original.length; offset++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] changed = original.clone();
        changed[offset] ^= (byte) (1 << bit);
        disk.setBytes(file, changed);
        try {
          assertThat(describe(open(disk).state())).isEqualTo(published);
          assertThat(offset).isGreaterThanOrEqualTo(mark);
        } catch (CorruptFileException e) {
          assertThat(e.file()).isEqualTo(file);
          assertThat(e.offset()).isBetween(0L, (long) offset);
          assertThat(offset).isLessThan(mark);
        }
      }
    }
  }

  @Test
  void everyCutOfAManifestIsFoundOrLeavesAnEarlierState() throws IOException {
    StringBuilder states = new StringBuilder();
    VersionSet set = VersionSet.create(disk, DIRECTORY, 7, random::nextLong);
    states.append(describe(set.state()));
    for (int i = 0; i < 12; i++) {
      apply(set);
      states.append(published);
    }
    set.close();
    Path file = DIRECTORY.resolve("MANIFEST-000001");
    byte[] original = disk.bytes(file);
    for (int length = 0; length < original.length; length++) {
      disk.setBytes(file, Arrays.copyOf(original, length));
      try {
        assertThat(states.toString()).contains(describe(open(disk).state()));
      } catch (CorruptFileException e) {
        assertThat(e.file()).isEqualTo(file);
      }
    }
  }
}
