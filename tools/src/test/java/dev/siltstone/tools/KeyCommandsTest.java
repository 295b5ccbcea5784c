package dev.siltstone.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.engine.Db;
import dev.siltstone.engine.DbException;
import dev.siltstone.engine.Options;
import dev.siltstone.engine.WriteBatch;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: get, put, del, scan and count do what they say, in every form of key and answer. Method:
/// whole commands on a small store.
final class KeyCommandsTest {
  @TempDir Path temporary;
  private final Session session = new Session();
  private String store = "";

  @BeforeEach
  void makeStore() {
    store = temporary.resolve("store").toString();
    session.ok("put", store, "user:1", "ada", "--create");
    session.ok("put", store, "user:2", "0xff00");
    session.ok("put", store, "0x01", "");
    session.ok("put", store, "u64be:7", "u64le:42");
  }

  @Test
  void getPrintsTheValue() {
    assertThat(session.ok("get", store, "user:1")).isEqualTo("ada\n");
    assertThat(session.ok("get", store, "0x757365723a31")).isEqualTo("ada\n");
    assertThat(session.ok("get", store, "user:2")).isEqualTo("0xff00\n");
    assertThat(session.ok("get", store, "0x01")).isEqualTo("0x\n");
    assertThat(session.ok("get", store, "u64be:7")).isEqualTo("0x2a00000000000000\n");
    assertThat(session.ok("get", store, "u64be:7", "--format=u64le")).isEqualTo("u64le:42\n");
    assertThat(session.ok("get", store, "user:1", "--format", "hex")).isEqualTo("0x616461\n");
    session.ok("get", store, "user:2", "--raw");
    assertThat(session.outBytes()).containsExactly(0xff, 0x00);
  }

  @Test
  void getOfAnAbsentKeyFails() {
    assertThat(session.run("get", store, "user:9")).isEqualTo(1);
    assertThat(session.out()).isEmpty();
    assertThat(session.err())
        .isEqualTo(
            "siltstone: no key user:9 in tree 'default' of "
                + store
                + "; it was taken as text: bytes are typed as 0x2a00, numbers as u64le:42 or"
                + " u64be:42\n");
    for (String form : List.of("0x2a", "u64le:42", "u64be:42", "text:user:9")) {
      assertThat(session.run("get", store, form)).isEqualTo(1);
      assertThat(session.err()).endsWith(" of " + store + "\n");
    }
    assertThat(session.run("get", store, "user:9", "--json")).isEqualTo(1);
    assertThat(session.out()).isEqualTo("{\"key\":\"user:9\",\"found\":false,\"value\":null}\n");
  }

  /// Java puts U+FFFD where the bytes of a word are not in the encoding of the locale.
  @Test
  void wordsThatAreNotTextAreRefused() {
    String bad = "a\uFFFDb";
    for (String[] words :
        new String[][] {
          {"put", store, bad, "v"},
          {"put", store, "k", bad},
          {"get", store, bad},
          {"get", store, "--", bad},
          {"del", store, "user:1", bad},
          {"scan", store, "--prefix=" + bad},
          {"put", store + bad, "k", "v", "--create"},
          {"put", store, "k", "v", "--create", "--tree", bad},
          {"dump", store, store + bad}
        }) {
      assertThat(session.run(words)).as(String.join(" ", words)).isEqualTo(2);
      assertThat(session.err()).contains("has bytes that are not text").hasLineCount(1);
      assertThat(session.out()).isEmpty();
    }
    assertThat(session.run("get", store, bad, "--json")).isEqualTo(2);
    assertThat(session.err()).startsWith("{\"error\":\"'a").endsWith("\"status\":2}\n");
    assertThat(session.ok("count", store)).isEqualTo("4 entries\n");
    assertThat(Path.of(store + bad)).doesNotExist();
    session.ok("put", store, "0xefbfbd", "U+FFFD itself");
    assertThat(session.ok("get", store, "0xefbfbd")).isEqualTo("U+FFFD itself\n");
  }

  @Test
  void getAnswersInJson() {
    assertThat(session.ok("get", store, "user:1", "--json"))
        .isEqualTo("{\"key\":\"user:1\",\"found\":true,\"value\":\"ada\"}\n");
  }

  @Test
  void putReadsAValueFromTheInput() {
    byte[] value = new byte[300_000];
    Arrays.fill(value, (byte) 0xEE);
    session.in(value).ok("put", store, "big", "-");
    session.ok("get", store, "big", "--raw");
    assertThat(session.outBytes()).isEqualTo(value);
    session.ok("put", store, "dash", "text:-");
    assertThat(session.ok("get", store, "dash")).isEqualTo("-\n");
    session.ok("put", store, "--", "-n", "-5");
    assertThat(session.ok("get", store, "--", "-n")).isEqualTo("-5\n");
  }

  @Test
  void compressionIsKeptWithTheTree() {
    session.ok("put", store, "a", "b", "--create", "--tree", "small", "--compression", "zstd");
    session.ok("compact", store, "--tree", "small");
    assertThat(session.ok("get", store, "a", "--tree", "small")).isEqualTo("b\n");
    assertThatThrownBy(() -> Db.open(Path.of(store)))
        .isInstanceOf(DbException.Unsupported.class)
        .hasMessageContaining("tree 'small': compression 'zstd'");
    session.ok("put", store, "c", "d", "--tree", "small", "--compression", "none");
    try (Db db = Db.open(Path.of(store))) {
      assertThat(db.tree("small").options().compression()).isEqualTo("none");
      assertThat(db.tree().options().compression()).isEqualTo("lz4");
    }
    assertThat(session.run("put", store, "c", "d", "--compression", "gzip")).isEqualTo(2);
    assertThat(session.err()).contains("--compression takes lz4, zstd, none, not 'gzip'");
  }

