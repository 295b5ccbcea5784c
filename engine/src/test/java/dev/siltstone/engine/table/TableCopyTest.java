package dev.siltstone.engine.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.StoredBlock;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

// Goal: a block goes into another file as it is where it can, and what becomes of the blocks around
// it keeps them near their usual length.
// Method: files of numbered records, copied block by block with records put between them.
final class TableCopyTest {
  private static final int RECORDS = 1_000;
  private static final long TRAILER = Trailer.of(5, KeyKind.PUT);
  private static final int READ_AHEAD_BYTES = 4_096;
  private static final long TARGET = 8;
  private static final Path TARGET_PATH = Path.of("/t/000008.table");
  private static final TableWriterOptions PLAIN = TableWriterOptions.defaults().withBlockBytes(512);
  private static final TableWriterOptions LZ4 = PLAIN.withCompressor(new Compressors().find("lz4"));

  private final TableFixture fixture = new TableFixture();
  private int copied;
  private int refused;

  TableCopyTest() throws IOException {}

  private static byte[] key(int number) {
    return "key %08d".formatted(10 * number).getBytes(StandardCharsets.US_ASCII);
  }

  /** A key that lies behind the record of that number, before the next one. */
  private static byte[] keyBehind(int number, int digit) {
    return "key %08d".formatted(10 * number + digit).getBytes(StandardCharsets.US_ASCII);
  }

  private static void addAll(TableWriter writer) throws IOException {
    for (int i = 0; i < RECORDS; i++) {
      byte[] key = key(i);
      writer.add(key, 0, key.length, TRAILER, key, 0, key.length);
    }
  }

  /** Puts something between blocks. */
  private interface Between {
    void addTo(TableWriter writer, byte[] lastKey) throws IOException;
  }

  private static final Between NOTHING = (_, _) -> {};

  /** Copies what the fixture holds into another file, block by block where that is taken. */
  private TableProperties copy(TableWriterOptions options, Between between) throws IOException {
    try (TableReader table = fixture.openCold();
        InternalIterator records = table.scan(READ_AHEAD_BYTES);
        WritableFile file = fixture.fileSystem.create(TARGET_PATH)) {
      TableWriter writer = new TableWriter(file, TARGET, TableFixture.STORE, options);
      records.first();
      while (records.valid()) {
        StoredBlock block = records.block();
        byte[] last = null;
        if (block != null && block.isPlain() && writer.add(block)) {
          copied++;
          last = Arrays.copyOf(block.lastKeyArray(), block.lastKeyLength());
          records.skipBlock();
        } else {
          refused += block == null ? 0 : 1;
          TableFixture.Place place = TableFixture.place(records);
          TableFixture.add(writer, place, TableFixture.value(records));
          records.next();
          last = records.valid() && records.block() == null ? null : place.key();
        }
        if (last != null) {
          between.addTo(writer, last);
        }
      }
      return writer.finish();
    }
  }

  private @Nullable TableProperties verified(Compressors compressors) throws IOException {
    List<String> faults = new ArrayList<>();
    TableProperties properties =
        TableVerifier.verify(
            fixture.fileSystem,
            TARGET_PATH,
            new TableIdentity(TableFixture.STORE, TARGET),
            -1,
            compressors,
            new TableVerifier.Watcher() {
              @Override
              public void fault(CorruptFileException fault) {
                faults.add(fault.getMessage());
              }

              @Override
              public void reference(BlobReference reference, long offset) {
                faults.add("a blob");
              }

              @Override
              public void progress(long bytes) {
                // Short.
              }
            });
    assertThat(faults).isEmpty();
    return properties;
  }

  @Test
  void aFileCopiedBlockByBlockIsTheSameFile() throws IOException {
    for (TableWriterOptions options : List.of(PLAIN, LZ4, LZ4.withFilters(10, true))) {
      TableProperties original = fixture.write(options, TableCopyTest::addAll);
      copied = 0;
      refused = 0;
      TableProperties copy = copy(options, NOTHING);
      assertThat(copy.difference(original)).isNull();
      assertThat(copied + refused).isEqualTo((int) original.layout().dataBlocks());
      assertThat(refused).as("but for a last one that is short").isLessThan(2);
      assertThat(verified(fixture.compressors)).isNotNull();
    }
  }

  @Test
  void aBlockIsCompressedAsItsNewFileIs() throws IOException {
    TableProperties plain = fixture.write(PLAIN, TableCopyTest::addAll);
    TableProperties packed = copy(LZ4, NOTHING);
    assertThat(copied).isPositive();
    assertThat(packed.layout().dataRawBytes()).isEqualTo(plain.layout().dataRawBytes());
    assertThat(packed.layout().dataBytes()).isLessThan(plain.layout().dataBytes());
    verified(fixture.compressors);

    fixture.write(LZ4, TableCopyTest::addAll);
    TableProperties unpacked = copy(PLAIN, NOTHING);
    assertThat(unpacked.difference(plain)).isNull();
    verified(fixture.compressors);
  }

