package dev.siltstone.testkit.disk;

// Goal: the simulated disk loses what a power loss may take, all of it at some time, and never
// anything else; the tests that stand on it are worth no more than this one.
// Method: small histories of which every outcome is known; random histories over many seeds
// against a plain statement of what must survive.

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.io.MappedFile;
import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.testkit.run.Seeds;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class SimFileSystemTest {
  private static final Path DB = Path.of("/db");
  private static final int SEEDS = 400;

  private final SimFileSystem disk = new SimFileSystem();

  @BeforeEach
  void createDirectory() throws IOException {
    disk.createDirectories(DB);
    disk.syncDirectory(Path.of("/"));
  }

  private static Path path(String name) {
    return DB.resolve(name);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(UTF_8);
  }

  private static WritableFile write(SimFileSystem disk, String name, String text)
      throws IOException {
    WritableFile file = disk.create(path(name));
    file.write(utf8(text), 0, text.length());
    return file;
  }

  /** The names and texts of all files, or only that the directory is gone. */
  private static String show(SimFileSystem disk) {
    try {
      if (!disk.exists(DB)) {
        return "no directory";
      }
      StringBuilder text = new StringBuilder();
      for (String name : disk.list(DB)) {
        text.append(name).append('=').append(new String(disk.bytes(path(name)), UTF_8)).append(' ');
      }
      return text.toString().strip();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** All that is found after crashes in a mode. */
  private Set<String> outcomes(CrashMode mode) {
    Set<String> outcomes = new TreeSet<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      outcomes.add(show(disk.crash(new SplittableRandom(seed), mode)));
    }
    return outcomes;
  }

  @Test
  void syncedFileWithSyncedNameSurvivesEveryCrash() throws Exception {
    write(disk, "f", "text").sync();
    disk.syncDirectory(DB);

    for (CrashMode mode : CrashMode.values()) {
      assertThat(outcomes(mode)).containsExactly("f=text");
    }
    assertThat(disk.unsynced()).isEmpty();
  }

  @Test
  void unsyncedNameMayVanishThoughItsBytesWereSynced() throws Exception {
    write(disk, "f", "text").sync();

    assertThat(outcomes(CrashMode.SYNCED_ONLY)).containsExactly("");
    assertThat(outcomes(CrashMode.PREFIX)).containsExactly("", "f=text");
    assertThat(outcomes(CrashMode.SUBSET)).containsExactly("", "f=text");
    assertThat(disk.unsynced())
        .containsExactly(new Unsynced(path("f"), Unsynced.Change.NAME_ADDED));
  }

  @Test
  void unsyncedBytesMayVanishThoughTheirNameWasSynced() throws Exception {
    write(disk, "f", "text");
    disk.syncDirectory(DB);

    assertThat(outcomes(CrashMode.SYNCED_ONLY)).containsExactly("f=");
    assertThat(outcomes(CrashMode.PREFIX)).containsExactly("f=", "f=t", "f=te", "f=tex", "f=text");
    Set<String> subset = outcomes(CrashMode.SUBSET);
    assertThat(subset).as("lost, zeros, torn, whole").contains("f=", "f=\0\0\0\0", "f=text");
    assertThat(subset).as("a length that came without all bytes").contains("f=t\0\0\0");
    assertThat(subset).anySatisfy(found -> assertThat(found).as("garbage").matches("f=[^text\0]+"));
    assertThat(disk.unsynced()).containsExactly(new Unsynced(path("f"), Unsynced.Change.CONTENT));
  }

  @Test
  void unsyncedDirectoryTakesItsFilesWithIt() throws Exception {
    SimFileSystem fresh = new SimFileSystem();
    fresh.createDirectories(DB);
    write(fresh, "f", "text").sync();
    fresh.syncDirectory(DB);

    assertThat(show(fresh.crash(new SplittableRandom(1), CrashMode.SYNCED_ONLY)))
        .isEqualTo("no directory");
    fresh.syncDirectory(Path.of("/"));
    assertThat(show(fresh.crash(new SplittableRandom(1), CrashMode.SYNCED_ONLY)))
        .isEqualTo("f=text");
  }

  @Test
  void renameIsAtomicAndMayBeUndone() throws Exception {
    write(disk, "CURRENT", "old").sync();
    disk.syncDirectory(DB);
    write(disk, "tmp", "new").sync();
    disk.rename(path("tmp"), path("CURRENT"));

    assertThat(outcomes(CrashMode.SYNCED_ONLY)).containsExactly("CURRENT=old");
    assertThat(outcomes(CrashMode.PREFIX))
        .containsExactly("CURRENT=new", "CURRENT=old", "CURRENT=old tmp=new");
    assertThat(outcomes(CrashMode.SUBSET))
        .containsExactly("CURRENT=new", "CURRENT=old", "CURRENT=old tmp=new");
    disk.syncDirectory(DB);
    assertThat(outcomes(CrashMode.SUBSET)).containsExactly("CURRENT=new");
  }

  @Test
  void renamedNameDoesNotSyncItsBytes() throws Exception {
    write(disk, "CURRENT", "old").sync();
    disk.syncDirectory(DB);
    write(disk, "tmp", "new");
    disk.rename(path("tmp"), path("CURRENT"));
    disk.syncDirectory(DB);

    assertThat(outcomes(CrashMode.SYNCED_ONLY)).containsExactly("CURRENT=");
  }

  @Test
  void renameBetweenDirectoriesNeverLosesTheFile() throws Exception {
    disk.createDirectories(path("d"));
    write(disk, "f", "text").sync();
    disk.syncDirectory(DB);
    disk.rename(path("f"), path("d/f"));

    Function<SimFileSystem, String> where =
        found -> {
          try {
            return found.exists(path("f")) + " " + found.exists(path("d/f"));
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        };
    assertThat(outcomes(CrashMode.SUBSET, where))
        .containsExactlyInAnyOrder("true false", "true true", "false true");
    disk.syncDirectory(DB);
    assertThat(outcomes(CrashMode.SYNCED_ONLY, where)).containsExactly("false true");
  }

  private Set<String> outcomes(CrashMode mode, Function<SimFileSystem, String> show) {
    Set<String> outcomes = new HashSet<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      outcomes.add(show.apply(disk.crash(new SplittableRandom(seed), mode)));
    }
    return outcomes;
  }

  @Test
  void removedFileMayComeBack() throws Exception {
    write(disk, "a", "1").sync();
    write(disk, "b", "2").sync();
    disk.syncDirectory(DB);
    disk.remove(path("a"));
    disk.remove(path("b"));

    assertThat(outcomes(CrashMode.SYNCED_ONLY)).containsExactly("a=1 b=2");
    assertThat(outcomes(CrashMode.PREFIX)).containsExactly("", "a=1 b=2", "b=2");
    assertThat(outcomes(CrashMode.SUBSET)).containsExactly("", "a=1", "a=1 b=2", "b=2");
    assertThat(disk.unsynced())
        .containsExactly(
            new Unsynced(path("a"), Unsynced.Change.NAME_REMOVED),
            new Unsynced(path("b"), Unsynced.Change.NAME_REMOVED));
  }

  @Test
  void prefixKeepsTheOrderOfAllChangesOfTheDisk() throws Exception {
    WritableFile a = write(disk, "a", "1");
    WritableFile b = write(disk, "b", "2");
    a.write(utf8("3"), 0, 1);
    b.write(utf8("4"), 0, 1);

    assertThat(outcomes(CrashMode.PREFIX))
        .containsExactly("", "a=", "a=1", "a=1 b=", "a=1 b=2", "a=13 b=2", "a=13 b=24");
  }

  @Test
  void emptiedFileMayKeepItsOldBytes() throws Exception {
    write(disk, "f", "old text").sync();
    disk.syncDirectory(DB);
    write(disk, "f", "new");

    assertThat(outcomes(CrashMode.SYNCED_ONLY)).containsExactly("f=old text");
    assertThat(outcomes(CrashMode.PREFIX))
        .containsExactly("f=", "f=n", "f=ne", "f=new", "f=old text");
    assertThat(outcomes(CrashMode.SUBSET)).contains("f=new", "f=old text", "f=new text");
  }

  @Test
  void mappedBytesAreDurableOnlyWhereForced() throws Exception {
    MappedFile mapped = disk.map(path("m"), 8);
    disk.syncDirectory(DB);
    mapped.write(0, utf8("abcdefgh"), 0, 8);
    mapped.force(2, 3);

    assertThat(outcomes(CrashMode.SYNCED_ONLY)).containsExactly("m=\0\0cde\0\0\0");
    assertThat(show(disk)).isEqualTo("m=abcdefgh");
    assertThat(show(disk.kill())).isEqualTo("m=abcdefgh");
    mapped.force(0, 8);
    assertThat(outcomes(CrashMode.SUBSET)).containsExactly("m=abcdefgh");
    assertThat(disk.unsynced()).isEmpty();
  }

  @Test
  void killedProcessLosesNothingButNothingBecomesDurableEither() throws Exception {
    write(disk, "f", "text");
    disk.createDirectories(path("d"));
    disk.rename(path("f"), path("d/g"));
    SimFileSystem killed = disk.kill();

    assertThat(killed.bytes(path("d/g"))).isEqualTo(utf8("text"));
    assertThat(killed.unsynced()).isEqualTo(disk.unsynced());
    assertThat(show(killed.crash(new SplittableRandom(1), CrashMode.SYNCED_ONLY))).isEmpty();
    killed.syncFile(path("d/g"));
    killed.syncDirectory(path("d"));
    killed.syncDirectory(DB);
    assertThat(killed.crash(new SplittableRandom(1), CrashMode.SYNCED_ONLY).bytes(path("d/g")))
        .isEqualTo(utf8("text"));
  }

  @Test
  void clonesAndTheirOriginalDoNotSeeEachOther() throws Exception {
    WritableFile file = write(disk, "f", "one");
    file.sync();
    disk.syncDirectory(DB);
    SimFileSystem killed = disk.kill();
    SimFileSystem crashed = disk.crash(new SplittableRandom(1), CrashMode.SYNCED_ONLY);
    file.write(utf8(" two"), 0, 4);
    file.sync();
    write(killed, "f", "killed").sync();
    write(crashed, "g", "crashed").sync();

    assertThat(show(disk)).isEqualTo("f=one two");
    assertThat(show(killed)).isEqualTo("f=killed");
    assertThat(show(crashed)).isEqualTo("f=one g=crashed");
  }

  @Test
  void haltedDiskFailsAllThatStillUsesIt() throws Exception {
    WritableFile file = write(disk, "f", "text");
    ReadableFile input = disk.open(path("f"));
    disk.halt();

    assertThatThrownBy(() -> file.write(new byte[1], 0, 1)).hasMessageContaining("halted");
    assertThatThrownBy(file::sync).hasMessageContaining("halted");
    assertThatThrownBy(() -> input.read(0, new byte[1], 0, 1)).hasMessageContaining("halted");
    assertThatThrownBy(() -> disk.list(DB)).hasMessageContaining("halted");
    file.close();
    assertThat(show(disk.kill())).isEqualTo("f=text");
  }

  @Test
  void listenerSeesEachChangeBeforeItHappensAndMayCrashThere() throws Exception {
    List<String> seen = new ArrayList<>();
    long before = disk.operations();
    disk.onOperation(
        (operation, path, index) -> {
          seen.add(operation + " " + path.getFileName() + " " + (index - before));
          seen.add(show(disk.kill()));
          if (operation == DiskOperation.SYNC) {
            disk.halt();
          }
        });
    WritableFile file = write(disk, "f", "text");
    assertThatThrownBy(file::sync).hasMessageContaining("halted");

    assertThat(seen).containsExactly("CREATE f 0", "", "WRITE f 1", "f=", "SYNC f 2", "f=text");
    assertThat(disk.operations() - before).isEqualTo(3);
  }

  @Test
  void fullDiskTakesWhatFitsAndSaysSo() throws Exception {
    disk.setQuota(10);
    WritableFile file = write(disk, "f", "1234567");
    assertThat(disk.usableBytes(DB)).isEqualTo(3);
    assertThatThrownBy(() -> file.write(utf8("abcdef"), 0, 6)).isInstanceOf(NoSpaceException.class);
    assertThat(file.size()).isEqualTo(7);
    assertThat(show(disk)).isEqualTo("f=1234567abc");
    assertThatThrownBy(() -> disk.map(path("m"), 1)).isInstanceOf(NoSpaceException.class);
    assertThatThrownBy(() -> file.write(utf8("x"), 0, 1)).isInstanceOf(IllegalStateException.class);
    file.sync();

    disk.remove(path("f"));
    assertThat(disk.usableBytes(DB)).isEqualTo(10);
    write(disk, "g", "0123456789");
    write(disk, "g", "abc");
    assertThat(disk.usableBytes(DB)).isEqualTo(7);
    assertThat(disk.kill().usableBytes(DB)).isEqualTo(7);
  }

  @Test
  void bytesLostByAFailedSyncAreReadButNeverDurable() throws Exception {
    WritableFile file = write(disk, "f", "one");
    disk.syncDirectory(DB);
    file.sync();
    file.write(utf8("two"), 0, 3);
    disk.loseUnsynced(path("f"));
    file.sync();
    file.write(utf8("end"), 0, 3);
    file.sync();

    assertThat(show(disk)).isEqualTo("f=onetwoend");
    for (CrashMode mode : CrashMode.values()) {
      assertThat(outcomes(mode)).containsExactly("f=one\0\0\0end");
    }
    assertThat(disk.unsynced()).containsExactly(new Unsynced(path("f"), Unsynced.Change.CONTENT));
  }

  @Test
  void fileThatLostItsNameIsNotRead() throws Exception {
    write(disk, "f", "text");
    ReadableFile input = disk.open(path("f"));
    disk.rename(path("f"), path("g"));

    assertThatThrownBy(() -> input.read(0, new byte[1], 0, 1))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void damageIsDurable() throws Exception {
    write(disk, "f", "text").sync();
    disk.syncDirectory(DB);
    disk.setBytes(path("f"), utf8("tex"));

    assertThat(outcomes(CrashMode.SYNCED_ONLY)).containsExactly("f=tex");
  }

  /** Random appends, overwrites, syncs and renames; what was synced is always found. */
  @Test
  void whatWasSyncedIsFoundAfterEveryCrash() {
    Seeds.forEach(
        1,
        300,
        seed -> {
          SplittableRandom random = seed.random("operations");
          SimFileSystem sim = new SimFileSystem();
          sim.createDirectories(DB);
          sim.syncDirectory(Path.of("/"));
          History history = new History(sim, random);
          for (int step = 0; step < 60; step++) {
            history.step();
            CrashMode mode = CrashMode.values()[random.nextInt(3)];
            history.check(sim.crash(random, mode), mode.toString());
            history.check(sim.kill().crash(random, mode), "killed, " + mode);
          }
        });
  }

  /** A few append-only files, with what of them must survive. */
  private static final class History {
    private final SimFileSystem sim;
    private final SplittableRandom random;
    private final List<WritableFile> open = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final List<byte[]> written = new ArrayList<>();
    private final List<Integer> syncedBytes = new ArrayList<>();

    /** Names as of the last directory sync, with the number of their file. */
    private TreeMap<String, Integer> syncedNames = new TreeMap<>();

    /** Names that changed since. */
    private final Set<String> unsure = new HashSet<>();

    History(SimFileSystem sim, SplittableRandom random) {
      this.sim = sim;
      this.random = random;
    }

    void step() throws IOException {
      int kind = random.nextInt(10);
      if (open.isEmpty() || kind == 0) {
        String name = "f" + open.size();
        open.add(sim.create(path(name)));
        names.add(name);
        written.add(new byte[0]);
        syncedBytes.add(0);
        unsure.add(name);
        return;
      }
      int file = random.nextInt(open.size());
      if (kind < 6) {
        byte[] bytes = new byte[random.nextInt(1500)];
        random.nextBytes(bytes);
        open.get(file).write(bytes, 0, bytes.length);
        byte[] all = Arrays.copyOf(written.get(file), written.get(file).length + bytes.length);
        System.arraycopy(bytes, 0, all, written.get(file).length, bytes.length);
        written.set(file, all);
      } else if (kind < 8) {
        open.get(file).sync();
        syncedBytes.set(file, written.get(file).length);
      } else if (kind < 9) {
        sim.syncDirectory(DB);
        syncedNames = new TreeMap<>();
        for (int i = 0; i < names.size(); i++) {
          syncedNames.put(names.get(i), i);
        }
        unsure.clear();
      } else {
        String name = names.get(file) + "r";
        sim.rename(path(names.get(file)), path(name));
        unsure.add(names.get(file));
        unsure.add(name);
        names.set(file, name);
      }
    }

    void check(SimFileSystem found, String what) throws IOException {
      List<String> list = found.list(DB);
      for (String name : list) {
        assertThat(syncedNames.containsKey(name) || unsure.contains(name)).as(name).isTrue();
      }
      for (var entry : syncedNames.entrySet()) {
        if (unsure.contains(entry.getKey())) {
          continue;
        }
        assertThat(list).as(what).contains(entry.getKey());
        int file = entry.getValue();
        byte[] bytes = found.bytes(path(entry.getKey()));
        int synced = syncedBytes.get(file);
        assertThat(bytes.length).as(what).isGreaterThanOrEqualTo(synced);
        assertThat(bytes.length).as(what).isLessThanOrEqualTo(written.get(file).length);
        assertThat(Arrays.equals(bytes, 0, synced, written.get(file), 0, synced)).as(what).isTrue();
      }
    }
  }
}
