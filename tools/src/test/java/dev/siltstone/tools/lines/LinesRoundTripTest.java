package dev.siltstone.tools.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.testkit.run.Seeds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: whatever bytes a store holds, lines give them back. Method: random entries of many shapes,
/// written, read, and written again, byte for byte; and the exact text of small ones.
final class LinesRoundTripTest {
  private static final EntryReader.Limits LIMITS = new EntryReader.Limits(1 << 16, 1 << 20);

  @ParameterizedTest
  @CsvSource({"TSV,HEX", "CSV,HEX", "CSV,BASE64", "JSONL,HEX", "JSONL,BASE64"})
  void anyBytesComeBack(LineFormat format, Encoding encoding) {
    Seeds.forEach(
        1,
        20,
        seed -> {
          SplittableRandom random = seed.random("entries");
          List<byte[][]> entries = new ArrayList<>();
          for (int i = random.nextInt(200); i > 0; i--) {
            entries.add(new byte[][] {bytes(random, 40), bytes(random, 5_000)});
          }
          checkRoundTrip(format, encoding, entries);
        });
  }

  @ParameterizedTest
  @CsvSource({"CSV", "JSONL"})
  void anyTextComesBack(LineFormat format) {
    Seeds.forEach(
        1,
        50,
        seed -> {
          SplittableRandom random = seed.random("entries");
          List<byte[][]> entries = new ArrayList<>();
          for (int i = random.nextInt(100); i > 0; i--) {
            entries.add(new byte[][] {text(random), text(random)});
          }
          checkRoundTrip(format, Encoding.TEXT, entries);
        });
  }

  @Test
  void tsvIsLowerCaseHexWithOneTabAndOneLineFeed() throws IOException {
    assertThat(written(LineFormat.TSV, Encoding.HEX, "key", "J\u00dcrg"))
        .isEqualTo("6b6579\t4ac39c7267\n");
    assertThat(written(LineFormat.TSV, Encoding.HEX, "", "")).isEqualTo("\t\n");
  }

  @Test
  void csvQuotesOnlyWhatNeedsIt() throws IOException {
    assertThat(written(LineFormat.CSV, Encoding.TEXT, "a b", "say \"hi\", or\nnot"))
        .isEqualTo("key,value\r\na b,\"say \"\"hi\"\", or\nnot\"\r\n");
    assertThat(written(LineFormat.CSV, Encoding.TEXT, "", " x"))
        .isEqualTo("key,value\r\n,\" x\"\r\n");
    assertThat(written(LineFormat.CSV, Encoding.TEXT, "\"", "\"\""))
        .isEqualTo("key,value\r\n\"\"\"\",\"\"\"\"\"\"\r\n");
    assertThat(written(LineFormat.CSV, Encoding.BASE64, "a", "bc"))
        .isEqualTo("key,value\r\nYQ==,YmM=\r\n");
  }

  @Test
  void jsonEscapesOnlyWhatItMust() throws IOException {
    assertThat(written(LineFormat.JSONL, Encoding.TEXT, "\u00fc/\"\\", "\n\r\t\u0000\u001f\u007f"))
        .isEqualTo("{\"key\":\"\u00fc/\\\"\\\\\",\"value\":\"\\n\\r\\t\\u0000\\u001f\u007f\"}\n");
  }

  @Test
  void whatIsNotTextIsRefusedBeforeAnyOfItIsWritten() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    EntryWriter writer = LineFormat.JSONL.writer(out, Encoding.TEXT);
    assertThatThrownBy(() -> writer.write(new byte[] {'k'}, new byte[] {(byte) 0xC3, 'x'}))
        .isInstanceOf(NotTextException.class)
        .hasMessage("value 0xc378 is not UTF-8 text");
    assertThatThrownBy(() -> writer.write(new byte[] {(byte) 0xFF}, new byte[] {'v'}))
        .hasMessage("key 0xff is not UTF-8 text");
    byte[] surrogate = {(byte) 0xED, (byte) 0xA0, (byte) 0x80};
    assertThatThrownBy(() -> writer.write(surrogate, surrogate))
        .hasMessageStartingWith("key 0xeda");
    byte[] longer = new byte[100];
    longer[99] = (byte) 0x80;
    assertThatThrownBy(() -> writer.write(longer, longer))
        .hasMessage("key 0x" + "00".repeat(32) + "... is not UTF-8 text");
    assertThat(out.size()).isZero();
  }

  @Test
  void tsvHasNoOtherEncoding() {
    assertThat(LineFormat.TSV.allows(Encoding.TEXT)).isFalse();
    assertThatThrownBy(() -> LineFormat.TSV.writer(new ByteArrayOutputStream(), Encoding.BASE64))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theNameOfAFileTellsItsFormat() {
    assertThat(LineFormat.ofFileName("a.b/users.CSV")).isEqualTo(LineFormat.CSV);
    assertThat(LineFormat.ofFileName("users.ndjson")).isEqualTo(LineFormat.JSONL);
    assertThat(LineFormat.ofFileName("x.tsv")).isEqualTo(LineFormat.TSV);
    assertThat(LineFormat.ofFileName("csv.gz")).isNull();
    assertThat(LineFormat.ofFileName("-")).isNull();
  }

  private static void checkRoundTrip(LineFormat format, Encoding encoding, List<byte[][]> entries)
      throws IOException, BadLineException {
    byte[] first = write(format, encoding, entries);
    List<byte[][]> read = new ArrayList<>();
    // Reads of one byte show every place where a buffer may end.
    InputStream slow =
        new InputStream() {
          private final InputStream in = new ByteArrayInputStream(first);

          @Override
          public int read() throws IOException {
            return in.read();
          }

          @Override
          public int read(byte[] target, int offset, int length) throws IOException {
            return in.read(target, offset, Math.min(length, 7));
          }
        };
    EntryReader reader = format.reader(slow, encoding, LIMITS);
    while (reader.next()) {
      read.add(new byte[][] {reader.key(), reader.value()});
    }
    assertThat(reader.position()).isEqualTo(first.length);
    assertThat(read.size()).isEqualTo(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      assertThat(read.get(i)[0]).isEqualTo(entries.get(i)[0]);
      assertThat(read.get(i)[1]).isEqualTo(entries.get(i)[1]);
    }
    assertThat(write(format, encoding, read)).isEqualTo(first);
  }

  private static byte[] write(LineFormat format, Encoding encoding, List<byte[][]> entries)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    EntryWriter writer = format.writer(out, encoding);
    writer.begin();
    for (byte[][] entry : entries) {
      writer.write(entry[0], entry[1]);
    }
    return out.toByteArray();
  }

  private static String written(LineFormat format, Encoding encoding, String key, String value)
      throws IOException {
    byte[][] entry = {key.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8)};
    return new String(write(format, encoding, List.<byte[][]>of(entry)), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(SplittableRandom random, int max) {
    byte[] bytes = new byte[random.nextInt(4) == 0 ? random.nextInt(4) : random.nextInt(max)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] text(SplittableRandom random) {
    String special = "\",\r\n\t\\ \u0000\u001b{}:kuef0\u00e4\u20ac";
    StringBuilder out = new StringBuilder();
    for (int i = random.nextInt(12); i > 0; i--) {
      if (random.nextInt(8) == 0) {
        out.appendCodePoint(0x1F300 + random.nextInt(100));
      } else {
        out.append(special.charAt(random.nextInt(special.length())));
      }
    }
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }
}
