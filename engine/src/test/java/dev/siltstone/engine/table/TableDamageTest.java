package dev.siltstone.engine.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.lz4.Lz4;
import dev.siltstone.engine.table.TableFixture.Place;
import dev.siltstone.testkit.run.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

// Goal: whatever happens to the bytes of a file, reading it gives what was written, or an exception
// for a corrupt or an unsupported file, and nothing else.
// Method: every byte of a small file flipped, the file cut at every length, blocks exchanged; and
// blocks whose content is damaged while their checksum is right, as a writer gone wrong would do.
final class TableDamageTest {
  private static final TableWriterOptions OPTIONS =
      TableWriterOptions.defaults().withBlockBytes(256).withPartitionBytes(64);

  private final TableFixture fixture;
  private final NavigableMap<Place, byte[]> records = new TreeMap<>();

  TableDamageTest() throws IOException {
    fixture = new TableFixture();
    for (int i = 0; i < 40; i++) {
      String key = "key:%03d%s".formatted(i / 2, "x".repeat(i % 5));
      records.put(
          Place.of(key, 100 + i, i % 7 == 0 ? KeyKind.DELETE : KeyKind.PUT),
          i % 7 == 0
              ? new byte[0]
              : ("value " + "of ".repeat(i % 9)).getBytes(StandardCharsets.UTF_8));
    }
    byte[] reference = new byte[BlobReference.BYTES];
    new BlobReference(77, 1000, 1).write(reference, 0);
    records.put(Place.of("large", 1, KeyKind.PUT | KeyKind.SEPARATED), reference);
  }

  private void write(TableWriterOptions options) throws IOException {
    fixture.write(
        options,
        writer -> {
          TableFixture.addAll(writer, records);
          writer.addRangeTombstone(
              "key:010".getBytes(StandardCharsets.UTF_8),
              "key:014".getBytes(StandardCharsets.UTF_8),
              new long[] {90, 50});
          writer.noteBlob(77);
        });
  }

  /** Asks everything of a table; whether all answers were right, rather than refused. */
  private boolean readsRight(boolean verify) {
    try (TableReader table = fixture.openCold()) {
      assertThat(table.properties().entries()).isEqualTo(records.size());
      assertThat(table.properties().blobs()).containsExactly(77);
      assertThat(
              table
                  .rangeTombstones()
                  .newestCovering("key:011".getBytes(StandardCharsets.UTF_8), 0, 7, 95))
          .isEqualTo(90);
      InternalIterator iterator = table.scan(300);
      iterator.first();
      for (Map.Entry<Place, byte[]> entry : records.entrySet()) {
        assertThat(iterator.valid()).isTrue();
        assertThat(TableFixture.place(iterator)).isEqualTo(entry.getKey());
        assertThat(TableFixture.value(iterator)).isEqualTo(entry.getValue());
        iterator.next();
      }
      assertThat(iterator.valid()).isFalse();
      for (Map.Entry<Place, byte[]> entry : records.entrySet()) {
        PointResult found =
            TableFixture.find(
                table, entry.getKey().key(), Trailer.time(entry.getKey().trailer()), 0);
        assertThat(found).isNotNull();
        assertThat(TableFixture.value(found)).isEqualTo(entry.getValue());
      }
      if (verify) {
        fixture.verify();
      }
      return true;
    } catch (CorruptFileException e) {
      assertThat(e.file()).isEqualTo(TableFixture.PATH);
      assertThat(e.getMessage()).isNotBlank();
      return false;
    } catch (UnsupportedFileException e) {
      assertThat(e.getMessage()).contains(TableFixture.PATH.toString());
      return false;
    } catch (IOException e) {
      throw new AssertionError("neither corrupt nor unsupported", e);
    }
  }

  @Test
  void everyFlippedBitIsFound() throws IOException {
    for (TableWriterOptions options :
        new TableWriterOptions[] {
          OPTIONS, OPTIONS.withCompressor(new Lz4()), OPTIONS.withFilters(10, true)
        }) {
      write(options);
      byte[] bytes = fixture.bytes();
      assertThat(readsRight(true)).isTrue();
      for (int i = 0; i < bytes.length; i++) {
        byte[] damaged = bytes.clone();
        damaged[i] ^= (byte) (1 << (i % 8));
        fixture.fileSystem.setBytes(TableFixture.PATH, damaged);
        assertThat(readsRight(true)).as("byte %d of %d", i, bytes.length).isFalse();
      }
    }
  }

