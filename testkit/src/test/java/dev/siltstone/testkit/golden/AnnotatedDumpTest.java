package dev.siltstone.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: the bytes of a dump come back, and a dump that does not add up is refused.
// Method: small pages.
class AnnotatedDumpTest {
  @TempDir Path directory;

  private byte[] read(String text) throws IOException {
    Path page = directory.resolve("page.md");
    Files.writeString(page, text);
    return AnnotatedDump.read(page);
  }

  @Test
  void linesOfADumpAreReadAndOthersSkipped() throws IOException {
    String page =
        """
        # 0000 is no dump
        | 0 | 4 | a table |
        0000  53 49  | magic
        0002  ff     | "
        """;
    assertThat(read(page)).containsExactly(0x53, 0x49, 0xff);
    assertThat(read("nothing\n")).isEmpty();
  }

  @Test
  void aWrongOffsetIsRefused() {
    assertThatThrownBy(() -> read("0000  53 49  | magic\n0003  ff  | x\n"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("0003 after 2 bytes");
  }
}
