package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.engine.lz4.Lz4;
import dev.siltstone.engine.spi.Compressor;
import dev.siltstone.engine.spi.EventListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a store is written with the compressor that its options name or not at all, and a
 * compressor that is absent or fails harms nothing. Method: a compressor of the test's own beside
 * LZ4, there and not there, and one that throws.
 */
final class CompressionTest {
  private static final int ENTRIES = 2_000;
  private static final TreeOptions OWN = TreeOptions.DEFAULT.withCompression("own");

  @TempDir Path directory;
  private final List<String> suspended = new ArrayList<>();

  @Test
  void blocksAreReadWithTheCompressorThatWroteThem() {
    try (Db db = open(new OwnCompressor(), OWN)) {
      fill(db);
      assertThat(db.tree().stats().tableBytes())
          .isLessThan(db.tree().stats().levels().getLast().rawBytes() / 2);
    }
    try (Db db = open(new OwnCompressor(), TreeOptions.DEFAULT)) {
      check(db);
      db.tree().deleteRange(KeyRange.of(key(0), key(10)));
      db.compact(KeyRange.ALL);
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(ENTRIES - 10);
    }
    try (Db db = Db.open(directory)) {
      assertThat(db.tree().count(KeyRange.ALL)).as("all LZ4 now").isEqualTo(ENTRIES - 10);
    }
  }

  @Test
  void aNameThatNobodyKnowsIsRefused() {
    for (String name : List.of("own", "zstd")) {
      TreeOptions options = TreeOptions.DEFAULT.withCompression(name);
      assertThatThrownBy(() -> Db.open(directory, Options.builder().defaultTree(options).build()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("compression '" + name + "' is not among")
          .hasMessageContaining("[lz4, none]")
          .hasMessageContaining("Components.withCompressors");
      try (Db db = Db.open(directory)) {
        assertThatThrownBy(() -> db.openTree("t", options))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("tree 't'");
        assertThat(db.treeNames()).containsExactly("default");
      }
    }
  }

  @Test
  void aStoreThatNamesAnAbsentCompressorIsReadButNotWritten() {
    try (Db db = open(new OwnCompressor(), TreeOptions.DEFAULT)) {
      db.openTree("t", OWN).put(key(1), key(2));
      fill(db);
    }
    assertThatThrownBy(() -> Db.open(directory))
        .isInstanceOf(DbException.Unsupported.class)
        .hasMessageContaining("tree 't': compression 'own'")
        .hasMessageContaining("Components.withCompressors");
    try (Db db = Db.openReadOnly(directory, Options.DEFAULT)) {
      check(db);
      assertThat(db.tree("t").get(key(1))).isEqualTo(key(2));
    }
  }

  @Test
  void aBlockOfAnAbsentCompressorIsUnsupportedAndNamesFileOffsetAndId() {
    try (Db db = open(new OwnCompressor(), OWN)) {
      fill(db);
    }
    try (Db db = Db.openReadOnly(directory, Options.DEFAULT)) {
      assertThatThrownBy(() -> db.get(key(1)))
          .isInstanceOf(DbException.Unsupported.class)
          .hasMessageContaining(directory.toString())
          .hasMessageContaining(".table at offset 0")
          .hasMessageContaining("compressor 200, which this process does not have")
          .hasMessageContaining("Components.withCompressors");
    }
    try (Db db = Db.open(directory, Options.builder().defaultTree(TreeOptions.DEFAULT).build())) {
      db.put(key(1), key(1));
      assertThatThrownBy(() -> db.compact(KeyRange.ALL))
          .isInstanceOf(DbException.Unsupported.class);
      db.put(key(2), key(2));
      assertThat(db.get(key(1))).as("writes go on").isEqualTo(key(1));
    }
    try (Db db = open(new OwnCompressor(), OWN)) {
      db.compact(KeyRange.ALL);
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(ENTRIES);
    }
  }

  @Test
  void aCompressorThatFailsStopsCompactionAndNothingElse() {
    for (Throwable failure :
        List.of(new IllegalStateException("broken"), new NoClassDefFoundError("native"))) {
      OwnCompressor broken = new OwnCompressor();
      broken.failure = failure;
      try (Db db = open(broken, OWN)) {
        assertThatThrownBy(() -> fill(db))
            .isInstanceOf(DbException.Unsupported.class)
            .hasMessageContaining("compressor 'own' failed to compress")
            .hasMessageContaining(failure.toString());
        db.awaitQuiet();
        assertThat(suspended).isEqualTo(List.of("default"));
        db.put(key(0), key(0));
        assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(ENTRIES);
      }
      suspended.clear();
    }
    OwnCompressor sound = new OwnCompressor();
    try (Db db = open(sound, OWN)) {
      fill(db);
    }
    try (Db db = open(sound, OWN)) {
      sound.failure = new NoClassDefFoundError("native");
      assertThatThrownBy(() -> db.get(key(1)))
          .isInstanceOf(DbException.Unsupported.class)
          .hasMessageContaining("compressor 'own'");
      sound.failure = new IllegalStateException("broken");
      assertThatThrownBy(() -> db.get(key(1)))
          .isInstanceOf(DbException.Corrupt.class)
          .hasMessageContaining("broken");
      sound.failure = null;
      check(db);
    }
  }

  private Db open(Compressor compressor, TreeOptions defaultTree) {
    EventListener listener =
        new EventListener() {
          @Override
          public void suspended(String tree, Throwable cause) {
            suspended.add(tree);
          }
        };
    return Db.open(
        directory,
        Options.builder().defaultTree(defaultTree).build(),
        Components.DEFAULT.withCompressors(List.of(compressor)).withListener(listener));
  }

  /** Writes everything twice, so that files are merged and not just moved. */
  private static void fill(Db db) {
    db.write(entries(db));
    db.flush();
    db.write(entries(db));
    db.compact(KeyRange.ALL);
  }

  private static WriteBatch entries(Db db) {
    WriteBatch batch = db.newBatch();
    for (int i = 0; i < ENTRIES; i++) {
      batch.put(key(i), ("value of some length " + i).repeat(3).getBytes());
    }
    return batch;
  }

  private static void check(Db db) {
    assertThat(db.get(key(7))).isEqualTo("value of some length 7".repeat(3).getBytes());
    assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(ENTRIES);
  }

  private static byte[] key(int i) {
    return new byte[] {(byte) (i >>> 8), (byte) i};
  }

  /** LZ4 under another name, and a failure on demand. */
  private static final class OwnCompressor implements Compressor {
    private final Lz4 lz4 = new Lz4();
    private volatile Throwable failure;

    @Override
    public int id() {
      return 200;
    }

    @Override
    public String name() {
      return "own";
    }

    @Override
    public int compressedBytesMax(int length) {
      return lz4.compressedBytesMax(length);
    }

    @Override
    public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
      fail();
      return lz4.compress(source, offset, length, target, targetOffset);
    }

    @Override
    public void decompress(
        byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
        throws IOException {
      fail();
      lz4.decompress(source, offset, length, target, targetOffset, targetLength);
    }

    private void fail() {
      switch (failure) {
        case null -> {
          // Sound.
        }
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        default -> throw new AssertionError(failure);
      }
    }
  }
}
