package dev.siltstone.engine.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.io.OsFileSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: the bytes of a log never change.
// Method: a small log, compared with the bytes that docs/format/wal.md explains.
class LogFormatTest {
  @TempDir Path directory;

  @Test
  void aSmallLogHasTheseBytes() throws IOException {
    OsFileSystem fs = new OsFileSystem();
    long[] next = {7, 0x0123456789ABCDEFL};
    LogConfig config =
        new LogConfig(fs, directory, LogFixture.STORE, false, 4096, () -> next[0]++, () -> next[1]);
    try (Log log = Log.open(config, LogRecovery.none(fs, directory, LogFixture.STORE))) {
      byte[] payload = "silt".getBytes(StandardCharsets.US_ASCII);
      log.append(payload, 0, payload.length, 1);
      log.flush();
      log.sync();
      log.append(payload, 1, 3, 2);
    }
    byte[] bytes = new LogFixture(fs, directory, 0).bytes(directory.resolve("000007.wal"));
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < bytes.length; i += 16) {
      lines.append(HexFormat.of().formatHex(bytes, i, Math.min(bytes.length, i + 16))).append('\n');
    }
    assertThat(lines.toString())
        .isEqualTo(
            """
            53494c542d57414c0100000000000000
            88776655443322110700000000000000
            efcdab89674523010000000000000000
            0000000000000000000000004fc4fe84
            5ad5dd41200000000100000000000000
            00000000000000000000000000000000
            00000000000000000000000000000000
            58ba6c50040000000270000000000000
            73696c7400000000cf6f523003000000
            0288000000000000696c740000000000
            af8f12180000000080a0000000000000
            """);
  }
}
