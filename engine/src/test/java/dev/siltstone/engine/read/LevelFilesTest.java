package dev.siltstone.engine.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.table.Compressors;
import dev.siltstone.engine.table.TableCache;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.Seeds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

// Goal: the numbers that stand for bounds choose the file that the bounds choose.
// Method: random bounds, many with equal heads, beside the comparisons of Version and FileMeta.
final class LevelFilesTest {
  @Test
  void choosesTheFileThatTheBoundsChoose() {
    Seeds.forEach(1, 200, seed -> run(seed.random("bounds")));
  }

  private static void run(RandomGenerator random) {
    TreeSet<byte[]> bounds = new TreeSet<>(Bytes::compare);
    int files = random.nextInt(12);
    while (bounds.size() < 2 * files) {
      bounds.add(key(random));
    }
    List<FileMeta> level = new ArrayList<>();
    List<byte[]> sorted = List.copyOf(bounds);
    for (int i = 0; i < files; i++) {
      level.add(file(i + 1, sorted.get(2 * i), sorted.get(2 * i + 1)));
    }
    List<List<FileMeta>> levels = new ArrayList<>(Collections.nCopies(Version.LEVELS, List.of()));
    levels.set(1, level);
    Version version = new Version(levels);
    LevelFiles found = new LevelFiles(level, tables());
    for (int i = 0; i < 50; i++) {
      boolean atBound = files > 0 && random.nextBoolean();
      check(version, found, atBound ? sorted.get(random.nextInt(2 * files)) : key(random));
    }
  }

  private static void check(Version version, LevelFiles found, byte[] key) {
    long head = LevelFiles.head(key, 0, key.length);
    int index = found.find(key, 0, key.length, head);
    assertThat(index).isEqualTo(version.find(1, key, 0, key.length));
    for (int i = 0; i < found.count(); i++) {
      FileMeta file = version.level(1).get(i);
      assertThat(found.covers(i, key, key.length, head)).isEqualTo(file.covers(key, 0, key.length));
      assertThat(found.startsBy(i, key, key.length, head))
          .isEqualTo(Bytes.compare(file.lower(), key) <= 0);
    }
  }

  /** Short keys of few bytes, with and without a prefix longer than a head. */
  private static byte[] key(RandomGenerator random) {
    byte[] key = new byte[random.nextInt(4) + (random.nextBoolean() ? 8 : 0)];
    for (int i = Math.max(0, key.length - 4); i < key.length; i++) {
      key[i] = (byte) random.nextInt(-2, 2);
    }
    return key;
  }

  private static FileMeta file(long number, byte[] lower, byte[] upper) {
    return new FileMeta(number, 10, lower, upper, 1, number, 5, 0, 0, 0, 0, 0, 0, 99, new long[0]);
  }

  private static TableCache tables() {
    return new TableCache(
        new SimFileSystem(), Path.of("/none"), 1, new BlockCache(0), new Compressors());
  }
}
