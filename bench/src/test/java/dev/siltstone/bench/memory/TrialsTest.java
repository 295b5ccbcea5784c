package dev.siltstone.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: the engine does with little heap what `bench memory` says it does; and a trial that fails
// says why.
// Method: the trials themselves, smaller, in JVMs whose heap is smaller by as much.
final class TrialsTest {
  @TempDir Path folder;

  private final List<String> lines = new ArrayList<>();

  @Test
  @Tag("slow")
  void halfAMillionEntriesLiveIn48MebibytesOfHeap() throws Exception {
    run(Trials.SMALLHEAP, 500_000, "-Xmx48m");
    assertThat(lines).contains("right");
  }

  @Test
  @Tag("slow")
  void twoHundredTreesAndAThousandCursorsAreBounded() throws Exception {
    run(Trials.MANY, 100_000, "-Xmx64m");
    assertThat(lines).contains("right");
  }

  @Test
  @Tag("slow")
  void largeValuesAndBatchesTakeTheHeapOfTheCallersOwnCopies() throws Exception {
    run(Trials.LARGEVALUE, 100, "-Xmx140m");
    run(Trials.LARGEBATCH, 64, "-Xmx220m");
    assertThat(lines).filteredOn("right"::equals).hasSize(2);
  }

  @Test
  void aTrialThatFailsSaysWhy() {
    assertThatThrownBy(() -> run(Trials.SMALLHEAP, 0, "-Xmx64m"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("smallheap ended with status 1")
        .hasMessageContaining("size must be positive, not 0");
  }

  @Test
  void memoryThatDoesNotSufficeIsAFailure() {
    assertThatThrownBy(() -> run(Trials.SMALLHEAP, 50_000, "-Xmx8m"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("smallheap ended with status 3")
        .hasMessageContaining("OutOfMemoryError");
  }

  @Test
  void aTrialIsFoundByItsName() {
    assertThat(Trials.of("many")).isEqualTo(Trials.MANY);
    assertThatThrownBy(() -> Trials.of("few"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"few\"")
        .hasMessageContaining("smallheap, many");
  }

  private void run(Trials trial, long entries, String heap) throws Exception {
    TrialProcess.run(
        trial,
        new Trial.Size(entries, 0),
        folder.resolve(trial.label()),
        List.of("-ea", heap),
        lines::add);
  }
}