  @Test
  void whatLiesBetweenKeepsBlocksNearTheirLength() throws IOException {
    fixture.write(PLAIN, TableCopyTest::addAll);
    for (int count = 1; count < 9; count++) {
      int more = count;
      copied = 0;
      TableProperties copy =
          copy(
              PLAIN,
              (writer, last) -> {
                int number = Integer.parseInt(new String(last, 4, 7, StandardCharsets.US_ASCII));
                for (int digit = 1; digit <= more; digit++) {
                  byte[] key = keyBehind(number, digit);
                  writer.add(key, 0, key.length, TRAILER, key, 0, key.length);
                }
              });
      assertThat(copied).as("with %s more", more).isPositive();
      long blocks = copy.layout().dataBlocks();
      assertThat(copy.layout().dataRawBytesMax()).isLessThan(2 * 512);
      assertThat(copy.layout().dataRawBytes() / blocks).isGreaterThan(512 / 3);
      verified(fixture.compressors);
    }
  }

  @Test
  void blocksOfAnotherLengthAreLaidOutAnew() throws IOException {
    fixture.write(PLAIN.withBlockBytes(4_096), TableCopyTest::addAll);
    TableProperties small = copy(PLAIN, NOTHING);
    assertThat(copied).isZero();
    assertThat(small.layout().dataRawBytesMax()).isLessThan(2 * 512);
    fixture.write(PLAIN, TableCopyTest::addAll);
    TableProperties large = copy(PLAIN.withBlockBytes(4_096), NOTHING);
    assertThat(copied).isZero();
    assertThat(large.layout().dataRawBytes() / large.layout().dataBlocks()).isGreaterThan(2_048);
  }

  @Test
  void nothingIsOfferedThatCouldNotBeCopied() throws IOException {
    fixture.write(PLAIN, TableCopyTest::addAll);
    try (TableReader table = fixture.open();
        InternalIterator cached = table.iterator(true);
        InternalIterator inside = table.scan(READ_AHEAD_BYTES)) {
      cached.first();
      assertThat(cached.block()).as("its stored bytes are not at hand").isNull();
      assertThat(inside.block()).as("before it is placed").isNull();
      inside.first();
      assertThat(inside.block()).isNotNull();
      inside.next();
      assertThat(inside.block()).as("inside a block").isNull();
    }
    writeUndated();
    try (TableReader table = fixture.openCold();
        InternalIterator undated = table.scan(READ_AHEAD_BYTES)) {
      undated.first();
      assertThat(undated.trailer()).isEqualTo(Trailer.of(9, KeyKind.PUT));
      assertThat(undated.block()).as("its times are not in the block").isNull();
    }
  }

  private void writeUndated() throws IOException {
    try (WritableFile file = fixture.fileSystem.create(TableFixture.PATH)) {
      TableWriter writer = new TableWriter(file, TableFixture.NUMBER, TableFixture.STORE, PLAIN);
      byte[] key = key(1);
      writer.add(key, 0, key.length, Trailer.of(0, KeyKind.PUT), key, 0, key.length);
      writer.finishUndated(9);
    }
  }

  @Test
  void onlyPutsOfDifferentKeysArePlain() throws IOException {
    int[] kinds = {
      KeyKind.DELETE, KeyKind.PUT | KeyKind.EXPIRES, KeyKind.PUT | KeyKind.SUBTREE, KeyKind.PUT
    };
    for (int kind : kinds) {
      fixture.write(
          PLAIN,
          writer -> {
            byte[] key = key(1);
            byte[] value = new byte[Long.BYTES];
            writer.add(key, 0, key.length, TRAILER, value, 0, value.length);
            byte[] other = kind == KeyKind.PUT ? key : key(2);
            long trailer = Trailer.of(4, kind);
            writer.add(other, 0, other.length, trailer, value, 0, value.length);
          });
      try (TableReader table = fixture.openCold();
          InternalIterator records = table.scan(READ_AHEAD_BYTES)) {
        records.first();
        StoredBlock block = records.block();
        assertThat(block).isNotNull();
        assertThat(block.isPlain()).as("with a record of kind %s", kind).isFalse();
      }
    }
  }

  @Test
  void aBlockThatIsNotAfterTheLastKeyIsRefused() throws IOException {
    fixture.write(PLAIN, TableCopyTest::addAll);
    try (TableReader table = fixture.openCold();
        InternalIterator records = table.scan(READ_AHEAD_BYTES);
        WritableFile file = fixture.fileSystem.create(TARGET_PATH)) {
      records.first();
      StoredBlock block = records.block();
      assertThat(block).isNotNull();
      for (int number : new int[] {0, RECORDS}) {
        TableWriter writer = new TableWriter(file, TARGET, TableFixture.STORE, PLAIN);
        byte[] key = key(number);
        writer.add(key, 0, key.length, TRAILER, key, 0, key.length);
        assertThat(block.isPlain() && writer.add(block)).as("after %s", number).isFalse();
      }
    }
  }
}
