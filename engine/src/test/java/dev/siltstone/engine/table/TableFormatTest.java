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
    TableWriterOptions options = new TableWriterOptions(256, 64, 10, false, null, 1, 0x60);
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
