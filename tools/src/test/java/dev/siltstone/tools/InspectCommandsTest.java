package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.engine.Components;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.KeyRange;
import dev.siltstone.engine.Options;
import dev.siltstone.engine.TreeOptions;
import dev.siltstone.engine.spi.Compressor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: levels, stats, compact and verify tell what is there, and damage is found and named.
/// Method: whole commands on a store with live, deleted and overwritten entries in two trees, then
/// on the same store with a byte turned.
final class InspectCommandsTest {
  private static final int ENTRIES = 1_000;

  @TempDir Path temporary;
  private final Session session = new Session();
  private Path store = Path.of("");

  @BeforeEach
  void makeStore() {
    store = temporary.resolve("store");
    try (Db db = Db.open(store, quiet())) {
      for (int i = 0; i < ENTRIES; i++) {
        db.put(key(i), key(i));
      }
      db.flush();
      for (int i = 0; i < ENTRIES / 4; i++) {
        db.delete(key(i));
      }
      db.flush();
      db.openTree("other", TreeOptions.DEFAULT).put(key(1), key(1));
    }
  }

  @Test
  void levelsShowFilesBytesAndWhatIsDead() {
    String text = session.ok("levels", store.toString());
    assertThat(text)
        .contains("tree 'default'\nlevel", "\n\ntree 'other'\n")
        .containsPattern("level +files +bytes +raw +entries +deletes +obsolete +ranges")
        .containsPattern("all files +2 .* 1,250 +20\\.0 % +0\\.0 % +0\n");
    assertThat(session.ok("levels", store.toString(), "--tree", "other"))
        .startsWith("tree 'other'\n")
        .containsPattern("memory +- .* 1 +- ");
  }

  @Test
  void levelsAnswerInJson() {
    assertThat(session.ok("levels", store.toString(), "--json").lines())
        .hasSize(2)
        .anyMatch(
            line ->
                line.startsWith("{\"tree\":\"default\",")
                    && line.contains("\"deletes\":250,\"rangeDeletes\":0,"));
  }

  @Test
  void levelsShowEachFileIfAsked() {
    assertThat(session.ok("levels", store.toString(), "--files"))
        .containsPattern("level +file +bytes +raw +entries .* newest write +lower +upper")
        .containsPattern("\n +0 +[0-9]{6}\\.table +.* 250 +100\\.0 % .*Z ");
    assertThat(session.ok("levels", store.toString(), "--files", "--json").lines())
        .hasSize(2)
        .anyMatch(
            line ->
                line.contains("],\"tableFiles\":[{\"file\":\"0")
                    && line.contains("\"lastExpiry\":null,\"entries\":250,\"deletes\":250,"));
    assertThat(session.ok("levels", store.toString(), "--json")).doesNotContain("tableFiles");
  }

  @Test
  void statsShowTreesAndFiles() {
    String text = session.ok("stats", store.toString());
    assertThat(text)
        .contains("store         " + store.toAbsolutePath(), "nobody now", "newest write")
        .containsPattern("\ndefault +1,250 +20\\.0 % +0 +2 ")
        .containsPattern("\nother +1 +- +1 +0 ")
        .containsPattern("\ntable +2 ")
        .containsPattern("\nmanifest +1 ");
    try (Db db = Db.open(store, quiet())) {
      assertThat(session.ok("stats", db.directory().toString()))
          .contains("written by    process " + ProcessHandle.current().pid());
    }
    assertThat(session.ok("stats", store.toString(), "--json"))
        .contains("\"writtenBy\":null", "\"table\":{\"files\":2,", "\"tree\":\"other\"")
        .hasLineCount(1);
  }

  @Test
  void compactDropsWhatIsDead() {
    String text = session.ok("compact", store.toString());
    assertThat(text)
        .containsPattern(
            "(?s)before\n.*all files +2 .* 1,250 .*after [^\n]+\n.*files +1 .* 750 +0\\.0 %");
    assertThat(session.ok("count", store.toString())).isEqualTo("750 entries\n");
    assertThat(session.ok("compact", store.toString(), "--json", "--from", "a"))
        .startsWith("{\"nanos\":")
        .contains("\"beforeAndAfter\":[{\"tree\":\"default\"")
        .hasLineCount(1);
  }

