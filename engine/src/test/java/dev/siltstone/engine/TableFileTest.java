package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the list of files is that of the directory, and says what was written. Method: a store in a
 * real directory with every kind of record, before and after a compaction, damaged, and closed.
 */
final class TableFileTest {
  private static final Options QUIET =
      Options.builder().automaticCompaction(false).separateValueBytes(1 << 10).build();

  @TempDir Path directory;

  @Test
  void filesSayWhatWasWritten() {
    Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS).minusMillis(1);
    try (Db db = Db.open(directory, QUIET)) {
      assertThat(db.tree().files()).isEmpty();
      for (int i = 0; i < 100; i++) {
        db.put(key(i), new byte[50]);
      }
      db.flush();
      db.delete(key(5));
      db.put(key(6), new byte[2_000]);
      db.tree().put(key(7), new byte[10], Duration.ofHours(1));
      db.deleteRange(KeyRange.of(key(90), key(130)));
      db.flush();
      List<TableFile> files = db.tree().files();
      assertThat(files).hasSize(2).allMatch(file -> file.level() == 0);
      TableFile newer = files.getFirst();
      assertThat(newer.records()).isEqualTo(new TableFile.Records(3, 1, 1, 0, 0, 1, 1));
      assertThat(newer.keys()).isEqualTo(KeyRange.of(key(5), key(130)));
      assertThat(newer.lastExpiry()).isAfter(before.plus(Duration.ofMinutes(59)));
      TableFile older = files.getLast();
      assertThat(older.records()).isEqualTo(new TableFile.Records(100, 0, 0, 0, 0, 0, 0));
      assertThat(older.keys().lower()).isEqualTo(key(0));
      assertThat(older.lastExpiry()).isNull();
      assertThat(older.layout().rawBytes()).isEqualTo(100 * (1 + 50));
      assertThat(older.layout().dataBlocks()).isOne();
      assertThat(before).isBefore(older.oldest());
      assertThat(older.oldest()).isBefore(older.newest());
      assertThat(older.newest()).isBefore(newer.oldest()).isBeforeOrEqualTo(older.created());
      for (TableFile file : files) {
        assertThat(directory.resolve(file.name())).hasSize(file.bytes());
      }
      db.compact(KeyRange.ALL);
      TableFile merged = db.tree().files().getFirst();
      assertThat(db.tree().files()).hasSize(1);
      assertThat(merged.level()).isEqualTo(merged.levelWritten()).isPositive();
      assertThat(merged.records().entries()).isEqualTo(89);
      assertThat(merged.layout().dataBytes()).isLessThan(merged.layout().dataRawBytes());
    }
  }

  @Test
  void whatArrivesInTheOrderOfItsKeysIsCompressedToo() {
    try (Db db = Db.open(directory, QUIET)) {
      for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 20; i++) {
          db.put(key(20 * round + i), new byte[50]);
        }
        db.flush();
      }
      db.compact(KeyRange.ALL);
      assertThat(db.tree().files())
          .isNotEmpty()
          .allMatch(file -> file.level() > 1)
          .allMatch(file -> file.layout().dataBytes() < file.layout().dataRawBytes());
      assertThat(db.stats().filesMoved()).isZero();
    }
  }

  @Test
  void whatIsNotToBeCompressedOnlyMoves() {
    TreeOptions raw = TreeOptions.DEFAULT.withCompression("none");
    try (Db db = Db.open(directory, Options.builder().defaultTree(raw).build())) {
      for (int i = 0; i < 20; i++) {
        db.put(key(i), new byte[50]);
      }
      db.flush();
      db.compact(KeyRange.ALL);
      assertThat(db.tree().files()).hasSize(1).allMatch(file -> file.level() > 1);
      assertThat(db.stats().filesMoved()).isOne();
    }
  }

  @Test
  void aDamagedFileIsNamed() throws IOException {
    String name;
    try (Db db = Db.open(directory, QUIET)) {
      db.put(key(1), key(1));
      db.flush();
      name = db.tree().files().getFirst().name();
    }
    byte[] bytes = Files.readAllBytes(directory.resolve(name));
    bytes[bytes.length - 1] ^= 1;
    Files.write(directory.resolve(name), bytes);
    Db db = Db.open(directory, QUIET);
    assertThatThrownBy(() -> db.tree().files())
        .isInstanceOf(DbException.Corrupt.class)
        .hasMessageContaining(name);
    db.close();
    assertThatThrownBy(() -> db.tree().files()).isInstanceOf(DbException.Closed.class);
  }

  private static byte[] key(int i) {
    return new byte[] {(byte) i};
  }
}
