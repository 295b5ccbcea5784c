package dev.siltstone.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: the commands do what their help says, and mistakes are answered with the way out.
// Method: whole command lines, run in this process as the launcher runs them.
final class MainTest {
  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void theQuickDemoRunsFromStartToEnd() throws Exception {
    Path json = folder.resolve("demo.json");
    Path html = folder.resolve("demo.html");

    int status =
        run(
            "demo",
            "--quick",
            "--engine=skiplist",
            "--dir=" + folder.resolve("stores"),
            "--json=" + json,
            "--html=" + html);

    assertThat(status).as("%s%s", out, err).isZero();
    assertThat(Files.readString(json)).contains("\"cliff\"", "\"dumps\"", "\"timeseries\"");
    assertThat(Files.readString(html)).contains("Siltstone demo");
    assertThat(out.toString()).contains("Report ", "Next", "bench compare --quick");
  }

  @Test
  void enginesAreComparedEachInAProcessOfItsOwn() throws Exception {
    Path json = folder.resolve("bench.json");
    Path html = folder.resolve("bench.html");

    int status =
        run(
            "bench",
            "compare",
            "fillseq",
            "readrandom",
            "readreverse",
            "--engine=skiplist",
            "--against=iq80",
            "--num=2000",
            "--heap=256",
            "--rounds=2",
            "--dir=" + folder,
            "--json=" + json,
            "--html=" + html);

    assertThat(status).as("%s%s", out, err).isZero();
    assertThat(out.toString())
        .containsPattern("fillseq +[0-9.,kMG]+/s +[0-9.,kMG]+/s +[0-9.,kMG]+ x")
        .contains("not possible: iq80 cannot")
        .contains("Snappy");
    assertThat(Files.readString(json))
        .containsPattern("\"work\": \"fillseq\",\\s+\"ours\": [0-9.E]+")
        .containsPattern("\"peers\": \\{\\s+\"iq80\": [0-9.E]+")
        .containsPattern("\"ratio_lsm\": [0-9.E]+,\\s+\"ratio_any\": [0-9.E]+")
        .contains("\"p99_us\"");
    assertThat(Files.readString(html)).doesNotContain("http:", "https:").contains("skiplist");
    try (var left = Files.list(folder)) {
      assertThat(left).containsExactlyInAnyOrder(json, html);
    }
  }

  @Test
  void oneEngineRunsByItself() {
    int status =
        run(
            "bench",
            "run",
            "fillsync8",
            "--engine=skiplist",
            "--num=1000",
            "--heap=128",
            "--dir=" + folder);

    assertThat(status).as("%s%s", out, err).isZero();
    assertThat(out.toString()).containsPattern("fillsync8 +skiplist");
  }

  @Test
  void figuresOfTwoRunsAreComparedAndReported() throws Exception {
    Path one = folder.resolve("one.json");
    Path other = folder.resolve("other.json");
    Path html = folder.resolve("both.html");
    for (Path json : List.of(one, other)) {
      int status =
          run(
              "bench",
              "run",
              "fillseq",
              "cliff",
              "--engine=skiplist",
              "--entries=1k",
              "--heap=128",
              "--rounds=3",
              "--dir=" + folder,
              "--json=" + json);
      assertThat(status).as("%s%s", out, err).isZero();
    }

    assertThat(run("bench", "compare", one.toString(), other.toString())).isZero();
    assertThat(out.toString())
        .containsPattern("fillseq +1,000 +skiplist +[0-9.,kMG]+/s +[0-9.,kMG]+/s +[0-9.,kM]+ x")
        .contains("2 rows: ")
        .doesNotContain("too few rounds;");

    assertThat(run("bench", "report", one.toString(), other.toString(), "-o", html.toString()))
        .isZero();
    assertThat(Files.readString(html))
        .doesNotContain("http:", "https:")
        .contains("one: rates", "other: machine", "in memory, no log");
  }

  @Test
  void costsGrowInOneTable() throws Exception {
    Path html = folder.resolve("growth.html");

    int status =
        run(
            "bench",
            "growth",
            "fillseq",
            "readrandom",
            "--engine=skiplist",
            "--entries=1k,4k",
            "--heap=128",
            "--dir=" + folder,
            "--html=" + html);

    assertThat(status).as("%s%s", out, err).isZero();
    assertThat(out.toString())
        .contains("Time of an operation, by entries in the store", "last over first")
        .containsPattern("readrandom +skiplist +[0-9.]+ µs +[0-9.]+ µs +[0-9.]+ x");
    assertThat(Files.readString(html)).contains("cost by size", "readrandom: time of an operation");
  }

  @Test
  void theVersionIsThatOfTheBuild() {
    assertThat(run("--version")).isZero();
    assertThat(out.toString()).startsWith("siltstone 0.").contains("Java 2").doesNotContain("${");
  }

  @Test
  void listsSayWhatThereIs() {
    assertThat(run("bench", "list")).isZero();
    assertThat(out.toString()).contains("seekrandom", "rocksdbjni", "in random order");
  }

  @Test
  void mistakesAreAnsweredWithTheWayOut() throws Exception {
    assertThat(run()).isEqualTo(2);
    assertThat(run("bench")).isEqualTo(2);
    assertThat(run("bench", "compare", "fillzig")).isEqualTo(2);
    assertThat(err.toString()).contains("no workload is called \"fillzig\"; there are fillseq");
    assertThat(run("bench", "run", "--engine=zig")).isEqualTo(2);
    assertThat(err.toString()).contains("no engine is called \"zig\"; there are");
    assertThat(run("bench", "run", "--entries=many")).isEqualTo(2);
    assertThat(err.toString()).contains("\"many\" is not a count: write it as");
    assertThat(run("bench", "run", "--rounds=0")).isEqualTo(2);
    assertThat(err.toString()).contains("one round and one size are due at least");
    assertThat(run("bench", "compare", "a.json", "fillseq")).isEqualTo(2);
    assertThat(err.toString()).contains("to compare files name two of them");
    assertThat(run("bench", "compare", "nowhere/a.json", "nowhere/b.json")).isEqualTo(1);
    assertThat(err.toString()).contains("there is no file nowhere/a.json");
    assertThat(run("bench", "report", "a.json")).isEqualTo(2);
    assertThat(run("bench", "report", "nowhere/a.json", "-o", "x.html")).isEqualTo(1);
    Files.writeString(folder.resolve("x"), "");
    assertThat(run("demo", "--quick", "--dir=" + folder)).isEqualTo(2);
    assertThat(err.toString()).contains("is not empty: name a new folder");
    assertThat(run("demo", "--quick", "--dir=" + folder.resolve("x"))).isEqualTo(2);
    assertThat(err.toString()).contains("is a file: name a new folder");
    assertThat(run("demo", "--engine=iq80", "--dir=" + folder.resolve("y"))).isEqualTo(2);
    assertThat(err.toString()).contains("cannot scan backward");
  }

  private int run(String... args) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
  }
}
