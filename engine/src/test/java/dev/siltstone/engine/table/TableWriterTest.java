package dev.siltstone.engine.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.lz4.Lz4;
import dev.siltstone.engine.table.TableFixture.Place;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

// Goal: tables of unusual content come back as they were, and what must not go in is refused.
// Method: one small table for each case.
final class TableWriterTest {
  private static final TableWriterOptions SMALL =
      TableWriterOptions.defaults().withBlockBytes(256).withPartitionBytes(64);

  private final TableFixture fixture;

  TableWriterTest() throws IOException {
    fixture = new TableFixture();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void oneRecordWithAnEmptyKeyAndAnEmptyValueIsATable() throws IOException {
    NavigableMap<Place, byte[]> records = new TreeMap<>();
    records.put(Place.of("", 3, KeyKind.PUT), Bytes.EMPTY);
    TableProperties properties = fixture.write(SMALL, records);
    assertThat(properties.lower()).isEmpty();
    assertThat(properties.upper()).isEqualTo(new byte[1]);
    assertThat(TableFixture.find(fixture.open(), Bytes.EMPTY, 3, 0)).isNotNull();
    assertThat(TableFixture.find(fixture.open(), Bytes.EMPTY, 2, 0)).isNull();
  }

  @Test
  void aTableOfRangeDeletesOnlyHasBoundsAndNoRecords() throws IOException {
    TableProperties properties =
        fixture.write(
            SMALL,
            writer -> {
              writer.addRangeTombstone(bytes("m"), bytes("q"), new long[] {9, 4});
              writer.addRangeTombstone(bytes("b"), bytes("c"), new long[] {5});
            });
    assertThat(properties.entries()).isZero();
    assertThat(properties.rangeDeletes()).isEqualTo(2);
    assertThat(properties.lower()).isEqualTo(bytes("b"));
    assertThat(properties.upper()).isEqualTo(bytes("q"));
    assertThat(properties.minTime()).isEqualTo(4);
    assertThat(properties.maxTime()).isEqualTo(9);
    TableReader table = fixture.open();
    assertThat(table.rangeTombstones().newestCovering(bytes("n"), 0, 1, 8)).isEqualTo(4);
    assertThat(table.rangeTombstones().newestCovering(bytes("q"), 0, 1, 8)).isZero();
    assertThat(TableFixture.find(table, bytes("n"), 99, 0)).isNull();
    InternalIterator iterator = table.iterator(true);
    iterator.first();
    assertThat(iterator.valid()).isFalse();
    iterator.seekBefore(bytes("z"), 0, 1, 0);
    assertThat(iterator.valid()).isFalse();
    iterator.last();
    assertThat(iterator.valid()).isFalse();
    assertThat(table.approximateBytes(null, null)).isPositive();
    fixture.verify();
  }

  @Test
  void rangeDeletesWidenTheBoundsOfTheRecords() throws IOException {
    TableProperties properties =
        fixture.write(
            SMALL,
            writer -> {
              TableFixture.add(writer, Place.of("k", 5, KeyKind.PUT), bytes("v"));
              writer.addRangeTombstone(bytes("a"), bytes("b"), new long[] {1});
              writer.addRangeTombstone(bytes("x"), bytes("z"), new long[] {7});
            });
    assertThat(properties.lower()).isEqualTo(bytes("a"));
    assertThat(properties.upper()).isEqualTo(bytes("z"));
    assertThat(properties.minTime()).isEqualTo(1);
    assertThat(properties.maxTime()).isEqualTo(7);
    fixture.verify();
  }

  @Test
  void longestKeysAndLargeValuesComeBack() throws IOException {
    Random random = new Random(5);
    NavigableMap<Place, byte[]> records = new TreeMap<>();
    for (int i = 0; i < 6; i++) {
      byte[] key = new byte[TableFormat.KEY_BYTES_MAX];
      Arrays.fill(key, (byte) 'k');
      key[key.length - 1] = (byte) i;
      byte[] value = new byte[i == 3 ? 4 << 20 : 100];
      random.nextBytes(value);
      records.put(new Place(key, Trailer.of(8, KeyKind.PUT)), value);
      records.put(new Place(Arrays.copyOf(key, key.length - 1 - i), Trailer.of(8, 1)), value);
    }
    for (TableWriterOptions options :
        new TableWriterOptions[] {SMALL, SMALL.withCompressor(new Lz4())}) {
      fixture.write(options, records);
      TableReader table = fixture.openCold();
      assertThat(TableFixture.forward(table.scan(1 << 18)))
          .containsExactlyElementsOf(records.keySet());
      for (var entry : records.entrySet()) {
        PointResult found = TableFixture.find(table, entry.getKey().key(), 8, 0);
        assertThat(found).isNotNull();
        assertThat(TableFixture.value(found)).isEqualTo(entry.getValue());
      }
      fixture.verify();
    }
  }

  @Test
  void aLargeValueStandsInABlockOfItsOwn() throws IOException {
    NavigableMap<Place, byte[]> records = new TreeMap<>();
    records.put(Place.of("a", 1, KeyKind.PUT), new byte[10]);
    records.put(Place.of("b", 1, KeyKind.PUT), new byte[100_000]);
    records.put(Place.of("c", 1, KeyKind.PUT), new byte[10]);
    TableProperties properties = fixture.write(TableWriterOptions.defaults(), records);
    assertThat(properties.layout().dataBlocks()).isEqualTo(3);
  }

  @Test
  void versionsOfOneKeyMayFillManyPartitions() throws IOException {
    NavigableMap<Place, byte[]> records = new TreeMap<>();
    records.put(Place.of("a", 1, KeyKind.PUT), bytes("first"));
    for (int time = 1; time <= 500; time++) {
      int kind = time == 77 ? KeyKind.PUT | KeyKind.SUBTREE : KeyKind.PUT;
      records.put(Place.of("key", time, kind), bytes("value " + time));
    }
    records.put(Place.of("z", 1, KeyKind.PUT), bytes("last"));
    TableProperties properties = fixture.write(SMALL, records);
    assertThat(properties.layout().partitions()).isGreaterThan(3);
    assertThat(properties.obsolete()).isEqualTo(499);
    TableReader table = fixture.open();
    for (int time = 1; time <= 500; time++) {
      PointResult found = TableFixture.find(table, bytes("key"), time, 0);
      assertThat(found).isNotNull();
      assertThat(TableFixture.value(found)).isEqualTo(bytes("value " + time));
    }
    PointResult subtree = TableFixture.find(table, bytes("key"), 500, KeyKind.SUBTREE);
    assertThat(subtree).isNotNull();
    assertThat(Trailer.time(subtree.trailer())).isEqualTo(77);
    assertThat(TableFixture.find(table, bytes("key"), 76, KeyKind.SUBTREE)).isNull();
    assertThat(TableFixture.find(table, bytes("key"), 0, 0)).isNull();
  }

  @Test
  void recordsOutOfOrderAreRefused() throws IOException {
    String[][] pairs = {{"b", "a"}, {"ab", "a"}, {"a", "a"}, {"b", ""}};
    for (String[] pair : pairs) {
      assertThatThrownBy(
              () ->
                  fixture.write(
                      SMALL,
                      writer -> {
                        TableFixture.add(writer, Place.of(pair[0], 1, 1), Bytes.EMPTY);
                        TableFixture.add(writer, Place.of(pair[1], 1, 1), Bytes.EMPTY);
                      }))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("out of order");
    }
  }

  @Test
  void whatIsTooLongOrEmptyIsRefused() {
    assertThatThrownBy(
            () ->
                fixture.write(
                    SMALL,
                    writer ->
                        TableFixture.add(
                            writer, new Place(new byte[(1 << 16) + 1], 1), Bytes.EMPTY)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fixture.write(SMALL, writer -> {}))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(
            () ->
                fixture.write(
                    SMALL,
                    writer -> writer.addRangeTombstone(bytes("b"), bytes("b"), new long[] {1})))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () ->
                fixture.write(
                    SMALL,
                    writer ->
                        TableFixture.add(
                            writer, Place.of("a", 1, KeyKind.PUT | KeyKind.EXPIRES), new byte[7])))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TableWriterOptions.of(1, 10, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("block bytes 1");
  }

  @Test
  void blobNumbersAreSortedAndDistinct() throws IOException {
    TableProperties properties =
        fixture.write(
            SMALL,
            writer -> {
              TableFixture.add(writer, Place.of("a", 1, 1), Bytes.EMPTY);
              for (long blob : new long[] {900, 5, 5, 77, 900, 1L << 40, 5}) {
                writer.noteBlob(blob);
              }
            });
    assertThat(properties.blobs()).containsExactly(5, 77, 900, 1L << 40);
    assertThat(fixture.open().properties().blobs()).containsExactly(5, 77, 900, 1L << 40);
  }

  @Test
  void estimatesComeCloseToTheLengthOfTheFile() throws IOException {
    Random random = new Random(1);
    long[] estimate = new long[1];
    TableProperties properties =
        fixture.write(
            TableWriterOptions.defaults(),
            writer -> {
              for (int i = 0; i < 20_000; i++) {
                byte[] value = new byte[50];
                random.nextBytes(value);
                TableFixture.add(writer, Place.of("key%08d".formatted(i), 1, 1), value);
              }
              estimate[0] = writer.estimatedBytes();
            });
    assertThat(estimate[0])
        .isBetween(properties.fileBytes() * 95 / 100, properties.fileBytes() * 105 / 100);
    TableReader table = fixture.open();
    assertThat(table.approximateBytes(bytes("key00005000"), bytes("key00015000")))
        .isBetween(properties.fileBytes() * 45 / 100, properties.fileBytes() * 55 / 100);
  }

  @Test
  void compressionThatSavesTooLittleIsLeftOut() throws IOException {
    Random random = new Random(2);
    NavigableMap<Place, byte[]> records = new TreeMap<>();
    for (int i = 0; i < 1000; i++) {
      byte[] value = new byte[100];
      random.nextBytes(value);
      records.put(Place.of("key%08d".formatted(i), 1, 1), value);
    }
    TableProperties raw =
        fixture.write(TableWriterOptions.defaults().withCompressor(new Lz4()), records);
    assertThat(raw.layout().dataBytes()).isEqualTo(raw.layout().dataRawBytes());
    records.replaceAll((place, value) -> new byte[100]);
    TableProperties packed =
        fixture.write(TableWriterOptions.defaults().withCompressor(new Lz4()), records);
    assertThat(packed.layout().dataBytes()).isLessThan(packed.layout().dataRawBytes() / 3);
  }
}
