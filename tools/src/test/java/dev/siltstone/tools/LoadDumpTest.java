package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.siltstone.engine.Db;
import dev.siltstone.testkit.run.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: what is dumped and loaded again is the same store, and a bad line never leaves half a
/// batch. Method: random stores through every format, dumps compared byte for byte; inputs with
/// faults.
final class LoadDumpTest {
  @TempDir Path temporary;
  private final Session session = new Session();
  private String store = "";

  @BeforeEach
  void nameStore() {
    store = temporary.resolve("store").toString();
  }

  @ParameterizedTest
  @CsvSource({"tsv,hex", "csv,hex", "csv,base64", "jsonl,hex", "jsonl,base64"})
  void aStoreSurvivesDumpAndLoad(String format, String encoding) {
    Seeds.forEach(
        7,
        2,
        seed -> {
          Path place = temporary.resolve("seed" + seed.value());
          Path one = place.resolve("one");
          fill(one, seed.random("entries"));
          String dump = place.resolve("dump." + format).toString();
          session.ok("dump", one.toString(), dump, "--encoding", encoding);
          assertThat(session.err())
              .containsPattern("^[0-9,]+ entries \\([0-9.]+ [KM]iB\\) written");
          Path two = place.resolve("two");
          session.ok("load", two.toString(), dump, "--encoding", encoding, "--create");
          session.ok("dump", two.toString(), "-", "--as", format, "--encoding", encoding);
          assertThat(session.outBytes()).isEqualTo(Files.readAllBytes(Path.of(dump)));
        });
  }

  private static void fill(Path directory, SplittableRandom random) {
    try (Db db = Db.open(directory)) {
      for (int i = 0; i < 1_200; i++) {
        byte[] key = new byte[random.nextInt(20)];
        byte[] value = new byte[random.nextInt(i % 500 == 0 ? 300_000 : 200)];
        random.nextBytes(key);
        random.nextBytes(value);
        db.put(key, value);
        if (i == 600) {
          db.flush();
        }
      }
    }
  }

  @Test
  void textIsLoadedAndDumpedAsText() throws IOException {
    String lines = "{\"key\":\"\u00fc\",\"value\":\"a,b\"}\n{\"key\":\"x\",\"value\":\"\"}\n";
    session.in(lines).ok("load", store, "--as", "jsonl", "--encoding", "text", "--create");
    assertThat(session.err()).startsWith("2 entries (6 B) loaded in ");
    assertThat(session.ok("dump", store, "--as", "csv", "--encoding", "text"))
        .isEqualTo("key,value\r\nx,\r\n\u00fc,\"a,b\"\r\n");
    Path file = temporary.resolve("a.csv");
    Files.writeString(file, session.out());
    String other = temporary.resolve("other").toString();
    session.ok("load", other, file.toString(), "--encoding", "text", "--create", "--tree", "t");
    assertThat(session.ok("scan", other, "--tree", "t")).isEqualTo("x\t0x\n\u00fc\ta,b\n");
    assertThat(session.ok("count", other)).isEqualTo("0 entries\n");
  }

  @Test
  void aBadLineStopsTheLoadBeforeItsBatch() {
    session.ok("put", store, "k", "v", "--create");
    assertThat(session.in("61\t62\n63\t64\n6\t62\n").run("load", store)).isEqualTo(1);
    assertThat(session.err())
        .isEqualTo(
            "siltstone: - line 3: key has an odd number of hex digits, 1; 0 entries loaded,"
                + " nothing of the batch that the line is in; mend the line, or pass --skip-bad\n");
    assertThat(session.ok("scan", store)).isEqualTo("k\tv\n");
  }

