package dev.siltstone.tools.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: a bad line is named with its number and its reason, and the lines around it are still
/// read. Method: inputs with one fault each, read to the end, entries and faults in one list.
final class BadLinesTest {
  private static final EntryReader.Limits LIMITS = new EntryReader.Limits(8, 16);

  @Test
  void goodLinesOfTsv() throws IOException {
    assertThat(tsv("61\t62\n4A\t4b\n")).containsExactly("1 a=b", "2 J=K");
    assertThat(tsv("61\t62")).containsExactly("1 a=b");
    assertThat(tsv("61\t62\r\n\t\r\n")).containsExactly("1 a=b", "2 =");
    assertThat(tsv("")).isEmpty();
  }

  @Test
  void badLinesOfTsv() throws IOException {
    assertThat(tsv("61\t62\n6\t62\n63\t64\n"))
        .containsExactly("1 a=b", "2! key has an odd number of hex digits, 1", "3 c=d");
    assertThat(tsv("61\t626\n63\t64"))
        .containsExactly("1! value has an odd number of hex digits, 3", "2 c=d");
    assertThat(tsv("61\n\n63\t64\n"))
        .containsExactly(
            "1! no tab between key and value", "2! no tab between key and value", "3 c=d");
    assertThat(tsv("61\t62\t63\n61\tx\n"))
        .containsExactly("1! more than one tab", "2! value has 'x' where a hex digit should be");
    assertThat(tsv("61 \t62")).containsExactly("1! key has byte 0x20 where a hex digit should be");
    assertThat(tsv("61\t\u00e4\n61\t\r1\n"))
        .containsExactly(
            "1! value has byte 0xc3 where a hex digit should be",
            "2! value has byte 0x0d where a hex digit should be");
    assertThat(tsv("61")).containsExactly("1! no tab between key and value");
  }

  /// As the lines of a device are.
  @Test
  void aBadLineIsToldBeforeItsEnd() {
    InputStream endless =
        new InputStream() {
          private long left = 1 << 20;

          @Override
          public int read() throws IOException {
            if (left-- == 0) {
              throw new IOException("read on past the fault");
            }
            return 0;
          }
        };
    for (LineFormat format : LineFormat.values()) {
      EntryReader reader = format.reader(endless, Encoding.HEX, LIMITS);
      assertThatThrownBy(reader::next).isInstanceOf(BadLineException.class);
    }
  }

  @Test
  void aLineTooLongIsRefusedWithoutBeingHeld() throws IOException {
    assertThat(tsv("61".repeat(9) + "\t62\n61\t" + "62".repeat(16) + "\n61\t" + "62".repeat(17)))
        .containsExactly(
            "1! key is longer than 8 bytes",
            "2 a=bbbbbbbbbbbbbbbb",
            "3! value is longer than 16 bytes");
    assertThat(csv(Encoding.BASE64, "YQ==,YWFhYWFhYWFhYWFhYWFhYWE=\nYQ==,YWFhYWFhYWFhYWFhYWFhYQ=="))
        .containsExactly("2! value is longer than 16 bytes", "3 a=aaaaaaaaaaaaaaaa");
    assertThat(csv(Encoding.BASE64, "YQ==," + "YWFh".repeat(99)))
        .containsExactly("2! value is longer than 16 bytes");
    assertThat(csv(Encoding.TEXT, "a,\"" + "b\n".repeat(20)).getFirst())
        .isEqualTo("2! value is longer than 16 bytes");
  }

  @Test
  void goodLinesOfCsv() throws IOException {
    assertThat(csv(Encoding.TEXT, "a,b\r\n\"c\",\"d,\"\"e\"\"\r\nf\"\ng,\r\n,h"))
        .containsExactly("2 a=b", "3 c=d,\"e\"\r\nf", "5 g=", "6 =h");
    assertThat(csv(Encoding.HEX, "61,\"62\"\n")).containsExactly("2 a=b");
    assertThat(read(LineFormat.CSV, Encoding.TEXT, "\ufeff\"key\",\"value\"\na,b"))
        .containsExactly("2 a=b");
    assertThat(csv(Encoding.TEXT, "")).isEmpty();
  }

  @Test
  void badLinesOfCsv() throws IOException {
    assertThat(csv(Encoding.TEXT, "a\nb,c,d\n\ne,f"))
        .containsExactly(
            "2! one field where key and value should be",
            "3! more than two fields",
            "4! one field where key and value should be",
            "5 e=f");
    assertThat(csv(Encoding.TEXT, "a,b\"c\n\"a\"b,c\na,\"b\"c\na\rb,c\ne,f"))
        .containsExactly(
            "2! value has a quote but does not begin with a quote",
            "3! 'b' after the closing quote of the key",
            "4! 'c' after the closing quote of the value",
            "5! key has a carriage return but does not begin with a quote",
            "6 e=f");
    assertThat(csv(Encoding.TEXT, "a,\"b\nc"))
        .containsExactly("2! the quote that opens the value is never closed");
    assertThat(csv(Encoding.HEX, "\"61\n62\",63\n64,65"))
        .containsExactly(
            "2! key has byte 0x0a where a hex digit should be",
            "3! key has a quote but does not begin with a quote",
            "4 d=e");
    assertThat(csv(Encoding.BASE64, "YQ==,Y*==\nYQ==,YWI=\n").getFirst())
        .startsWith("2! value is not base64: ");
  }

