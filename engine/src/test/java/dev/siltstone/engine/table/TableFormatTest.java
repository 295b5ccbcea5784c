package dev.siltstone.engine.table;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.testkit.golden.AnnotatedDump;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

// Goal: the bytes of a table file never change.
// Method: a small table, compared with the dump that docs/format/table.md explains.
class TableFormatTest {
  @Test
  void aSmallTableHasTheBytesOfItsPage() throws IOException {
    TableFixture fixture = new TableFixture();
    TableWriterOptions options = new TableWriterOptions(256, 64, 10, false, null, 1, 0x60, null);
    fixture.write(
        options,
        writer -> {
          put(writer, "silt/a", 0x30, "one");
          put(writer, "silt/b", 0x40, "two");
          delete(writer, "silt/b", 0x20);
          writer.addRangeTombstone(bytes("silt/x"), bytes("silt/y"), new long[] {0x50});
        });
    assertThat(Bytes.hex(fixture.bytes()))
        .isEqualTo(Bytes.hex(AnnotatedDump.read(Path.of("../docs/format/table.md"))));
  }

  @Test
  void theTreeStandsAtTheEndOfTheProperties() throws IOException {
    TableFixture fixture = new TableFixture();
    TableTree tree = new TableTree(300, "t\u00fc", bytes("a = 1\n"));
    TableProperties written =
        fixture.write(
            TableWriterOptions.defaults().withTree(tree),
            writer -> put(writer, "silt/a", 0x30, "one"));
    byte[] encoded = PropertiesBlock.encode(written);
    String hex = Bytes.hex(encoded);
    // Tag 23, 2 bytes, 300; tag 24, 3 bytes; tag 25, 6 bytes.
    assertThat(hex).endsWith("1702ac02" + "180374c3bc" + "190661203d20310a");
    TableTree read = fixture.openCold().properties().tree();
    assertThat(read).isNotNull();
    assertThat(read.id()).isEqualTo(300);
    assertThat(read.name()).isEqualTo("t\u00fc");
    assertThat(read.options()).isEqualTo(tree.options());
  }

  private static void put(TableWriter writer, String key, long time, String value)
      throws IOException {
    TableFixture.add(writer, TableFixture.Place.of(key, time, KeyKind.PUT), bytes(value));
  }

  private static void delete(TableWriter writer, String key, long time) throws IOException {
    TableFixture.add(writer, TableFixture.Place.of(key, time, KeyKind.DELETE), Bytes.EMPTY);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }
}
