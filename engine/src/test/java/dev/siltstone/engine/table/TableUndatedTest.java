package dev.siltstone.engine.table;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: a file whose records were added without a time reads as if each had been added with the
 * time that the file got at its end. Method: the same content written both ways, and the bytes in
 * which they differ.
 */
final class TableUndatedTest {
  private static final long TIME = 0x1234_5678_9AL;

  private static byte[] key(int i) {
    return "k%05d".formatted(i).getBytes(US_ASCII);
  }

  private static void fill(TableWriter writer, long time) throws IOException {
    for (int i = 0; i < 3_000; i++) {
      boolean delete = i % 7 == 0;
      long trailer = Trailer.of(time, delete ? KeyKind.DELETE : KeyKind.PUT);
      byte[] value = delete ? Bytes.EMPTY : new byte[i % 50];
      writer.add(key(i), 0, key(i).length, trailer, value, 0, value.length);
    }
    writer.addRangeTombstone(key(100), key(200), new long[] {time});
  }

  private static TableProperties writeUndated(TableFixture fixture, long time) throws IOException {
    try (WritableFile file = fixture.fileSystem.create(TableFixture.PATH)) {
      TableWriter writer =
          new TableWriter(file, TableFixture.NUMBER, TableFixture.STORE, options());
      fill(writer, 0);
      writer.endBlocks();
      long blocks = file.size();
      TableProperties properties = writer.finishUndated(time);
      assertThat(file.size() - blocks).as("what is left to the end").isLessThan(500);
      assertThat(properties.fileBytes()).isEqualTo(file.size());
      return properties;
    }
  }

  private static TableWriterOptions options() {
    return TableWriterOptions.defaults().withBlockBytes(512).withPartitionBytes(256);
  }

  @Test
  void readsLikeAFileWhoseRecordsHaveThatTime() throws IOException {
    TableFixture dated = new TableFixture();
    TableFixture undated = new TableFixture();
    TableProperties expected = dated.write(options(), writer -> fill(writer, TIME));
    TableProperties properties = writeUndated(undated, TIME);
    assertThat(properties.minTime()).isEqualTo(expected.minTime()).isEqualTo(TIME);
    assertThat(properties.maxTime()).isEqualTo(TIME);
    assertThat(properties.layout().timeBase()).isEqualTo(TIME);

    try (TableReader a = dated.openCold();
        TableReader b = undated.openCold()) {
      undated.verify();
      assertThat(TableFixture.forward(b.iterator(false)))
          .isEqualTo(TableFixture.forward(a.iterator(false)));
      for (long at : List.of(TIME - 1, TIME, HybridTime.MAX)) {
        for (int i = 0; i < 3_000; i += 11) {
          PointResult one = TableFixture.find(a, key(i), at, 0);
          PointResult other = TableFixture.find(b, key(i), at, 0);
          assertThat(other == null).isEqualTo(one == null);
          if (one != null && other != null) {
            assertThat(other.trailer()).isEqualTo(one.trailer());
          }
          assertThat(b.rangeTombstones().newestCovering(key(i), 0, 6, at))
              .isEqualTo(a.rangeTombstones().newestCovering(key(i), 0, 6, at));
        }
      }
      try (InternalIterator found = b.iterator(false)) {
        found.seek(key(5), 0, 6, Trailer.seekAt(TIME - 1));
        assertThat(TableFixture.place(found).key()).as("not visible before").isEqualTo(key(6));
        found.seek(key(5), 0, 6, Trailer.seekAt(TIME));
        assertThat(TableFixture.place(found).key()).isEqualTo(key(5));
      }
    }
  }

  @Test
  void onlyPropertiesAndFooterSayTheTime() throws IOException {
    TableFixture zero = new TableFixture();
    TableFixture undated = new TableFixture();
    zero.write(options(), writer -> fill(writer, 0));
    writeUndated(undated, 0x60);
    byte[] plain = zero.bytes();
    byte[] dated = undated.bytes();
    // The properties are longer by tag 26, length 1, 0x60, and by times that are not zero.
    int blocks = Arrays.mismatch(plain, dated);
    assertThat(blocks).isGreaterThan(plain.length - 400);
    assertThat(Bytes.hex(dated)).contains("1a0160");
    int footer = dated.length - TableFormat.FOOTER_BYTES;
    assertThat(Fixed.getInt(dated, footer + 40)).isEqualTo(1);
    assertThat(Fixed.getInt(plain, plain.length - TableFormat.FOOTER_BYTES + 40)).isZero();
  }

  @Test
  void timesOfTheirOwnAndSecondVersionsAreRefused() throws IOException {
    TableFixture fixture = new TableFixture();
    try (WritableFile file = fixture.fileSystem.create(TableFixture.PATH)) {
      TableWriter timed = new TableWriter(file, 7, 1, options());
      timed.add(key(1), 0, 6, Trailer.of(5, KeyKind.PUT), key(1), 0, 6);
      assertThatThrownBy(() -> timed.finishUndated(9)).isInstanceOf(IllegalStateException.class);

      TableWriter twice = new TableWriter(file, 7, 1, options());
      twice.add(key(1), 0, 6, Trailer.of(0, KeyKind.DELETE), key(1), 0, 0);
      twice.add(key(1), 0, 6, Trailer.of(0, KeyKind.PUT), key(1), 0, 6);
      assertThatThrownBy(() -> twice.finishUndated(9)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void timeBaseWithoutTheFeatureIsDamage() throws IOException {
    TableFixture fixture = new TableFixture();
    writeUndated(fixture, TIME);
    byte[] bytes = fixture.bytes();
    int footer = bytes.length - TableFormat.FOOTER_BYTES;
    Fixed.putInt(bytes, footer + TableFormat.FOOTER_FEATURES, 0);
    int bare = dev.siltstone.base.bytes.Crc32c.of(bytes, footer, TableFormat.FOOTER_CRC);
    long identity = TableFormat.identity(TableFixture.STORE, TableFixture.NUMBER);
    Fixed.putInt(
        bytes,
        footer + TableFormat.FOOTER_CRC,
        dev.siltstone.base.bytes.Crc32c.bind(bare, identity, footer));
    try (WritableFile file = fixture.fileSystem.create(TableFixture.PATH)) {
      file.write(bytes, 0, bytes.length);
    }
    assertThatThrownBy(fixture::openCold)
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("a time for all records");
  }
}