  @Test
  void csvWithoutItsHeaderIsRefused() throws IOException {
    assertThat(read(LineFormat.CSV, Encoding.TEXT, "a,b\nc,d\n"))
        .containsExactly("1! the header should be key,value but is a,b");
    assertThat(read(LineFormat.CSV, Encoding.TEXT, ""))
        .containsExactly("1! the header should be key,value but is empty");
    assertThat(read(LineFormat.CSV, Encoding.TEXT, "x".repeat(100) + "\nc,d"))
        .containsExactly("1! header is longer than 64 bytes");
  }

  @Test
  void whatIsNotUtf8IsNoText() throws IOException {
    byte[] input = {'k', 'e', 'y', ',', 'v', 'a', 'l', 'u', 'e', '\n', 'a', ',', (byte) 0xFF, '\n'};
    assertThat(read(LineFormat.CSV, Encoding.TEXT, input))
        .containsExactly("2! value is not UTF-8 text");
    byte[] json = "{\"key\":\"\u00e4\",\"value\":\"\"}".getBytes(StandardCharsets.ISO_8859_1);
    assertThat(read(LineFormat.JSONL, Encoding.TEXT, json))
        .containsExactly("1! key is not UTF-8 text");
  }

  @Test
  void goodLinesOfJson() throws IOException {
    assertThat(
            json("{\"key\":\"a\",\"value\":\"b\"}\n{ \"value\" : \"d\" ,\t\"key\" : \"c\" } \r\n"))
        .containsExactly("1 a=b", "2 c=d");
    assertThat(json("{\"key\":\"\\u00e4\\n\",\"value\":\"\\ud83c\\uDF00\\/\\\\\\\"\\b\\f\\r\\t\"}"))
        .containsExactly("1 \u00e4\n=\ud83c\udf00/\\\"\b\f\r\t");
    assertThat(json("")).isEmpty();
  }

  @Test
  void badLinesOfJson() throws IOException {
    String good = "\n{\"key\":\"a\",\"value\":\"b\"}";
    assertThat(json("[]" + good)).containsExactly("1! '[' where an object should be", "2 a=b");
    assertThat(json(good)).containsExactly("1! the line ends where an object should be", "2 a=b");
    assertBadJson("{\"key\":\"a\"}", "'}' where a comma and the other member should be");
    assertBadJson("{\"key\":\"a\",\"key\":\"b\"}", "member \"key\" twice");
    assertBadJson("{\"key\":\"a\",\"val\":\"b\"}", "member \"val\" is neither key nor value");
    assertBadJson("{\"key\":1,\"value\":\"b\"}", "'1' where a string for \"key\" should be");
    assertBadJson("{\"key\" \"a\"", "'\"' where a colon after \"key\" should be");
    assertBadJson(
        "{\"key\":\"a\",\"value\":\"b\"", "the line ends where the end of the object should be");
    assertBadJson("{\"key\":\"a\",\"value\":\"b\"}}", "'}' after the object");
    assertBadJson("{\"key\":\"a\",\"value\":\"b", "the line ends within a string");
    assertBadJson("{\"key\":\"a\\", "byte 0x0a after a backslash is no escape of JSON");
    assertBadJson("{\"key\":\"a\\x\"", "'x' after a backslash is no escape of JSON");
    assertBadJson("{\"key\":\"\\u12g4\"", "\\u needs four hex digits");
    assertBadJson("{\"key\":\"\\ud800x\"", "half of a surrogate pair");
    assertBadJson("{\"key\":\"\\udc00\"", "half of a surrogate pair");
    assertBadJson("{\"key\":\"\\ud800\\u0061\"", "half of a surrogate pair");
    assertBadJson("{\"key\":\"\t\"", "byte 0x09 in a string must be escaped");
    assertBadJson("{\"" + "k".repeat(65) + "\":", "the name of a member is longer than 64 bytes");
    assertThat(json("{\"key\":\"a\\")).containsExactly("1! the line ends within a string");
  }

  private static void assertBadJson(String line, String reason) throws IOException {
    assertThat(json(line + "\n{\"key\":\"a\",\"value\":\"b\"}"))
        .containsExactly("1! " + reason, "2 a=b");
  }

  private static List<String> tsv(String text) throws IOException {
    return read(LineFormat.TSV, Encoding.HEX, text);
  }

  private static List<String> csv(Encoding encoding, String records) throws IOException {
    return read(LineFormat.CSV, encoding, "key,value\n" + records);
  }

  private static List<String> json(String text) throws IOException {
    return read(LineFormat.JSONL, Encoding.TEXT, text);
  }

  private static List<String> read(LineFormat format, Encoding encoding, String text)
      throws IOException {
    return read(format, encoding, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Entries as "line key=value" and faults as "line! reason". */
  private static List<String> read(LineFormat format, Encoding encoding, byte[] input)
      throws IOException {
    EntryReader reader = format.reader(new ByteArrayInputStream(input), encoding, LIMITS);
    List<String> found = new ArrayList<>();
    while (true) {
      try {
        if (!reader.next()) {
          return found;
        }
        found.add(reader.line() + " " + text(reader.key()) + "=" + text(reader.value()));
      } catch (BadLineException e) {
        assertThat(e).hasMessage("line " + e.line() + ": " + e.reason());
        found.add(e.line() + "! " + e.reason());
        if (e.isHeader()) {
          assertThatThrownBy(reader::next).isSameAs(e);
          return found;
        }
      }
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
