package dev.siltstone.engine.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.key.KeyKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

// Goal: cuts are in order, lie behind one another and behind at least one record each, and cut a
// table into about as many pieces as were asked for.
// Method: tables of small blocks in several partitions; the records between two cuts are counted.
final class TableCutsTest {
  private static final int RECORDS = 5_000;

  private final TableFixture fixture = new TableFixture();

  TableCutsTest() throws IOException {}

  @Test
  void piecesAreAboutEqual() throws IOException {
    fixture.write(
        TableWriterOptions.of(256, 10, null),
        writer -> {
          for (int i = 0; i < RECORDS; i++) {
            TableFixture.add(writer, place(i), new byte[20]);
          }
        });
    try (TableReader table = fixture.open()) {
      for (int pieces : new int[] {1, 2, 7, 64}) {
        List<byte[]> cuts = TableCuts.of(table, pieces);
        assertThat(cuts).hasSizeBetween(pieces, 2 * pieces);
        int from = 0;
        for (byte[] cut : cuts) {
          int to = from;
          while (to < RECORDS && Bytes.compare(place(to).key(), cut) <= 0) {
            to++;
          }
          assertThat(to - from).isBetween(1, 2 * RECORDS / pieces);
          from = to;
        }
      }
      assertThat(TableCuts.of(table, RECORDS))
          .hasSize((int) table.properties().layout().dataBlocks());
    }
  }

  @Test
  void aTableOfRangeDeletesHasNoCuts() throws IOException {
    fixture.write(
        TableWriterOptions.of(256, 10, null),
        writer -> writer.addRangeTombstone(new byte[] {1}, new byte[] {2}, new long[] {3}));
    try (TableReader table = fixture.open()) {
      assertThat(TableCuts.of(table, 4)).isEmpty();
    }
  }

  private static TableFixture.Place place(int number) {
    String key = "key%06d".formatted(number);
    return new TableFixture.Place(
        key.getBytes(StandardCharsets.UTF_8), TableFixture.Place.of(key, 5, KeyKind.PUT).trailer());
  }
}
