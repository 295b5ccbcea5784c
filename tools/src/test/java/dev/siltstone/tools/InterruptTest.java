package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Goal: Ctrl-C in the middle of a load leaves whole batches and a last line that says so. Method:
/// a process of its own that reads lines without end, and gets the signal once it has read many.
@Tag("slow")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no signals")
final class InterruptTest {
  private static final int BATCH_ENTRIES = 10_000;
  private static final int LINES_BEFORE = 5 * BATCH_ENTRIES;
  private static final int LINES_MAX = 100_000_000;

  @TempDir Path temporary;
  private final Session session = new Session();

  @Test
  void anInterruptedLoadEndsAfterAWholeBatch() throws IOException, InterruptedException {
    String store = temporary.resolve("store").toString();
    Path err = temporary.resolve("err");
    Process load =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.siltstone.tools.Main",
                "load",
                store,
                "--create")
            .redirectError(err.toFile())
            .start();
    feed(load);
    assertThat(load.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(load.exitValue()).isEqualTo(130);
    assertThat(Files.readString(err))
        .matches(
            "siltstone: interrupted; [0-9,]+ entries loaded, in whole batches; loading it all"
                + " again does no harm\n");
    String count = session.ok("count", store);
    assertThat(Files.readString(err)).contains("; " + count.strip() + " loaded");
    assertThat(Integer.parseInt(count.replaceAll("\\D", "")) % BATCH_ENTRIES).isZero();
    assertThat(session.ok("verify", store)).contains("sound: 1 tree");
  }

  /// Writes lines until nobody reads them. The pipe holds few of them, so that most of those before
  /// the signal have been read when it is sent.
  private static void feed(Process load) throws InterruptedException {
    try (OutputStream lines = load.getOutputStream()) {
      for (int i = 0; i < LINES_MAX; i++) {
        lines.write("%08x\t00\n".formatted(i).getBytes(StandardCharsets.US_ASCII));
        if (i == LINES_BEFORE) {
          new ProcessBuilder("kill", "-INT", Long.toString(load.pid())).start().waitFor();
        }
      }
    } catch (IOException e) {
      // The process has ended, as it should.
    }
  }
}