  @Test
  void batchesBeforeTheBadLineStayAndAreCounted() {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 25_000; i++) {
      lines.append("%08x\t00\n".formatted(i));
    }
    assertThat(session.in(lines + "x\n").run("load", store, "--create")).isEqualTo(1);
    assertThat(session.err()).contains("- line 25001: ", "; 20,000 entries loaded, ");
    assertThat(session.ok("count", store)).isEqualTo("20,000 entries\n");
  }

  @Test
  void badLinesAreSkippedWhenAsked() {
    String lines = "61\t62\n\n63\t64\nzz\t00\n" + "!\n".repeat(20);
    session.in(lines).ok("load", store, "--create", "--skip-bad");
    assertThat(session.err())
        .contains("siltstone: left out - line 2: no tab between key and value\n")
        .contains("siltstone: left out - line 4: key has 'z' where a hex digit should be\n")
        .contains("2 entries (4 B) loaded in ")
        .endsWith("22 bad lines left out, of which 10 are named above\n");
    assertThat(session.err().lines()).hasSize(12);
    assertThat(session.ok("scan", store)).isEqualTo("a\tb\nc\td\n");
  }

  @Test
  void aKeyThatIsTooLongIsABadLine() {
    String lines = "61".repeat(65_536) + "\t00\n" + "62".repeat(65_537) + "\t00\n";
    session.in(lines).ok("load", store, "--create", "--skip-bad");
    assertThat(session.err()).contains("line 2: key is longer than 65536 bytes");
    assertThat(session.ok("count", store)).isEqualTo("1 entry\n");
  }

  @Test
  void bytesThatAreNoTextAreNotDumpedAsText() {
    session.ok("put", store, "a", "b", "--create");
    session.ok("put", store, "k", "0xff");
    String file = temporary.resolve("x.csv").toString();
    assertThat(session.run("dump", store, file, "--encoding", "text")).isEqualTo(1);
    assertThat(session.err())
        .isEqualTo(
            "siltstone: value 0xff is not UTF-8 text; pass --encoding hex or base64 (1 entry"
                + " written before it)\n");
    assertThat(temporary).isDirectoryNotContaining("glob:**x.csv*");
  }

  @Test
  void aFileIsReplacedOnlyWhenAsked() throws IOException {
    session.ok("put", store, "a", "b", "--create");
    Path file = temporary.resolve("x.tsv");
    Files.writeString(file, "precious");
    assertThat(session.run("dump", store, file.toString())).isEqualTo(2);
    assertThat(session.err()).contains("x.tsv exists; choose another name, or pass --force");
    assertThat(file).hasContent("precious");
    session.ok("dump", store, file.toString(), "--force");
    assertThat(file).hasContent("61\t62\n");
  }

  @Test
  void aRangeIsDumped() {
    session.in("61\t\n62\t\n63\t\n").ok("load", store, "--create");
    assertThat(session.ok("dump", store, "--from", "b")).isEqualTo("62\t\n63\t\n");
    assertThat(session.ok("dump", store, "--prefix", "a")).isEqualTo("61\t\n");
  }

  @Test
  void tsvIsAlwaysInHex() {
    session.ok("put", store, "a", "b", "--create");
    assertThat(session.run("dump", store, "--encoding", "text")).isEqualTo(2);
    assertThat(session.err()).contains("tsv is always in hex");
  }

  @Test
  void plainTextTakenForHexIsTold() throws IOException {
    assertThat(session.in("user\tada\n").run("load", store, "--create")).isEqualTo(1);
    assertThat(session.err()).contains("plain text needs csv or jsonl with --encoding text");
    Path file = Files.writeString(temporary.resolve("a.csv"), "key,value\nuser,ada\n");
    assertThat(session.run("load", store, file.toString(), "--create")).isEqualTo(1);
    assertThat(session.err()).contains("if the file is plain text, pass --encoding text");
    session.ok("load", store, file.toString(), "--create", "--encoding", "text");
    assertThat(session.run("scan", store, "--encoding", "text")).isEqualTo(2);
    assertThat(session.err())
        .contains("--encoding is for load and dump, elsewhere --format says how bytes are printed");
  }

  @Test
  void anInterruptedDumpLeavesNoFile() {
    session.ok("put", store, "a", "b", "--create");
    session.interrupt.request();
    String file = temporary.resolve("x.tsv").toString();
    assertThat(session.run("dump", store, file)).isEqualTo(1);
    assertThat(session.err()).isEqualTo("siltstone: interrupted; " + file + " is not written\n");
    assertThat(Path.of(file)).doesNotExist();
    assertThat(Path.of(file + ".part")).doesNotExist();
  }

  @Test
  void aDumpReplacesWhatALinkLeadsTo() throws IOException {
    session.ok("put", store, "a", "b", "--create");
    Path file = Files.writeString(temporary.resolve("file"), "old");
    Path link = Files.createSymbolicLink(temporary.resolve("link"), file);
    assertThat(session.run("dump", store, link.toString())).isEqualTo(2);
    assertThat(file).hasContent("old");
    session.ok("dump", store, link.toString(), "--force");
    assertThat(link).isSymbolicLink();
    assertThat(file).hasContent("61\t62");
  }

  @Test
  void aDumpToAPipeIsWrittenIntoIt() throws Exception {
    session.ok("put", store, "a", "b", "--create");
    // In the place of a device, which a test must not be able to replace.
    Path pipe = temporary.resolve("pipe");
    boolean made = false;
    try {
      made = new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0;
    } catch (IOException e) {
      assumeTrue(made, "this system makes no named pipes: " + e);
    }
    assumeTrue(made, "this system makes no named pipes");
    assertThat(session.run("dump", store, pipe.toString())).isEqualTo(2);
    CompletableFuture<byte[]> read = CompletableFuture.supplyAsync(() -> content(pipe));
    session.ok("dump", store, pipe.toString(), "--force");
    assertThat(session.err()).startsWith("1 entry (6 B) written");
    assertThat(Files.isRegularFile(pipe)).isFalse();
    assertThat(read.get()).asString().isEqualTo("61\t62\n");
  }

  private static byte[] content(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aDumpTakesNoFileOfSomebodyElse() throws IOException {
    session.ok("put", store, "a", "b", "--create");
    Path part = Files.writeString(temporary.resolve("x.part"), "mine");
    Path target = Files.createSymbolicLink(temporary.resolve("x.part1"), Path.of("nowhere"));
    session.ok("dump", store, temporary.resolve("x").toString());
    assertThat(temporary.resolve("x")).hasContent("61\t62");
    assertThat(part).hasContent("mine");
    assertThat(target).isSymbolicLink();
    assertThat(temporary).isDirectoryNotContaining("glob:**.part2");
    session.interrupt.request();
    assertThat(session.run("dump", store, temporary.resolve("x").toString(), "--force"))
        .isEqualTo(1);
    assertThat(part).hasContent("mine");
    assertThat(temporary).isDirectoryNotContaining("glob:**.part2");
  }

  @Test
  void anInputThatIsNotThereIsNamed() {
    session.ok("put", store, "a", "b", "--create");
    assertThat(session.run("load", store, "/no/such.csv")).isEqualTo(2);
    assertThat(session.err()).startsWith("siltstone: no file /no/such.csv that can be read");
    assertThat(session.run("load", store, temporary.toString())).isEqualTo(2);
    assertThat(session.err()).hasLineCount(1);
  }

  @Test
  void progressIsShownOnATerminalOnly() throws IOException {
    Path file = temporary.resolve("x.tsv");
    Files.writeString(file, "61\t62\n".repeat(1_000));
    session.tickNanos = 1_000_000_000;
    session.ok("load", store, file.toString(), "--create");
    assertThat(session.err()).doesNotContain("\033").hasLineCount(1);
    session.interactive = true;
    session.ok("load", store, file.toString());
    assertThat(session.err())
        .containsPattern("\033\\[Kloading .*x.tsv  [0-9.]+ %  257 entries  [0-9,]+/s")
        .contains("\033[K1,000 entries (2.0 KiB) loaded in ");
  }
}
