package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.engine.lz4.Lz4;
import dev.siltstone.engine.spi.Compressor;
import dev.siltstone.engine.spi.EventListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
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

  @TempDir Path temporary;

  private Path directory = Path.of("");

  @BeforeEach
  void setUp() {
    directory = temporary.resolve("store");
  }

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
  void whatAnAbsentCompressorHidesIsNotCheckedWhichIsNoDamage() throws Exception {
    try (Db db = open(new OwnCompressor(), OWN)) {
      db.openTree("plain", TreeOptions.DEFAULT).put(key(1), key(2));
      fill(db);
      db.awaitQuiet();
    }
    Verification found = Db.verify(directory, Components.DEFAULT, VerifyOptions.DEFAULT);
    requireUnchecked(found);
    try (Db db = Db.openReadOnly(directory, Options.DEFAULT)) {
      requireUnchecked(db.verify(VerifyOptions.DEFAULT));
    }
    try (Db db = Db.open(directory, Options.builder().defaultTree(TreeOptions.DEFAULT).build())) {
      requireUnchecked(db.verify(VerifyOptions.DEFAULT));
    }
    for (Path manifest : files("(MANIFEST|CURRENT)-.*")) {
      Files.delete(manifest);
    }
    Verification without = Db.verify(directory, Components.DEFAULT, VerifyOptions.DEFAULT);
    assertThat(without.problems()).hasSize(1);
    assertThat(without.problems().getFirst().what()).contains("no manifest");
    assertThat(without.unchecked()).hasSize(1);
    Components able = Components.DEFAULT.withCompressors(List.of(new OwnCompressor()));
    assertThat(Db.verify(directory, able, VerifyOptions.DEFAULT).unchecked()).isEmpty();
  }

  private void requireUnchecked(Verification found) throws IOException {
    assertThat(found.problems()).isEmpty();
    assertThat(found.problemCount()).isZero();
    assertThat(found.complete()).isTrue();
    assertThat(found.isSound()).isFalse();
    assertThat(found.unchecked()).hasSize(1);
    Verification.Unchecked unchecked = found.unchecked().getFirst();
    assertThat(unchecked.file()).isIn(files(".*\\.table"));
    assertThat(unchecked.what())
        .startsWith("at offset 0: a block of compressor 200, which this process does not have")
        .contains("Components.withCompressors")
        .doesNotContain(directory.toString());
    assertThat(unchecked)
        .hasToString(unchecked.file() + ": could not be checked: " + unchecked.what());
  }

  @Test
  void aRepairNeverTakesWhatItCannotDecompressForDamage() throws Exception {
    try (Db db = open(new OwnCompressor(), OWN)) {
      fill(db);
      db.awaitQuiet();
    }
    requireUnsupportedRepair();
    for (Path manifest : files("(MANIFEST|CURRENT)-.*")) {
      Files.delete(manifest);
    }
    requireUnsupportedRepair();
    Path target = temporary.resolve("repaired");
    Components able = Components.DEFAULT.withCompressors(List.of(new OwnCompressor()));
    RepairReport report = Db.repair(directory, target, Options.DEFAULT, able);
    assertThat(report.isComplete()).isTrue();
    assertThat(report.trees().getFirst().entries()).isEqualTo(ENTRIES);
  }

  private void requireUnsupportedRepair() throws IOException {
    Path target = temporary.resolve("target");
    assertThatThrownBy(() -> Db.repair(directory, target, Options.DEFAULT, Components.DEFAULT))
        .isInstanceOf(DbException.Unsupported.class)
        .hasMessageStartingWith(directory.toString())
        .hasMessageContaining(".table at offset 0: ")
        .hasMessageContaining("Components.withCompressors");
    assertThat(target).isEmptyDirectory();
  }

  private List<Path> files(String regex) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.getFileName().toString().matches(regex)).sorted().toList();
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
