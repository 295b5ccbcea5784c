package dev.siltstone.bench.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.bench.report.Json;
import dev.siltstone.bench.work.Values;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

// Goal: every loop does what its name says, and JMH finds and runs it.
// Method: loops called by hand, their answers asserted; then all of them under JMH, in this JVM and
// for a millisecond each.
final class LoopsTest {
  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void loopsFindWhatIsThereAndNothingElse() throws Exception {
    MemTableLoop memTable = new MemTableLoop();
    memTable.setUp();
    TableLoop table = new TableLoop();
    table.setUp();
    DbLoop db = new DbLoop();
    db.setUp();
    try {
      assertThat(memTable.put().entries()).isEqualTo(100_000);
      for (int i = 0; i < 500; i++) {
        assertThat(memTable.get()).isTrue();
        assertThat(memTable.getMissing()).isFalse();
        assertThat(table.find()).isTrue();
        assertThat(table.bloom()).isFalse();
        assertThat(table.searchOfBlock()).isPositive();
        assertThat(table.seek()).isPositive();
        assertThat(table.next()).isPositive();
        assertThat(db.get()).hasSize(100);
        assertThat(db.getMissing()).isNull();
        assertThat(db.cursorNext()).isTrue();
        assertThat(db.cursorPrev()).isTrue();
        assertThat(db.cursorSeek()).isTrue();
      }
    } finally {
      table.tearDown();
      db.tearDown();
    }
  }

  @Test
  void aMergeComesRoundAndABlockComesBack() throws Exception {
    MergeLoop merge = new MergeLoop();
    merge.sources = 2;
    merge.setUp();
    long first = merge.next();
    for (int i = 0; i < 40_000 - 1; i++) {
      merge.next();
    }
    assertThat(merge.next()).isEqualTo(first);
    merge.tearDown();

    Lz4Loop lz4 = new Lz4Loop();
    lz4.setUp();
    assertThat(lz4.compress()).isBetween(6 << 10, 14 << 10);
    byte[] plain = lz4.decompress();
    byte[] value = new Values(LoopData.VALUE_BYTES).value(0, 0);
    assertThat(plain).startsWith(value);

    ChecksumLoop checksum = new ChecksumLoop();
    checksum.setUp();
    assertThat(checksum.crcOfBlock()).isNotEqualTo(checksum.crcOfRecord());
    assertThat(checksum.hashOfKey()).isNotZero();
  }

  @Test
  void everyLoopRunsUnderJmh() throws Exception {
    Path json = folder.resolve("jmh.json");

    assertThat(run("--forks=0", "--quick", "--time=1", "--json=" + json)).as("%s", err).isZero();

    // The merge has two sizes.
    assertThat(run("--list")).isZero();
    long loops = out.toString().lines().count();
    assertThat(Json.parse(Files.readString(json)).items()).hasSize((int) loops + 1);
    assertThat(out.toString())
        .contains("TableLoop.searchOfBlock", "MemTableLoop.put", "MergeLoop.next", "DbLoop.get")
        .contains("Lz4Loop.compress", "ChecksumLoop.crcOfBlock", "TableLoop.bloom");
  }

  @Test
  void aPatternChoosesAndAWrongOneIsAnsweredWithTheWayOut() {
    assertThat(run("--list", "crc")).isZero();
    assertThat(out.toString().lines())
        .containsExactly("ChecksumLoop.crcOfBlock", "ChecksumLoop.crcOfRecord");
    assertThat(run("nothing")).isEqualTo(2);
    assertThat(err.toString()).contains("no loop matches \"nothing\"");
    assertThat(run("(")).isEqualTo(2);
    assertThat(err.toString()).contains("not a regular expression");
  }

  private int run(String... args) {
    return new CommandLine(new JmhCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
