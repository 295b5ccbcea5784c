package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: whatever was acknowledged survives the death of the process, in every durability, and no
 * batch is there by half. Method: a child process writes to a real directory and is killed with
 * SIGKILL through its handle at a random batch; its store is opened and read, and the next child
 * goes on with it.
 */
final class DbKillTest {
  private static final int ROUNDS = Integer.getInteger("siltstone.kill.rounds", 3);
  private static final int BATCHES_MAX = 400;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(Durability.class)
  void everythingAcknowledgedIsThereAfterAKill(Durability durability) throws Exception {
    SplittableRandom random = new SplittableRandom(durability.ordinal());
    long next = 1;
    for (int round = 0; round < ROUNDS; round++) {
      next = round(durability, next, 20 + random.nextInt(BATCHES_MAX));
    }
  }

  private long round(Durability durability, long first, int batches) throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-ea",
                "-cp",
                System.getProperty("java.class.path"),
                KilledChild.class.getName(),
                directory.toString(),
                durability.name(),
                Long.toString(first))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    long begun = first - 1;
    long acknowledged = first - 1;
    try (InputStream said = child.getInputStream()) {
      boolean killed = false;
      byte[] line = new byte[9];
      while (said.readNBytes(line, 0, line.length) == line.length) {
        long number = number(line);
        if (line[0] == KilledChild.BEGUN) {
          begun = number;
        } else {
          acknowledged = number;
        }
        if (!killed && acknowledged >= first + batches) {
          // Not Process.destroyForcibly, which also closes the pipe with what was said.
          child.toHandle().destroyForcibly();
          killed = true;
        }
      }
    } finally {
      child.destroyForcibly();
      child.waitFor();
    }
    assertThat(acknowledged).isGreaterThanOrEqualTo(first + batches);
    check(durability, acknowledged, begun);
    return begun + 1;
  }

  private static long number(byte[] line) {
    long number = 0;
    for (int i = 8; i > 0; i--) {
      number = number << 8 | (line[i] & 0xFF);
    }
    return number;
  }

  private void check(Durability durability, long acknowledged, long begun) {
    try (Db db = Db.open(directory, KilledChild.options(durability))) {
      assertThat(db.treeNames()).isEqualTo(List.of("default", "other"));
      for (int group = 0; group < KilledChild.GROUPS; group++) {
        long found = number(db, group, 0);
        for (int i = 1; i < KilledChild.KEYS; i++) {
          assertThat(number(db, group, i)).as("half of a batch, group " + group).isEqualTo(found);
        }
        long last = acknowledged - Math.floorMod(acknowledged - group, KilledChild.GROUPS);
        boolean underWay = begun % KilledChild.GROUPS == group && found == begun;
        assertThat(underWay || found == Math.max(0, last))
            .as("group %d: %d, acknowledged up to %d, begun %d", group, found, acknowledged, begun)
            .isTrue();
      }
    }
  }

  private static long number(Db db, int group, int i) {
    byte[] value = db.tree(KilledChild.tree(i)).get(KilledChild.key(group, i));
    return value == null ? 0 : Long.parseLong(StoreContent.describe(value).split(":")[0]);
  }
}