  @Test
  void aLogThatHasGrownLongIsFlushed() {
    assertThat(session.ok("levels", store)).containsPattern("all files +0");
    Options options =
        Options.builder()
            .memoryBytes(256L << 20)
            .memtableBytes(96L << 20)
            .logSegmentBytes(64L << 20)
            .build();
    try (Db db = Db.open(Path.of(store), options)) {
      // Batches that leave the rest of a segment empty make a long log of few records.
      for (int i = 0; i < 5; i++) {
        WriteBatch batch = db.newBatch();
        for (int j = 0; j < 90; j++) {
          batch.put(("long " + j).getBytes(UTF_8), new byte[100_000]);
        }
        db.write(batch);
      }
    }
    assertThat(session.ok("levels", store)).containsPattern("all files +0");
    session.ok("put", store, "a", "b");
    // In one file or two: the log may have been more than memory takes at the opening already.
    assertThat(session.ok("levels", store))
        .containsPattern("all files +[12] ")
        .doesNotContain("memory");
    assertThat(session.ok("count", store)).isEqualTo("95 entries\n");
  }

  @Test
  void putTakesTextAsItIs() {
    session.ok("put", store, "@file", "\"quoted\" $x ${y} ''");
    assertThat(session.ok("get", store, "@file")).isEqualTo("\"quoted\" $x ${y} ''\n");
    session.ok("put", store, "", "empty key");
    assertThat(session.ok("get", store, "0x")).isEqualTo("empty key\n");
  }

  @Test
  void delDeletesKeysAndRanges() {
    session.ok("del", store, "user:1", "nothing");
    assertThat(session.run("get", store, "user:1")).isEqualTo(1);
    assertThat(session.ok("count", store)).isEqualTo("3 entries\n");
    session.ok("del", store, "--prefix", "user:");
    assertThat(session.ok("count", store)).isEqualTo("2 entries\n");
    session.ok("del", store, "--from", "0x00", "--to", "0x01");
    assertThat(session.ok("count", store)).isEqualTo("1 entry\n");
    session.ok("del", store, "--from", "0x");
    assertThat(session.ok("count", store)).isEqualTo("0 entries\n");
    assertThat(session.run("del", store)).isEqualTo(2);
    assertThat(session.err()).contains("say what to delete");
  }

  @Test
  void scanPrintsEntriesInOrder() {
    assertThat(session.ok("scan", store))
        .isEqualTo(
            """
            0x0000000000000007\t0x2a00000000000000
            0x01\t0x
            user:1\tada
            user:2\t0xff00
            """);
    assertThat(session.ok("scan", store, "--reverse", "--limit", "2", "--keys-only"))
        .isEqualTo("user:2\nuser:1\n");
    assertThat(session.ok("scan", store, "--from", "0x01", "--to", "user:2", "--keys-only"))
        .isEqualTo("0x01\nuser:1\n");
    assertThat(session.ok("scan", store, "--prefix", "user:", "--from", "user:2"))
        .isEqualTo("user:2\t0xff00\n");
    assertThat(session.ok("scan", store, "--format", "u64be,u64le", "--limit", "1"))
        .isEqualTo("u64be:7\tu64le:42\n");
    assertThat(session.ok("scan", store, "--limit", "0")).isEmpty();
  }

  @Test
  void scanAnswersInJsonLines() {
    assertThat(session.ok("scan", store, "--json", "--prefix", "user:"))
        .isEqualTo(
            """
            {"key":"user:1","value":"ada"}
            {"key":"user:2","value":"0xff00"}
            """);
    assertThat(session.ok("scan", store, "--json", "--prefix", "user:", "--keys-only"))
        .isEqualTo("{\"key\":\"user:1\"}\n{\"key\":\"user:2\"}\n");
  }

  @Test
  void scanExplainsWhatItSteppedOver() {
    session.ok("del", store, "user:1");
    assertThat(session.ok("scan", store, "--prefix", "user:", "--explain", "--keys-only"))
        .isEqualTo("user:2\n");
    assertThat(session.err())
        .startsWith("1 entry in ")
        .containsPattern(
            "stepped over \\d dead or older records?, \\d of them in one step before user:2");
    assertThat(session.ok("scan", store, "--to", "user:2", "--explain", "--json"))
        .containsPattern(
            "\\{\"entries\":2,\"steppedOver\":\\d,\"mostAtOnce\":\\d,\"mostBeforeKey\":");
    session.ok("scan", store, "--to", "user:1", "--explain");
    assertThat(session.err()).endsWith("stepped over 0 dead or older records\n");
  }

  @Test
  void countCounts() {
    assertThat(session.ok("count", store)).isEqualTo("4 entries\n");
    assertThat(session.ok("count", store, "--prefix=user:", "--json"))
        .isEqualTo("{\"entries\":2}\n");
  }

  @Test
  void formatsAreOneOrTwo() {
    assertThat(session.run("scan", store, "--format", "hex,hex,hex")).isEqualTo(2);
    assertThat(session.err()).contains("--format takes one format or two");
    assertThat(session.run("scan", store, "--format", "octal")).isEqualTo(2);
  }

  @Test
  void anEmptyPathIsNotThePresentDirectory() {
    assertThat(session.run("put", "", "k", "v", "--create")).isEqualTo(2);
    assertThat(session.err()).contains("the path is empty");
    assertThat(session.run("checkpoint", store, "")).isEqualTo(2);
  }
}