  @Test
  void everyTruncationAndExtensionIsFound() throws IOException {
    write(OPTIONS);
    byte[] bytes = fixture.bytes();
    for (int length = 0; length < bytes.length; length++) {
      fixture.fileSystem.setBytes(TableFixture.PATH, Arrays.copyOf(bytes, length));
      assertThat(readsRight(true)).as("length %d", length).isFalse();
    }
    fixture.fileSystem.setBytes(TableFixture.PATH, Arrays.copyOf(bytes, bytes.length + 1));
    assertThat(readsRight(true)).isFalse();
    // A whole footer at the end of a longer file.
    byte[] longer = new byte[bytes.length + 10];
    System.arraycopy(bytes, 0, longer, 10, bytes.length);
    fixture.fileSystem.setBytes(TableFixture.PATH, longer);
    assertThat(readsRight(true)).isFalse();
  }

  @Test
  void blocksInEachOthersPlaceAreFound() throws IOException {
    // Equal blocks but for their order in the file.
    NavigableMap<Place, byte[]> large = new TreeMap<>();
    for (int i = 0; i < 4; i++) {
      large.put(Place.of("key" + i, 1, KeyKind.PUT), new byte[300]);
    }
    fixture.write(OPTIONS, large);
    byte[] bytes = fixture.bytes();
    int length = 300 + Block.HEADER_BYTES + 8 + 4 + 4 + 1 + TableFormat.TRAILER_BYTES;
    byte[] swapped = bytes.clone();
    System.arraycopy(bytes, 0, swapped, length, length);
    fixture.fileSystem.setBytes(TableFixture.PATH, swapped);
    TableReader table = fixture.openCold();
    InternalIterator iterator = table.iterator(false);
    iterator.first();
    assertThatThrownBy(iterator::next)
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("checksum of a data block");
    assertThat(iterator.valid()).isFalse();
    // The iterator can be placed again where the file is whole.
    iterator.last();
    assertThat(iterator.valid()).isTrue();
  }

  @Test
  void anotherFileUnderThisNameIsRefused() throws IOException {
    write(OPTIONS);
    assertThat(TableFooter.read(fixture.fileSystem, TableFixture.PATH).fileNumber())
        .isEqualTo(TableFixture.NUMBER);
    assertThatThrownBy(() -> openAs(8, TableFixture.STORE, -1))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("file 8 of store 123456789abcdef0 expected");
    assertThatThrownBy(() -> openAs(TableFixture.NUMBER, 1, -1))
        .isInstanceOf(CorruptFileException.class);
    assertThatThrownBy(() -> openAs(TableFixture.NUMBER, TableFixture.STORE, 1))
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("1 bytes expected");
  }

  private TableReader openAs(long number, long store, long bytes) throws IOException {
    return TableReader.open(
        fixture.fileSystem,
        TableFixture.PATH,
        number,
        bytes,
        store,
        new BlockCache(1 << 20),
        fixture.compressors);
  }

  @Test
  void unknownSectionsAreIgnoredOrRefuseTheFileAsTheySay() throws IOException {
    for (int id : new int[] {9, TableFormat.PROPERTIES_SECTION}) {
      fixture.write(
          OPTIONS,
          writer -> {
            TableFixture.addAll(writer, records);
            writer.noteBlob(77);
            writer.addForeignSection(id, 99, TableFormat.SECTION_MAY_IGNORE, new byte[] {1, 2});
          });
      TableReader table = fixture.openCold();
      assertThat(TableFixture.forward(table.iterator(false))).hasSize(records.size());
      fixture.verify();
    }
    fixture.write(
        OPTIONS,
        writer -> {
          TableFixture.addAll(writer, records);
          writer.addForeignSection(9, 1, 0, new byte[] {1, 2});
        });
    assertThatThrownBy(fixture::openCold)
        .isInstanceOf(UnsupportedFileException.class)
        .hasMessageContaining("section 9 of version 1");
  }

  @Test
  void blobsThatThePropertiesDoNotTellAreFound() throws IOException {
    fixture.write(OPTIONS, records);
    assertThat(fixture.faults())
        .singleElement()
        .satisfies(fault -> assertThat(fault).hasMessageContaining("0 blob files, 1 found"));
  }

  @Test
  void allDamagedBlocksAreTold() throws IOException {
    write(OPTIONS);
    byte[] bytes = fixture.bytes();
    int[] offsets = {10, 600, bytes.length - TableFormat.FOOTER_BYTES - 100};
    for (int at : offsets) {
      bytes[at] ^= 1;
    }
    fixture.fileSystem.setBytes(TableFixture.PATH, bytes);
    assertThat(fixture.faults()).hasSize(offsets.length);
  }

