package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.engine.DamagedStore.Outcome;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: whatever happened to the files of a closed store, an open and a full read give exactly what
 * was written, or {@link DbException.Corrupt} or {@link DbException.Unsupported} that name the
 * file; never anything else, and a refused open has changed nothing. Method: one small store; every
 * byte of its files changed, each file cut at every length, emptied, lost, exchanged and replaced,
 * and many places damaged at once.
 *
 * <p>What the format says cannot be told, and so gives an earlier content as a whole: a manifest
 * cut at the end of an edit, and the end of the last segment of the log lost with its last mark.
 */
final class DbDamageTest {
  private static final int RANDOM_SEEDS = Integer.getInteger("siltstone.damage.seeds", 500);

  /** Distance of the damaged bytes where nothing was written. */
  private static final int EMPTY_STEP = 509;

  /** The same in log and manifest: odd, so that all bytes of a record have their turn. */
  private static final int STEP = Integer.getInteger("siltstone.damage.step", 3);

  /** The same in tables and blobs, of which other tests damage every byte. */
  private static final int DATA_STEP = Integer.getInteger("siltstone.damage.step", 13);

  private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
  private final DamagedStore store = new DamagedStore(Durability.SYNC, 1);
  private final Map<String, byte[]> files = bytes(store);

  private static Map<String, byte[]> bytes(DamagedStore store) {
    Map<String, byte[]> all = new TreeMap<>();
    DamagedStore.files(store.disk())
        .forEach((name, bytes) -> all.put(name, Objects.requireNonNull(bytes)));
    return all;
  }

  /** Does something to the files. */
  @FunctionalInterface
  private interface Harm {
    void to(SimFileSystem disk) throws IOException;
  }

  private Outcome meet(String what, boolean mayBeEarlier, Harm harm) {
    return meet(store, what, mayBeEarlier, harm);
  }

  private Outcome meet(DamagedStore of, String what, boolean mayBeEarlier, Harm harm) {
    try {
      SimFileSystem disk = of.disk();
      harm.to(disk);
      of.meetReadOnly(disk.kill(), mayBeEarlier);
      Outcome outcome = of.meet(disk, mayBeEarlier, what.hashCode() % 8 == 0);
      outcomes.merge(outcome, 1, Integer::sum);
      return outcome;
    } catch (AssertionError | RuntimeException | IOException e) {
      throw new AssertionError(what + ": " + e, e);
    }
  }

  private void report(String test) {
    System.out.println("DbDamageTest: " + test + " " + outcomes);
  }

  private static Path path(String name) {
    return DamagedStore.DIRECTORY.resolve(name);
  }

  private static FileNames.Kind kind(String name) {
    return Objects.requireNonNull(FileNames.parse(name)).kind();
  }

  private static boolean isLogOrManifest(String name) {
    return kind(name) == FileNames.Kind.LOG || kind(name) == FileNames.Kind.MANIFEST;
  }

  private static int step(String name) {
    return isLogOrManifest(name) ? STEP : DATA_STEP;
  }

  /**
   * Whether nothing is lost with a file: one that is locked, only has a name or is for people, or a
   * spare log.
   */
  private static boolean isUnneeded(String name, byte[] bytes) {
    return switch (kind(name)) {
      case LOCK, CURRENT, OPTIONS -> true;
      case LOG -> written(bytes) <= 64;
      default -> false;
    };
  }