  @Test
  void checkpointIsAStoreWithTheSameContent() {
    Path copy = temporary.resolve("copy");
    assertThat(session.ok("checkpoint", store.toString(), copy.toString()))
        .matches("2 trees \\(.* KiB\\) linked or copied in .*\n");
    assertThat(session.ok("count", copy.toString())).isEqualTo("750 entries\n");
    assertThat(session.ok("count", copy.toString(), "--tree", "other")).isEqualTo("1 entry\n");
    assertThat(session.ok("verify", copy.toString())).contains("\nsound: 2 trees");

    assertThat(session.run("checkpoint", store.toString(), copy.toString())).isEqualTo(2);
    assertThat(session.err()).contains(copy + " exists already");
    String second = temporary.resolve("second").toString();
    assertThat(session.ok("checkpoint", store.toString(), second, "--json"))
        .matches("\\{\"trees\":2,\"files\":[23],\"bytes\":\\d+,\"nanos\":\\d+}\n");
    assertThat(session.run("checkpoint", store.toString(), second, "--tree", "other")).isEqualTo(2);
    assertThat(session.err()).contains("leave out --tree");
    Path within = store.resolve("within");
    assertThat(session.run("checkpoint", store.toString(), within.toString())).isEqualTo(2);
    assertThat(session.err()).contains(within + " lies within " + store);
    assertThat(within).doesNotExist();
  }

  @Test
  void aStoreThatIsCompressedWithZstdIsSound() throws IOException {
    Path small = temporary.resolve("small");
    Path lines = temporary.resolve("lines.tsv");
    Files.writeString(lines, "aa\t" + "00".repeat(5_000) + "\nab\t" + "11".repeat(5_000) + "\n");
    for (int i = 0; i < 2; i++) {
      // Of two files that overlap a compressed one is made.
      session.ok("load", small.toString(), lines.toString(), "--create", "--compression", "zstd");
      session.ok("compact", small.toString());
    }
    assertThat(Files.size(table(small))).isLessThan(3_000);
    assertThat(session.ok("verify", small.toString())).contains("\nsound: 1 tree");
    assertThat(session.run("doctor", small.toString())).isZero();
    Path repaired = temporary.resolve("repaired");
    session.ok("repair", small.toString(), repaired.toString());
    assertThat(session.ok("count", repaired.toString())).isEqualTo("2 entries\n");
  }

  private static Path table(Path store) throws IOException {
    try (Stream<Path> files = Files.list(store)) {
      return files.filter(file -> file.toString().endsWith(".table")).findFirst().orElseThrow();
    }
  }

  @Test
  void compactKeepsTheHistoryThatTheTreeRetains() {
    Path kept = temporary.resolve("kept");
    TreeOptions retaining = TreeOptions.DEFAULT.withRetention(Duration.ofHours(1));
    try (Db db = Db.open(kept, Options.builder().defaultTree(retaining).build())) {
      db.put(key(1), key(1));
      db.put(key(1), key(2));
    }
    assertThat(session.ok("compact", kept.toString())).containsPattern("after [^\n]+\n.*\n6 .* 2 ");
  }

  @Test
  void verifyReadsEverything() {
    String text = session.ok("verify", store.toString());
    assertThat(text)
        .containsPattern("table +2 +\\S+ KiB +1,250\n")
        .containsPattern("log +\\d+ +.*\n")
        .containsPattern("sound: 2 trees, .* read in ");
    assertThat(session.ok("verify", store.toString(), "--json"))
        .contains("\"sound\":true", "\"tables\":{\"files\":2,", "\"damages\":[]")
        .hasLineCount(1);
  }

  @Test
  void verifyNamesFileAndOffsetOfDamage() throws IOException {
    Path damaged = files(".table").getFirst();
    turnByte(damaged, Files.size(damaged) / 2);
    assertThat(session.run("verify", store.toString())).isEqualTo(1);
    assertThat(session.out())
        .contains("damage: ", damaged.getFileName().toString(), "offset")
        .containsPattern("\n\\d+ damages?: ");
    assertThat(session.run("verify", store.toString(), "--json")).isEqualTo(1);
    assertThat(session.out())
        .contains("\"sound\":false", "\"file\":", damaged.getFileName().toString());
  }

  /// Of nobody else: half of zeros is left out.
  private static final class OwnCompressor implements Compressor {
    @Override
    public int id() {
      return 77;
    }

    @Override
    public String name() {
      return "own";
    }

    @Override
    public int compressedBytesMax(int length) {
      return length;
    }

    @Override
    public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
      System.arraycopy(source, offset, target, targetOffset, length / 2);
      return length / 2;
    }