  @Test
  void anotherFormatVersionOrFeatureIsUnsupported() throws IOException {
    for (int field : new int[] {TableFormat.FOOTER_VERSION, TableFormat.FOOTER_FEATURES}) {
      write(OPTIONS);
      byte[] bytes = fixture.bytes();
      int at = bytes.length - TableFormat.FOOTER_BYTES;
      Fixed.putInt(bytes, at + field, 2);
      int crc = Crc32c.of(bytes, at, TableFormat.FOOTER_CRC);
      Fixed.putInt(bytes, at + TableFormat.FOOTER_CRC, Crc32c.bind(crc, identity(), at));
      fixture.fileSystem.setBytes(TableFixture.PATH, bytes);
      assertThatThrownBy(fixture::openCold).isInstanceOf(UnsupportedFileException.class);
    }
  }

  @Test
  void aMissingCompressorIsUnsupported() throws IOException {
    write(OPTIONS.withCompressor(new OtherCompressor()));
    assertThatThrownBy(() -> fixture.verify())
        .isInstanceOf(UnsupportedFileException.class)
        .hasMessageContaining("compressor 200");
  }

  /** Stores nothing but a length. */
  private static final class OtherCompressor implements dev.siltstone.engine.spi.Compressor {
    @Override
    public int id() {
      return 200;
    }

    @Override
    public String name() {
      return "other";
    }

    @Override
    public int compressedBytesMax(int length) {
      return 4;
    }

    @Override
    public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
      return 4;
    }

    @Override
    public void decompress(
        byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
        throws IOException {
      throw new IOException("cannot");
    }
  }

  private static long identity() {
    return TableFormat.identity(TableFixture.STORE, TableFixture.NUMBER);
  }

  @Test
  void wrongContentUnderARightChecksumNeverLeavesTheBlock() throws IOException {
    write(OPTIONS);
    byte[] bytes = fixture.bytes();
    Seeds.forEach(
        1,
        4_000,
        seed -> {
          RandomGenerator random = seed.random("content");
          byte[] damaged = bytes.clone();
          int[] block = randomBlock(random, bytes);
          for (int i = 0; i <= random.nextInt(3); i++) {
            int at = block[0] + random.nextInt(block[1] + 6);
            damaged[at] =
                (byte)
                    (random.nextBoolean() ? random.nextInt() : bytes[at] ^ 1 << random.nextInt(8));
          }
          int crc = Crc32c.of(damaged, block[0], block[1] + TableFormat.TRAILER_CRC);
          Fixed.putInt(
              damaged,
              block[0] + block[1] + TableFormat.TRAILER_CRC,
              Crc32c.bind(crc, identity(), block[0]));
          fixture.fileSystem.setBytes(TableFixture.PATH, damaged);
          // Answers may be wrong, since the checksum says that this is what was written.
          try (TableReader table = fixture.openCold()) {
            table.rangeTombstones();
            readAll(table);
            fixture.verify();
          } catch (CorruptFileException | UnsupportedFileException e) {
            assertThat(e.getMessage()).isNotBlank();
          }
        });
  }

  private void readAll(TableReader table) throws IOException {
    for (Place place : records.keySet()) {
      TableFixture.find(table, place.key(), Trailer.time(place.trailer()), 0);
      InternalIterator iterator = table.iterator(true);
      iterator.seek(place.key(), 0, place.key().length, place.trailer());
      for (int i = 0; i < 3 && iterator.valid(); i++) {
        TableFixture.value(iterator);
        iterator.prev();
      }
    }
    TableFixture.forward(table.scan(500));
    InternalIterator iterator = table.iterator(false);
    int left = 1000;
    for (iterator.last(); iterator.valid() && left > 0; iterator.prev()) {
      TableFixture.place(iterator);
      left--;
    }
  }

  /** Offset and stored length of some block, found by its checksum. */
  private static int[] randomBlock(RandomGenerator random, byte[] bytes) {
    while (true) {
      int from = random.nextInt(bytes.length - TableFormat.FOOTER_BYTES);
      for (int end = from; end + 10 <= bytes.length - TableFormat.FOOTER_BYTES; end++) {
        if (Fixed.getInt(bytes, end + TableFormat.TRAILER_RAW_BYTES) == end - from) {
          int crc = Crc32c.of(bytes, from, end - from + TableFormat.TRAILER_CRC);
          if (Fixed.getInt(bytes, end + TableFormat.TRAILER_CRC)
              == Crc32c.bind(crc, identity(), from)) {
            return new int[] {from, end - from};
          }
        }
      }
    }
  }

  @Test
  void aFailedWriteLeavesTheExceptionOfTheFileSystem() throws IOException {
    fixture.fileSystem.setQuota(100);
    try (WritableFile file = fixture.fileSystem.create(TableFixture.PATH)) {
      TableWriter writer = new TableWriter(file, TableFixture.NUMBER, TableFixture.STORE, OPTIONS);
      TableFixture.addAll(writer, records);
      assertThatThrownBy(writer::finish).isInstanceOf(IOException.class);
    }
  }
}
