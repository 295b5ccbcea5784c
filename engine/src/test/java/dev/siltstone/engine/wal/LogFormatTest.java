package dev.siltstone.engine.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.testkit.golden.AnnotatedDump;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: the bytes of a log never change.
// Method: a small log, compared with the dump that docs/format/wal.md explains.
class LogFormatTest {
  @TempDir Path directory;

  @Test
  void aSmallLogHasTheBytesOfItsPage() throws IOException {
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
    assertThat(Bytes.hex(bytes))
        .isEqualTo(Bytes.hex(AnnotatedDump.read(Path.of("../docs/format/wal.md"))));
  }
}