    @Override
    public void decompress(
        byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength) {
      System.arraycopy(source, offset, target, targetOffset, length);
      Arrays.fill(target, targetOffset + length, targetOffset + targetLength, (byte) 0);
    }
  }

  @Test
  void whatCannotBeCheckedIsNoDamage() {
    Path place = temporary.resolve("own");
    Components components = Components.DEFAULT.withCompressors(List.of(new OwnCompressor()));
    TreeOptions own = TreeOptions.DEFAULT.withCompression("own");
    try (Db db = Db.open(place, Options.builder().defaultTree(own).build(), components)) {
      for (int i = 0; i < 1_000; i++) {
        db.put(key(i), new byte[100]);
      }
      db.compact(KeyRange.ALL);
    }
    assertThat(session.run("verify", place.toString())).isOne();
    assertThat(session.out())
        .containsPattern("not checked: .*table: .*compressor")
        .contains("no damage found, 1 file not checked: ")
        .doesNotContain("damage:");
    assertThat(session.run("verify", place.toString(), "--json")).isOne();
    assertThat(session.out())
        .contains("\"sound\":false", "\"damageCount\":0", "\"unchecked\":[{\"file\":");
    assertThat(session.run("doctor", place.toString())).isOne();
    assertThat(session.out()).contains("no damage found, 1 file not checked, the first: ");
  }

  @Test
  void verifyNamesADamagedManifest() throws IOException {
    Path manifest = files("manifest-").getFirst();
    turnByte(manifest, 20);
    assertThat(session.run("verify", store.toString())).isEqualTo(1);
    assertThat(session.out()).contains("damage: ", manifest.getFileName().toString());
  }

  @Test
  void repairSavesWhatCanBeRead() throws IOException {
    String saved = temporary.resolve("saved").toString();
    assertThat(session.ok("repair", store.toString(), saved))
        .containsPattern("default +1,250 +0 ")
        .contains("all saved: 2 tables, ");
    assertThat(session.ok("count", saved)).isEqualTo("750 entries\n");
    assertThat(session.ok("count", saved, "--tree", "other")).isEqualTo("1 entry\n");
    assertThat(session.ok("verify", saved)).contains("sound: 2 trees");
    assertThat(session.run("repair", store.toString(), saved)).isEqualTo(2);
    assertThat(session.err()).contains(saved + " is not empty").hasLineCount(1);
    assertThat(session.run("repair", store.toString(), store.resolve("in").toString()))
        .isEqualTo(2);
    assertThat(session.err()).contains("lies in the damaged store").hasLineCount(1);
    assertThat(session.run("repair", temporary.resolve("none").toString(), "x")).isEqualTo(2);
    assertThat(session.err()).contains("no directory").hasLineCount(1);
  }

  @Test
  void repairTellsWhatIsLost() throws IOException {
    Path damaged = files(".table").getFirst();
    turnByte(damaged, 100);
    for (Path manifest : files("manifest-")) {
      Files.delete(manifest);
    }
    String saved = temporary.resolve("saved").toString();
    assertThat(session.run("repair", store.toString(), saved)).isEqualTo(1);
    assertThat(session.out())
        .containsPattern("damage: .*MANIFEST-\\d+: missing")
        .containsPattern(
            "lost: .*table at offset 0: checksum .*; tree 'default', keys any to \\d+\n")
        .contains("note: tree 'lost-tree-2'", "1 loss: 2 tables, ");
    assertThat(session.ok("scan", saved, "--limit", "1")).isNotEmpty();
    String again = temporary.resolve("again").toString();
    assertThat(session.run("repair", store.toString(), again, "--json")).isEqualTo(1);
    assertThat(session.out())
        .contains("\"complete\":false", "\"manifestRead\":false", "\"tree\":\"lost-tree-2\"")
        .contains("\"harmless\":true", "\"from\":null,\"to\":\"00")
        .hasLineCount(1);
  }

  @Test
  void aStoreThatDoesNotOpenSaysThatRepairHelps() throws IOException {
    turnByte(files("manifest-").getFirst(), 20);
    assertThat(session.run("scan", store.toString())).isEqualTo(1);
    assertThat(session.err()).contains("'siltstone repair'").hasLineCount(1);
  }

  @Test
  void readingDamageFailsInOneLine() throws IOException {
    for (Path table : files(".table")) {
      turnByte(table, 40);
    }
    assertThat(session.run("scan", store.toString())).isEqualTo(1);
    assertThat(session.err())
        .contains(".table", "offset", "'siltstone verify' tells of all damage")
        .hasLineCount(1);
  }

  @Test
  void readingCommandsWriteNothing() throws IOException {
    List<String> before = listing();
    for (String command : "scan count dump levels stats verify".split(" ")) {
      session.ok(command, store.toString());
    }
    session.ok("get", store.toString(), "00999");
    assertThat(listing()).isEqualTo(before);
  }

  /// No compaction but those a test asks for.
  private static Options quiet() {
    return Options.builder().automaticCompaction(false).build();
  }

  private List<String> listing() throws IOException {
    try (Stream<Path> files = Files.list(store)) {
      return files.map(InspectCommandsTest::describe).sorted().toList();
    }
  }

  private static String describe(Path file) {
    try {
      return file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private List<Path> files(String part) throws IOException {
    try (Stream<Path> files = Files.list(store)) {
      return files
          .filter(file -> file.getFileName().toString().toLowerCase(Locale.ROOT).contains(part))
          .sorted()
          .toList();
    }
  }

  private static void turnByte(Path file, long offset) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(offset);
      int b = bytes.read();
      bytes.seek(offset);
      bytes.write(b ^ 0x10);
    }
  }

  private static byte[] key(int number) {
    return "%05d".formatted(number).getBytes(StandardCharsets.US_ASCII);
  }
}
