package dev.siltstone.engine.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.golden.AnnotatedDump;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

// Goal: the bytes of an edit never change, and no bytes lead to any other exception than the two.
// Method: known bytes; random edits there and back; random and damaged bytes.
class ManifestFormatTest {
  private static final Path FILE = Path.of("MANIFEST-000001");

  @Test
  void anEditHasTheseBytes() {
    VersionEdit edit =
        new VersionEdit()
            .lastTime(300)
            .logs(5, 6)
            .createTree(1, "a", new byte[] {(byte) 0xAA})
            .removeFile(1, 0, 7)
            .addFile(
                1,
                2,
                new FileMeta(
                    8,
                    4096,
                    new byte[] {0x6B},
                    new byte[] {0x6B, 0},
                    16,
                    32,
                    3,
                    1,
                    0,
                    0,
                    2,
                    0,
                    0,
                    130,
                    new long[] {9, 11}))
            .flushedTime(1, 32)
            .dropTree(2)
            .historyFloor(1, 4)
            .treeOptions(1, new byte[] {(byte) 0xBB, (byte) 0xCC});
    edit.snapshot = true;
    edit.nextFileNumber = 12L;
    edit.nextTreeId = 3;
    assertThat(Bytes.hex(ManifestFormat.encode(edit)))
        .isEqualTo(
            "0100" // SNAPSHOT
                + "020101" // STORE_FORMAT 1
                + "03010c" // NEXT_FILE 12
                + "040103" // NEXT_TREE 3
                + "0502ac02" // LAST_TIME 300
                + "07020506" // LOGS 5, 6
                + "0804010161aa" // CREATE_TREE 1 "a" aa
                + "0903010007" // REMOVE_FILE tree 1, level 0, number 7
                + "0a27" // ADD_FILE, 39 bytes
                + "0102" // tree 1, level 2
                + "010108" // number 8
                + "02028020" // bytes 4096
                + "03016b" // lower
                + "04026b00" // upper
                + "050110" // minTime 16
                + "060120" // maxTime 32
                + "070103" // entries 3
                + "080101" // deletes 1
                + "0b0102" // obsolete 2
                + "0e028201" // rawBytes 130
                + "0f020902" // blobs 9, 11
                + "0b020120" // FLUSHED tree 1, time 32
                + "0c0102" // DROP_TREE 2
                + "0d020104" // HISTORY_FLOOR tree 1, 4
                + "800301bbcc"); // TREE_OPTIONS tree 1, bb cc
  }

  @Test
  void aSmallManifestHasTheBytesOfItsPage() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    Path directory = Path.of("/store");
    disk.createDirectories(directory);
    VersionSet set =
        VersionSet.create(disk, directory, 0x1122334455667788L, () -> 0x0123456789ABCDEFL);
    VersionEdit edit = new VersionEdit().createTree(set.newTreeId(), "t", new byte[] {1});
    long number = set.newFileNumber();
    set.apply(edit.addFile(1, 0, TestFiles.file(number, 1, 9)).flushedTime(1, 2));
    set.close();
    assertThat(Bytes.hex(disk.bytes(directory.resolve("MANIFEST-000001"))))
        .isEqualTo(Bytes.hex(AnnotatedDump.read(Path.of("../docs/format/manifest.md"))));
  }

  @Test
  void everyEditComesBack() throws IOException {
    long seed = 11;
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 300; round++) {
      VersionEdit edit = randomEdit(random);
      byte[] bytes = ManifestFormat.encode(edit);
      VersionEdit back = decode(bytes);
      assertThat(ManifestFormat.encode(back)).as("seed %d, round %d", seed, round).isEqualTo(bytes);
      assertThat(back.added).hasSameSizeAs(edit.added);
      assertThat(back.isEmpty()).isEqualTo(edit.isEmpty());
    }
  }

  @Test
  void unknownTagsFrom128OnAreSkippedAndOthersRefused() throws IOException {
    assertThat(decode(HexFormat.of().parseHex("9003010203050107")).lastTime).isEqualTo(7);
    assertThat(decode(HexFormat.of().parseHex("ff00")).isEmpty()).isTrue();
    assertThatThrownBy(() -> decode(HexFormat.of().parseHex("0e00")))
        .isInstanceOf(UnsupportedFileException.class)
        .hasMessageContaining("MANIFEST-000001")
        .hasMessageContaining("unknown field 14");
    assertThatThrownBy(() -> decode(HexFormat.of().parseHex("0a0801000101021000" + "00")))
        .isInstanceOf(UnsupportedFileException.class)
        .hasMessageContaining("unknown file field");
    assertThatThrownBy(() -> decode(HexFormat.of().parseHex("020102")))
        .isInstanceOf(UnsupportedFileException.class)
        .hasMessageContaining("store format 2");
  }

  @Test
  void bytesThatAreNoEditAreCorruptOrUnsupportedAndNothingElse() {
    long seed = 5;
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = ManifestFormat.encode(randomEdit(random));
      int changes = random.nextInt(1, 4);
      for (int i = 0; i < changes && bytes.length > 0; i++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      byte[] cut = Bytes.copy(bytes, 0, random.nextInt(bytes.length + 1));
      try {
        new StateBuilder(StoreState.EMPTY).apply(decode(cut));
      } catch (CorruptFileException | UnsupportedFileException | IllegalArgumentException e) {
        assertThat(e.getMessage()).as("seed %d, round %d", seed, round).isNotEmpty();
      } catch (IOException e) {
        throw new AssertionError("seed " + seed + ", round " + round, e);
      }
    }
  }

  private static VersionEdit decode(byte[] bytes) throws IOException {
    return ManifestFormat.decode(new FieldReader(FILE, bytes, 0, bytes.length));
  }

  private static VersionEdit randomEdit(SplittableRandom random) {
    VersionEdit edit = new VersionEdit();
    edit.snapshot = random.nextInt(4) == 0;
    if (random.nextBoolean()) {
      edit.nextFileNumber = random.nextLong(1L << random.nextInt(1, 60));
      edit.lastTime(random.nextLong(1L << 56));
      edit.historyFloor(random.nextInt(1000), random.nextLong(1L << 56));
    }
    if (random.nextBoolean()) {
      edit.logs(random.nextInt(100), random.nextInt(100, 1000));
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      edit.createTree(random.nextInt(1, 1000), "tree ä" + i, new byte[random.nextInt(200)]);
      edit.flushedTime(random.nextInt(1000), random.nextLong(1L << 56));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      long blob = random.nextInt(1, 100);
      long[] blobs = random.nextBoolean() ? new long[0] : new long[] {blob, blob + 1, 1L << 40};
      int lower = random.nextInt(65_000);
      edit.addFile(
          random.nextInt(1000),
          random.nextInt(Version.LEVELS),
          TestFiles.file(
              random.nextLong(1, 1L << 40), lower, lower + random.nextInt(1, 500), blobs));
      edit.removeFile(random.nextInt(1000), random.nextInt(Version.LEVELS), random.nextInt(1000));
    }
    if (random.nextInt(5) == 0) {
      edit.dropTree(random.nextInt(1000));
    }
    if (random.nextInt(5) == 0) {
      edit.treeOptions(random.nextInt(1000), new byte[random.nextInt(200)]);
    }
    return edit;
  }
}