  /** The length of a file without zero bytes at its end. */
  private static int written(byte[] bytes) {
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] == 0) {
      end--;
    }
    return end;
  }

  private static byte[] flipped(byte[] bytes, int at) {
    byte[] damaged = bytes.clone();
    damaged[at] ^= (byte) (1 << (at % 8));
    return damaged;
  }

  @Test
  void undamagedStoreIsExact() {
    assertThat(meet("nothing", false, _ -> {})).isEqualTo(Outcome.EXACT);
    assertThat(files.keySet().stream().map(DbDamageTest::kind))
        .contains(
            FileNames.Kind.LOG,
            FileNames.Kind.MANIFEST,
            FileNames.Kind.CURRENT,
            FileNames.Kind.TABLE,
            FileNames.Kind.BLOB);
  }

  @Test
  void everyChangedByteIsHarmlessOrFound() {
    flipAll(store, files);
    report("every byte");
  }

  @Test
  void everyChangedByteOfAMappedLogIsHarmlessOrFound() {
    DamagedStore mapped = new DamagedStore(Durability.PERIODIC, 1);
    Map<String, byte[]> logs = bytes(mapped);
    logs.keySet().removeIf(name -> kind(name) != FileNames.Kind.LOG);
    flipAll(mapped, logs);
    report("every byte of a mapped log");
  }

  private void flipAll(DamagedStore of, Map<String, byte[]> all) {
    all.forEach(
        (name, bytes) -> {
          int written = written(bytes);
          for (int at = 0; at < bytes.length; at += at < written ? step(name) : EMPTY_STEP) {
            byte[] damaged = flipped(bytes, at);
            meet(of, name + " changed at " + at, false, disk -> disk.setBytes(path(name), damaged));
          }
        });
  }

  @Test
  void everyCutIsFoundOrGivesAnEarlierContent() {
    files.forEach(
        (name, bytes) -> {
          int written = written(bytes);
          int step = 2 * step(name) + 1;
          for (int length = 0;
              length < bytes.length;
              length += length < written ? step : EMPTY_STEP) {
            byte[] damaged = Arrays.copyOf(bytes, length);
            meet(
                name + " cut to " + length,
                isLogOrManifest(name),
                disk -> disk.setBytes(path(name), damaged));
          }
        });
    report("every cut");
  }

  @Test
  void appendedBytesAreHarmlessOrFound() {
    SplittableRandom random = new SplittableRandom(1);
    files.forEach(
        (name, bytes) -> {
          for (int more = 1; more < 200; more += 13) {
            byte[] damaged = Arrays.copyOf(bytes, bytes.length + more);
            for (int i = bytes.length; i < damaged.length; i++) {
              damaged[i] = (byte) random.nextInt();
            }
            meet(name + " with " + more, false, disk -> disk.setBytes(path(name), damaged));
          }
        });
    report("appended");
  }

  @Test
  void missingFilesAreFound() {
    files.forEach(
        (name, bytes) -> {
          Outcome outcome = meet(name + " missing", false, disk -> disk.remove(path(name)));
          assertThat(outcome)
              .as(name)
              .isEqualTo(isUnneeded(name, bytes) ? Outcome.EXACT : Outcome.REFUSED_AT_OPEN);
        });
    report("missing");
  }

  @Test
  void openForReadingDoesNotTakeDamageForARace() throws IOException {
    for (String name : files.keySet()) {
      if (!isUnneeded(name, Objects.requireNonNull(files.get(name)))) {
        SimFileSystem disk = store.disk();
        disk.remove(path(name));
        FaultFileSystem counting = new FaultFileSystem(disk);
        assertThatThrownBy(() -> store.openReadOnly(counting))
            .isInstanceOf(DbException.Corrupt.class)
            .hasMessageStartingWith(path(name) + ": missing");
        assertThat(counting.count(DiskOperation.LIST)).as(name).isLessThan(20);
      }
    }
  }

  @Test
  void whatCannotBeRemovedDoesNotKeepTheRest() throws IOException {
    SimFileSystem disk = store.disk();
    disk.createDirectories(path("000900.table").resolve("full"));
    disk.create(path("000901.table")).close();
    disk.create(path("000902.blob")).close();
    assertThat(store.meet(disk, false, false)).isEqualTo(Outcome.EXACT);
    assertThat(DamagedStore.files(disk).keySet())
        .contains("000900.table")
        .doesNotContain("000901.table", "000902.blob");
  }

  @Test
  void directoryInThePlaceOfAFileIsFound() {
    for (String name : files.keySet()) {
      if (kind(name) == FileNames.Kind.LOCK) {
        continue;
      }
      meet(
          name + " a directory",
          false,
          disk -> {
            disk.remove(path(name));
            disk.createDirectories(path(name));
          });
    }
    report("directories");
  }

  @Test
  void anotherFileOfTheSameKindIsFound() {
    for (String name : files.keySet()) {
      files.forEach(
          (other, bytes) -> {
            if (!name.equals(other) && kind(name) == kind(other)) {
              meet(name + " is " + other, false, disk -> disk.setBytes(path(name), bytes));
              byte[] own = Objects.requireNonNull(files.get(name));
              meet(
                  name + " exchanged for " + other,
                  false,
                  disk -> {
                    disk.setBytes(path(name), bytes);
                    disk.setBytes(path(other), own);
                  });
            }
            if (!name.equals(other) && kind(name) != kind(other)) {
              meet(
                  name + " is " + other,
                  isLogOrManifest(name) && bytes.length == 0,
                  disk -> disk.setBytes(path(name), bytes));
            }
          });
    }
    report("exchanged");
  }

  @Test
  void filesOfAnotherStoreAreFound() {
    Map<String, byte[]> others = bytes(new DamagedStore(Durability.SYNC, 2));
    assertThat(others.keySet()).isEqualTo(files.keySet());
    others.forEach(
        (name, bytes) -> {
          Outcome outcome =
              meet(name + " of another", false, disk -> disk.setBytes(path(name), bytes));
          assertThat(outcome == Outcome.EXACT).as(name).isEqualTo(isUnneeded(name, bytes));
        });
    report("of another store");
  }

  @Test
  void newerFormatIsUnsupported() {
    files.forEach(
        (name, bytes) -> {
          byte[] newer = bytes.clone();
          switch (kind(name)) {
            case LOG, MANIFEST -> {
              Fixed.putInt(newer, 8, 2);
              Fixed.putInt(newer, 60, Crc32c.of(newer, 0, 60));
            }
            case BLOB -> {
              Fixed.putInt(newer, 8, 2);
              Fixed.putInt(newer, 32, Crc32c.of(newer, 0, 32));
            }
            // Of tables: TableDamageTest, which knows how their checksums are bound.
            default -> {
              return;
            }
          }
          SimFileSystem disk = store.disk();
          try {
            disk.setBytes(path(name), newer);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          Outcome outcome = store.meet(disk, false, true);
          assertThat(outcome)
              .as(name)
              .isEqualTo(
                  kind(name) == FileNames.Kind.BLOB
                      ? Outcome.REFUSED_LATER
                      : Outcome.REFUSED_AT_OPEN);
        });
  }

  @ParameterizedTest
  @EnumSource(
      value = Durability.class,
      names = {"SYNC", "BUFFERED"})
  void muchDamageIsHarmlessOrFound(Durability durability) {
    DamagedStore of = new DamagedStore(durability, 1);
    Map<String, byte[]> all = bytes(of);
    Seeds.forEach(1, RANDOM_SEEDS, seed -> damageMuch(of, all, seed));
    report("much, " + durability);
  }

  private void damageMuch(DamagedStore of, Map<String, byte[]> all, Seed seed) {
    SplittableRandom random = seed.random("damage");
    SimFileSystem disk = of.disk();
    StringBuilder what = new StringBuilder();
    boolean ends = false;
    Map<String, byte[]> damaged = new TreeMap<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      String name = all.keySet().toArray(new String[0])[random.nextInt(all.size())];
      byte[] bytes = damaged.getOrDefault(name, Objects.requireNonNull(all.get(name))).clone();
      if (bytes.length == 0) {
        continue;
      }
      int written = Math.max(1, written(bytes));
      int from = random.nextInt(written);
      int length = Math.min(bytes.length - from, 1 + random.nextInt(1 << random.nextInt(12)));
      int kind = random.nextInt(4);
      for (int at = from; at < from + length; at++) {
        bytes[at] =
            switch (kind) {
              case 0 -> 0;
              case 1 -> (byte) random.nextInt();
              case 2 -> bytes[random.nextInt(bytes.length)];
              default -> (byte) (bytes[at] ^ (random.nextInt(4) == 0 ? 1 : 0));
            };
      }
      ends |= isLogOrManifest(name);
      damaged.put(name, bytes);
      what.append(name).append(' ').append(from).append('+').append(length).append(", ");
    }
    boolean mayBeEarlier = ends;
    meet(
        of,
        what.toString(),
        mayBeEarlier,
        on -> {
          for (Map.Entry<String, byte[]> file : damaged.entrySet()) {
            on.setBytes(path(file.getKey()), file.getValue());
          }
        });
  }
}
