package dev.siltstone.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.bench.store.Engine;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

// Goal: a child sees the jars of its engine and none of another's.
// Method: a made-up class path with two engines' jars.
final class ClassPathsTest {
  private static final String WHOLE =
      String.join(
          File.pathSeparator,
          List.of(
              "/p/bench/classes",
              "/l/HdrHistogram-2.2.2.jar",
              "/l/rocksdbjni-10.10.1.1.jar",
              "/l/leveldb-0.12.jar",
              "/l/leveldb-api-0.12.jar",
              "/l/guava-21.0.jar",
              "/l/snappy-0.4.jar"));

  @Test
  void jarsOfOtherEnginesAreLeftOut() {
    assertThat(ClassPaths.of(Engine.IQ80, WHOLE))
        .contains("leveldb-0.12.jar", "guava-21.0.jar", "HdrHistogram", "/p/bench/classes")
        .doesNotContain("rocksdbjni");
    assertThat(ClassPaths.of(Engine.ROCKSDBJNI, WHOLE))
        .contains("rocksdbjni-10.10.1.1.jar")
        .doesNotContain("leveldb");
    assertThat(ClassPaths.of(Engine.SKIPLIST, WHOLE))
        .isEqualTo("/p/bench/classes" + File.pathSeparator + "/l/HdrHistogram-2.2.2.jar");
  }

  @Test
  void entriesAreMadeAbsoluteForAChildInAnotherFolder() {
    assertThat(ClassPaths.of(Engine.SKIPLIST, "out"))
        .isEqualTo(Path.of("out").toAbsolutePath() + "");
  }

  @Test
  void missingJarsAreNamedWithTheWayToGetThem() {
    assertThatThrownBy(() -> ClassPaths.of(Engine.LMDBJAVA, WHOLE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("lmdbjava-")
        .hasMessageContaining("./siltstone bench");
  }
}
