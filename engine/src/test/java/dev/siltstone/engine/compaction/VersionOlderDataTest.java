package dev.siltstone.engine.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

// Goal: the forward cursors answer as a look at every file does.
// Method: random versions, random inputs, all questions in key order against a loop over all files.
final class VersionOlderDataTest {
  private static final byte[] END = {-1, -1, -1, -1, -1, -1};

  @Test
  void cursorsAnswerAsALookAtEveryFile() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      List<List<FileMeta>> levels = levels(random);
      List<FileMeta> inputs = new ArrayList<>();
      levels.forEach(
          files -> files.stream().filter(_ -> random.nextInt(4) == 0).forEach(inputs::add));
      int outputLevel = random.nextInt(Version.LEVELS);
      OlderData older = new VersionOlderData(new Version(levels), inputs, outputLevel);
      TreeSet<byte[]> keys = new TreeSet<>(Bytes::compare);
      for (int i = 0; i < 30; i++) {
        keys.add(key(random));
      }
      for (byte[] key : keys) {
        long time = random.nextInt(40);
        byte[] end = Bytes.prefixEnd(key);
        String where = "seed " + seed + ", key " + Bytes.hex(key) + ", time " + time;
        assertThat(older.mayHoldKey(key, 0, key.length, time))
            .as(where)
            .isEqualTo(naive(levels, inputs, outputLevel, key, Bytes.successor(key), time));
        assertThat(older.mayHoldSubtree(key, 0, key.length, time))
            .as(where)
            .isEqualTo(naive(levels, inputs, 0, key, end == null ? END : end, time));
        assertThat(older.mayHoldRange(key, END, time))
            .as(where)
            .isEqualTo(naive(levels, inputs, outputLevel, key, END, time));
      }
    }
  }

  private static boolean naive(
      List<List<FileMeta>> levels,
      List<FileMeta> inputs,
      int fromLevel,
      byte[] lower,
      byte[] upper,
      long time) {
    return levels.stream()
        .skip(fromLevel)
        .flatMap(List::stream)
        .anyMatch(
            file -> !inputs.contains(file) && file.minTime() < time && file.overlaps(lower, upper));
  }

  private static List<List<FileMeta>> levels(Random random) {
    List<List<FileMeta>> levels = new ArrayList<>();
    long number = 1_000;
    for (int level = 0; level < Version.LEVELS; level++) {
      List<FileMeta> files = new ArrayList<>();
      TreeSet<byte[]> cuts = new TreeSet<>(Bytes::compare);
      for (int i = random.nextInt(8); i > 0; i--) {
        cuts.add(key(random));
      }
      byte[] lower = null;
      for (byte[] cut : cuts) {
        byte[] from = level == 0 ? key(random) : lower;
        if (from != null && Bytes.compare(from, cut) < 0 && random.nextInt(4) > 0) {
          files.add(TestFiles.file(number--, from, cut, random.nextInt(40)));
        }
        lower = cut;
      }
      if (level == 0) {
        files.sort((a, b) -> a.isNewerThan(b) ? -1 : 1);
      }
      levels.add(files);
    }
    return levels;
  }

  private static byte[] key(Random random) {
    byte[] key = new byte[random.nextInt(4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(4) - 1);
    }
    return key;
  }
}
