package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.testkit.run.Seeds;
import dev.siltstone.tools.KeyText.Format;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

/// Goal: what a person types is the key that is meant, and what is printed can be typed again.
/// Method: each form by example, then random bytes through print and parse.
final class KeyTextTest {

  @Test
  void everyFormIsRead() {
    assertThat(parsed("user:1")).isEqualTo("757365723a31");
    assertThat(parsed("0xFf00")).isEqualTo("ff00");
    assertThat(parsed("0x")).isEmpty();
    assertThat(parsed("")).isEmpty();
    assertThat(parsed("text:0x00")).isEqualTo("30783030");
    assertThat(parsed("u64le:258")).isEqualTo("0201000000000000");
    assertThat(parsed("u64be:258")).isEqualTo("0000000000000102");
    assertThat(parsed("u64be:18446744073709551615")).isEqualTo("ffffffffffffffff");
    assertThat(parsed("\u00fc")).isEqualTo("c3bc");
  }

  @Test
  void whatLooksLikeAFormMustBeOne() {
    assertBad("0x1");
    assertBad("0xzz");
    assertBad("u64le:");
    assertBad("u64le:-1");
    assertBad("u64be:1.5");
    assertBad("u64be:18446744073709551616");
  }

  @Test
  void autoIsTextOnlyWhereThatIsClear() {
    assertThat(auto("ada")).isEqualTo("ada");
    assertThat(auto("\u00fc \u4e2d")).isEqualTo("\u00fc \u4e2d");
    assertThat(auto("")).isEqualTo("0x");
    assertThat(auto("a\nb")).isEqualTo("0x610a62");
    assertThat(auto(" a")).isEqualTo("0x2061");
    assertThat(auto("a ")).isEqualTo("0x6120");
    assertThat(auto("a\u200bb")).isEqualTo("0x61e2808b62");
    assertThat(auto("0x12")).isEqualTo("text:0x12");
    assertThat(auto("u64be:7")).isEqualTo("text:u64be:7");
    assertThat(auto("text:")).isEqualTo("text:text:");
    assertThat(Format.AUTO.of(new byte[] {'a', (byte) 0xC3})).isEqualTo("0x61c3");
  }

  @Test
  void theOtherFormats() {
    byte[] seven = Bytes.copy(new byte[] {7, 0, 0, 0, 0, 0, 0, 0}, 0, 8);
    assertThat(Format.U64LE.of(seven)).isEqualTo("u64le:7");
    assertThat(Format.U64BE.of(seven)).isEqualTo("u64be:504403158265495552");
    assertThat(Format.U64LE.of(new byte[] {'a'})).isEqualTo("a");
    assertThat(Format.HEX.of(new byte[] {'a'})).isEqualTo("0x61");
    byte[] mixed = {'a', '\\', '\n', (byte) 0xC3, (byte) 0xBC, (byte) 0xC3, 'x', (byte) 0xFF};
    assertThat(Format.TEXT.of(mixed)).isEqualTo("a\\\\\\x0a\u00fc\\xc3x\\xff");
  }

  @Test
  void whatIsPrintedCanBeTypedAgain() {
    Seeds.forEach(
        1,
        2_000,
        seed -> {
          SplittableRandom random = seed.random("bytes");
          byte[] bytes = new byte[random.nextInt(12)];
          for (int i = 0; i < bytes.length; i++) {
            bytes[i] =
                (byte) (random.nextBoolean() ? random.nextInt(256) : "0xtu64e:".charAt(i % 8));
          }
          for (Format format : new Format[] {Format.AUTO, Format.HEX, Format.U64LE, Format.U64BE}) {
            assertThat(KeyText.parse(format.of(bytes)).bytes()).isEqualTo(bytes);
          }
          assertThat(Format.TEXT.of(bytes)).doesNotContain("\n", "\ufffd");
        });
  }

  private static String parsed(String text) {
    return Bytes.hex(KeyText.parse(text).bytes());
  }

  private static String auto(String text) {
    return Format.AUTO.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void assertBad(String text) {
    assertThatThrownBy(() -> KeyText.parse(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining("text:" + text);
  }
}
