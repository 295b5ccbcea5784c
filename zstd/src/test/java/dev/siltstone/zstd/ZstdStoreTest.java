package dev.siltstone.zstd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.engine.Components;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.DbException;
import dev.siltstone.engine.KeyRange;
import dev.siltstone.engine.Options;
import dev.siltstone.engine.TreeOptions;
import dev.siltstone.engine.TreeStats;
import dev.siltstone.engine.WriteBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a store compressed with Zstandard is smaller than with LZ4, is read back, and says what is
 * missing where the module is; a damaged block is damage. Method: stores in real directories, with
 * and without the compressor.
 */
final class ZstdStoreTest {
  private static final int ENTRIES = 3_000;
  private static final Components WITH =
      Components.DEFAULT.withCompressors(List.of(new ZstdCompressor()));

  @TempDir Path directory;

  @Test
  void aStoreIsSmallerAndReadBack() {
    long plain = fill(directory.resolve("lz4"), TreeOptions.DEFAULT);
    long small = fill(directory.resolve("zstd"), TreeOptions.DEFAULT.withCompression("zstd"));
    assertThat(small).isLessThan(plain);
    try (Db db = Db.open(directory.resolve("zstd"), Options.DEFAULT, WITH)) {
      assertThat(db.tree().options().compression()).isEqualTo("zstd");
      for (int i = 0; i < ENTRIES; i++) {
        assertThat(db.get(key(i))).isEqualTo(value(i));
      }
    }
  }

  @Test
  void withoutTheModuleTheStoreSaysWhatToAdd() {
    fill(directory, TreeOptions.DEFAULT.withCompression("zstd"));
    assertThatThrownBy(() -> Db.open(directory))
        .isInstanceOf(DbException.Unsupported.class)
        .hasMessageContaining("siltstone-zstd");
    try (Db db = Db.openReadOnly(directory, Options.DEFAULT)) {
      assertThatThrownBy(() -> db.get(key(1)))
          .isInstanceOf(DbException.Unsupported.class)
          .hasMessageContaining(".table at offset 0")
          .hasMessageContaining("compressor 2 (zstd)")
          .hasMessageContaining("siltstone-zstd");
    }
  }

  @Test
  void aDamagedBlockIsCorrupt() throws IOException {
    fill(directory, TreeOptions.DEFAULT.withCompression("zstd"));
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".table")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        bytes[100] ^= 1;
        Files.write(file, bytes);
      }
    }
    try (Db db = Db.open(directory, Options.DEFAULT, WITH)) {
      assertThatThrownBy(() -> db.tree().count(KeyRange.ALL))
          .isInstanceOf(DbException.Corrupt.class)
          .hasMessageContaining("checksum");
    }
  }

  /** Writes everything twice, so that files are merged and not just moved; bytes of the tables. */
  private static long fill(Path directory, TreeOptions options) {
    try (Db db = Db.open(directory, Options.builder().defaultTree(options).build(), WITH)) {
      for (int round = 0; round < 2; round++) {
        WriteBatch batch = db.newBatch();
        for (int i = 0; i < ENTRIES; i++) {
          batch.put(key(i), value(i));
        }
        db.write(batch);
        db.flush();
      }
      db.compact(KeyRange.ALL);
      TreeStats stats = db.tree().stats();
      return stats.tableBytes();
    }
  }

  private static byte[] key(int i) {
    return "key %06d".formatted(i).getBytes(UTF_8);
  }

  private static byte[] value(int i) {
    return "a value with some text in it, number %d of %d, %x"
        .formatted(i, ENTRIES, i * 7919)
        .getBytes(UTF_8);
  }
}
